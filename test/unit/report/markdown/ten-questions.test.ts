import { beforeAll, describe, expect, test } from "vitest";
import { greatChange } from "../../../support/great-change.ts";
import { readMarkdown } from "../../../support/read-markdown.ts";

/** What a stranger sees of the Markdown of a plan of two hundred calls before anything is unfolded. */
const plan = { text: "", seen: readMarkdown("") };

beforeAll(async () => {
  const at = await greatChange();
  plan.text = (await at.run("plan", "--format", "markdown", "--detailed-exitcode")).stdout;
  await at.close();
  plan.seen = readMarkdown(plan.text.slice(0, plan.text.indexOf("<details>")));
});

/** The rows under the heading that begins so. */
function under(heading: string): readonly (readonly string[])[] {
  const [rows] = [...plan.seen.tables].flatMap(([title, found]) => (title.startsWith(heading) ? [found] : []));
  return rows ?? [];
}

function rowOf(heading: string, beginning: string): readonly string[] | undefined {
  return under(heading).find(([first = ""]) => first.startsWith(beginning));
}

describe("from the Markdown of a plan of two hundred calls alone a stranger learns", () => {
  test("how many calls it makes, whom it creates and how many mails it sends", () => {
    expect(plan.text.split("\n").slice(1, 9)).toEqual([
      "## roster plan: up to 198 calls wait",
      "",
      "- **Exit code 2**: changes are pending",
      "- **What is done**: 56 users to create (4 found a team), 12 teams gain members, 130 keys get other roles.",
      "- **Privileged roles** (`ACCOUNT_ADMIN`, `PLATFORM_ADMIN`, `SYSTEM_OWNER`): given on 1 key and taken from 1 key",
      "- **Mails**: 52, one for each person in each team that they join",
      "- **Calls**: 194, at most 198",
      "- **Findings**: 5 blocking findings",
    ]);
  });

  test("who gains and who loses ACCOUNT_ADMIN, where, and which line asks for it", () => {
    expect(under("Privileged roles")).toEqual([
      ["atlas.aaa@acme.example", "gains ACCOUNT_ADMIN", "in Atlas", expect.stringMatching(/^roster\.yaml:\d+:\d+$/u)],
      ["borealis.bbb@acme.example", "loses ACCOUNT_ADMIN", "in Borealis", expect.stringMatching(/^roster\.yaml:/u)],
    ]);
  });

  test("what somebody keeps who loses something", () => {
    expect(rowOf("By person", "borealis.bbb@acme.example")?.slice(1, 4)).toEqual([
      "–",
      "ACCOUNT_ADMIN in Borealis",
      "DEVELOPER in Borealis",
    ]);
  });

  test("which teams are new, who administers them, and who is mailed about them", () => {
    const founded = under("By team").filter(([team = ""]) => team.includes(" new "));
    expect(founded.map(([team, admin]) => [team, admin])).toEqual(
      ["Fornax", "Gemini", "Hydra", "Perseus"].map((name) => {
        const founder = `${name.toLowerCase()}.aaa@acme.example`;
        return [`${name} new in acc-1, founded with ${founder}`, founder];
      }),
    );
    expect(founded[0]?.slice(2)).toEqual([
      "3 with DEVELOPER: fornax.bbb@acme.example, fornax.ccc@acme.example, fornax.ddd@acme.example",
      "–",
      "3",
      "9",
    ]);
  });

  test("what somebody new gets", () => {
    expect(rowOf("By person", "fornax.bbb@acme.example")?.slice(0, 3)).toEqual([
      "fornax.bbb@acme.example (Fornax Bbb)",
      "new user in acc-1; joins Fornax with DEVELOPER",
      "–",
    ]);
  });

  test("what a leaver loses", () => {
    expect(rowOf("By person", "gone.soon@acme.example")?.[2]).toMatch(
      /TEAM_ROLE on the own key, which has none left; DEVELOPER, TEAM_ROLE in Draco, which has none left/u,
    );
  });

  test("who still holds access that the roster denies, and what to do about it", () => {
    const held = under("Access that is held against the roster");
    expect(held.map(([about]) => about)).toEqual([
      "user gone.soon@acme.example",
      "member stray.cat@acme.example of team acc-1/cygnus",
    ]);
    expect(held[1]?.[1]).toContain("No call removes a member: have it done by hand");
  });

  test("why somebody is not created, and what lets it pass", () => {
    const told = rowOf("Blocking findings", "user emil.nordd@acme.example")?.[1];
    expect(told).toMatch(/^near-duplicate: .*emil\.nord@acme\.example.* --allow near-duplicate@[0-9a-f]{16}/u);
  });

  test("why a role is not given, and why a team is not founded", () => {
    expect(rowOf("Blocking findings", "user mallory.held@acme.example")?.[1]).toMatch(
      /^privileged-roles: mallory\.held@acme\.example would gain ACCOUNT_ADMIN, .* --allow privileged-roles@/u,
    );
    expect(rowOf("Blocking findings", "team acc-1/indus")?.[1]).toMatch(
      /^team-without-founder: Indus cannot be founded/u,
    );
  });

  test("that nothing is left out but reasons", () => {
    expect(under("By person").length).toBe(129);
    expect(plan.text.split("\n").filter((line) => line.startsWith("… "))).toEqual([
      expect.stringMatching(/^… \d+ of them are left out: `roster plan` on a terminal tells all$/u),
    ]);
    expect(new TextEncoder().encode(plan.text).length).toBeLessThan(60_000);
  });
});
