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
  lines.push(...plan.text.split("\n").filter((line) => /^(?:[-+~] |@@ )/u.test(line)));
  plan.seen = readMarkdown(plan.text.slice(0, plan.text.indexOf("<details>")));
});

/** The items under the heading that begins so. */
function under(heading: string): readonly string[] {
  const [items] = [...plan.seen.items].flatMap(([title, found]) => (title.startsWith(heading) ? [found] : []));
  return items ?? [];
}

function lineOf(address: string): string | undefined {
  return lines.find((line) => line.slice(2).startsWith(address));
}

function taskOf(beginning: string): string | undefined {
  return under("Tasks").find((item) => item.startsWith(beginning));
}

describe("from the Markdown of a plan of two hundred calls alone a stranger learns", () => {
  test("how many calls it makes, whom it creates and how many mails it sends", () => {
    expect(plan.text.split("\n").slice(1, 7)).toEqual([
      expect.stringMatching(
        /^## Plan for `http:.*`: 56 new users, 4 new teams, 52 mails and role changes on 74 keys$/u,
      ),
      "",
      "- Plan: create 56 users and 4 teams, invite 52 members to 12 teams, change the roles of 74 keys, set the roles of 56 new keys.",
      "- **Privileged roles change on 2 keys.**",
      expect.stringMatching(/^- 52 mails, at most 198 calls\. Plan ID `[0-9a-f]{16}`\.$/u),
      "- 5 tasks.",
    ]);
  });

  test("who gains and who loses ACCOUNT_ADMIN, where, and which line asks for it", () => {
    expect(under("Changes of privileged roles")).toEqual([
      expect.stringMatching(
        /^\+ atlas\.aaa@acme\.example: gains ACCOUNT_ADMIN on the key \S+ in Atlas · roster\.yaml:\d+:\d+$/u,
      ),
      expect.stringMatching(
        /^- borealis\.bbb@acme\.example: loses ACCOUNT_ADMIN on the key \S+ in Borealis · roster\.yaml:/u,
      ),
    ]);
  });

  test("what somebody keeps who loses something", () => {
    expect(lineOf("borealis.bbb@acme.example")).toBe(
      "~ borealis.bbb@acme.example: -ACCOUNT_ADMIN (privileged), keeps DEVELOPER",
    );
  });

  test("which teams are new, who administers them, and who is mailed about them", () => {
    const title = (name: string) =>
      String.raw`^@@ Team ${name} \(new, admin ${name.toLowerCase()}\.aaa@acme\.example\): changes for 4 people, 3 mails @@$`;
    expect(lines.filter((line) => line.includes("(new, "))).toEqual(
      ["Fornax", "Gemini", "Hydra", "Perseus"].map((name) => expect.stringMatching(new RegExp(title(name), "u"))),
    );
  });

  test("what somebody new gets", () => {
    expect(lineOf("fornax.bbb@acme.example")).toBe(
      "+ fornax.bbb@acme.example (Fornax Bbb): new, invited by mail, gets DEVELOPER",
    );
  });

  test("what a leaver loses", () => {
    expect(plan.text).toContain(
      "\n- gone.soon@acme.example (leaver): -DEVELOPER -TEAM_ROLE, no roles left\n  note in the roster: HR-812\n",
    );
  });

  test("who still holds access that the roster denies, and what to do about it", () => {
    const held = under("Tasks");
    expect(held.slice(0, 2).map((item) => item.split(":")[0])).toEqual([
      "user gone.soon@acme.example",
      "member stray.cat@acme.example of team acc-1/cygnus",
    ]);
    expect(held[1]).toContain(
      "roster cannot remove a member. If stray.cat@acme.example must not be in Cygnus, remove the member in the web interface of the service",
    );
  });

  test("why somebody is not created, and what lets it pass", () => {
    expect(taskOf("user emil.nordd@acme.example")).toMatch(
      /: .*\(near-duplicate\) .*emil\.nord@acme\.example.* --allow near-duplicate:emil\.\S+#[0-9a-f]{12}/u,
    );
  });

  test("why a role is not given, and why a team is not created", () => {
    expect(taskOf("user mallory.held@acme.example")).toMatch(
      /: .*\(privileged-roles\) .*mallory\.held@acme\.example would gain ACCOUNT_ADMIN .* --allow privileged-roles:mallory\.held@acme\.example#/u,
    );
    expect(taskOf("team acc-1/indus")).toMatch(
      /: .*\(cannot-create-team\) .*roster cannot create Indus: the API creates a team only together with a new user\./u,
    );
  });

  test("every change and every call, in at most 20 KB", () => {
    expect(lines.filter((line) => /^[-+~] \S+@acme\.example/u.test(line)).length).toBe(130);
    expect(plan.text.split("\n").filter((line) => line.startsWith("… "))).toEqual([]);
    expect(new TextEncoder().encode(plan.text).length).toBeLessThan(20_000);
  });
});
