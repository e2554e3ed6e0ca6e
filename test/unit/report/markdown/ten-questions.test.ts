import { beforeAll, describe, expect, test } from "vitest";
import { greatChange } from "../../../support/great-change.ts";
import { readMarkdown } from "../../../support/read-markdown.ts";

/** What a stranger sees of the Markdown of a plan of two hundred calls before anything is unfolded. */
const plan = { text: "", seen: readMarkdown("") };

/** The lines of the diffs. */
const lines: string[] = [];

beforeAll(async () => {
  const at = await greatChange();
  plan.text = (await at.run("plan", "--format", "markdown", "--detailed-exitcode")).stdout;
  await at.close();
  lines.push(...plan.text.split("\n").filter((line) => /^(?:[-+!] |@@ )/u.test(line)));
  plan.seen = readMarkdown(plan.text.slice(0, plan.text.indexOf("<details>")));
});

/** The rows under the heading that begins so. */
function under(heading: string): readonly (readonly string[])[] {
  const [rows] = [...plan.seen.tables].flatMap(([title, found]) => (title.startsWith(heading) ? [found] : []));
  return rows ?? [];
}

function lineOf(address: string): string | undefined {
  return lines.find((line) => line.slice(2).startsWith(address));
}

function rowOf(heading: string, beginning: string): readonly string[] | undefined {
  return under(heading).find(([first = ""]) => first.startsWith(beginning));
}

describe("from the Markdown of a plan of two hundred calls alone a stranger learns", () => {
  test("how many calls it makes, whom it creates and how many mails it sends", () => {
    expect(plan.text.split("\n").slice(1, 9)).toEqual([
      "## roster plan: up to 198 calls planned",
      "",
      "- **Exit code 2**: changes are pending",
      "- **Plan**: create 56 users and 4 teams, invite 52 members to 12 teams, change the roles of 130 keys",
      "- **Privileged roles** (`ACCOUNT_ADMIN`, `PLATFORM_ADMIN`, `SYSTEM_OWNER`): added to 1 key and removed from 1 key",
      "- **Mails**: 52",
      "- **Calls**: up to 198",
      "- **Findings**: 5 problems need manual action",
    ]);
  });

  test("who gains and who loses ACCOUNT_ADMIN, where, and which line asks for it", () => {
    expect(under("Privileged roles")).toEqual([
      ["atlas.aaa@acme.example", "gains ACCOUNT_ADMIN", "in Atlas", expect.stringMatching(/^roster\.yaml:\d+:\d+$/u)],
      ["borealis.bbb@acme.example", "loses ACCOUNT_ADMIN", "in Borealis", expect.stringMatching(/^roster\.yaml:/u)],
    ]);
  });

  test("what somebody keeps who loses something", () => {
    expect(lineOf("borealis.bbb@acme.example")).toBe(
      "- borealis.bbb@acme.example: -ACCOUNT_ADMIN (privileged), keeps DEVELOPER",
    );
  });

  test("which teams are new, who administers them, and who is mailed about them", () => {
    expect(lines.filter((line) => line.includes("(new, "))).toEqual(
      ["Fornax", "Gemini", "Hydra", "Perseus"].map(
        (name) => `@@ Team ${name} (new, admin ${name.toLowerCase()}.aaa@acme.example, 3 mails): 4 people @@`,
      ),
    );
  });

  test("what somebody new gets", () => {
    expect(lineOf("fornax.bbb@acme.example")).toBe(
      "+ fornax.bbb@acme.example (Fornax Bbb): new, invited by mail, exactly DEVELOPER",
    );
  });

  test("what a leaver loses", () => {
    expect(lineOf("gone.soon@acme.example")).toBe(
      "- gone.soon@acme.example (leaver): -DEVELOPER -TEAM_ROLE, no roles left (note: HR-812)",
    );
  });

  test("who still holds access that the roster denies, and what to do about it", () => {
    const held = under("Needs manual action");
    expect(held.slice(0, 2).map(([about]) => about)).toEqual([
      "user gone.soon@acme.example",
      "member stray.cat@acme.example of team acc-1/cygnus",
    ]);
    expect(held[1]?.[1]).toContain("The API cannot remove members. Remove them in the service");
  });

  test("why somebody is not created, and what lets it pass", () => {
    const told = rowOf("Needs manual action", "user emil.nordd@acme.example")?.[1];
    expect(told).toMatch(
      /^near-duplicate: .*emil\.nord@acme\.example.* --allow near-duplicate:emil\.\S+#[0-9a-f]{12}/u,
    );
  });

  test("why a role is not given, and why a team is not created", () => {
    expect(rowOf("Needs manual action", "user mallory.held@acme.example")?.[1]).toMatch(
      /^privileged-roles: mallory\.held@acme\.example would gain ACCOUNT_ADMIN .* --allow privileged-roles:mallory\.held@acme\.example#/u,
    );
    expect(rowOf("Needs manual action", "team acc-1/indus")?.[1]).toMatch(
      /^cannot-create-team: roster cannot create Indus: a new team needs one newly created user of its account as its first member\./u,
    );
  });

  test("every change and every call, in at most 20 KB", () => {
    expect(lines.filter((line) => /^[-+!] \S+@acme\.example/u.test(line)).length).toBe(130);
    expect(plan.text.split("\n").filter((line) => line.startsWith("… "))).toEqual([]);
    expect(new TextEncoder().encode(plan.text).length).toBeLessThan(20_000);
  });
});
