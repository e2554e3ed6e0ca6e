import { describe, expect, test } from "vitest";
import { decodeSubject, observed } from "../../../../src/model/fact.ts";
import type { Finding } from "../../../../src/model/finding.ts";
import { disambiguatedTeamKey } from "../../../../src/model/team.ts";
import { roleSet } from "../../../../src/model/values.ts";
import { plain } from "../../../../src/report/document/tree.ts";
import { renderMarkdown } from "../../../../src/report/markdown/markdown.ts";
import { renderPlan } from "../../../../src/report/text/text.ts";
import {
  aCreation,
  anAddition,
  aPlan,
  aReplacement,
  newPerson,
  person,
  teamRef,
} from "../../../support/action-builders.ts";
import { readMarkdown } from "../../../support/read-markdown.ts";
import { outcome, samplePlan, sampleReading } from "../../../support/report-samples.ts";

test("a plan is told from what matters most to what is folded away", () => {
  const text = renderMarkdown(outcome({ exitCode: 2, plan: samplePlan, reading: sampleReading }));
  expect(text.split("\n").filter((line) => /^(?:#|<!|<d|- )/u.test(line))).toEqual([
    "<!-- roster:plan -->",
    "## Plan for `https://accounts.acme.example`: 2 new users, 1 new team, 2 mails and role changes on 2 keys",
    "- Plan: create 2 users and 1 team, invite 2 members to 1 team, change the roles of 2 keys, set the roles of 1 new key.",
    "- **Privileged roles change on 2 keys.**",
    "- 2 mails, at most 6 calls. Plan ID `9f8e`.",
    "- 1 task, 1 notice.",
    "### Changes of privileged roles (2)",
    "- `+` `Ada@acme.example` (`Ada Lovelace`): has **`ACCOUNT_ADMIN`** for a short time on the key in Data Science · `teams.yaml:3:5`",
    "- `-` `bo@acme.example`: loses **`ACCOUNT_ADMIN`** on the key `12pref1x121` in Platform · `teams.yaml:5:5`",
    "### Changes",
    "- key proj99: -DEVELOPER, no roles left (before: recorded at 2026-11-01T08:00:00.000Z)",
    "### Tasks (1)",
    "- `team acc-1/sales`: **cannot be created** (`cannot-create-team`) · `teams.yaml:20:5`",
    "<details><summary>Notices (1)</summary>",
    "- `user ada@acme.example`: privileged role for a short time (`temporary-privilege`, notice) · `teams.yaml:3:5`",
    "<details><summary>About this run</summary>",
    "- roster read the service at `2026-11-20T06:00:00.000Z`. It did not read users outside the roster.",
    "- The service does not show the roles of keys.",
    "- Exit code 2: there are changes to apply.",
  ]);
});

/** The lines of the diffs of a document, without the calls, which are folded away. */
function diffLines(text: string): readonly string[] {
  const open = text.split("<details><summary>Calls")[0] ?? "";
  return [...open.matchAll(/^```diff\n(?<lines>.*?)\n```$/gmsu)].flatMap(
    ({ groups }) => groups?.["lines"]?.split("\n") ?? [],
  );
}

const prefixed = (prefix: string, team?: ReturnType<typeof teamRef>) =>
  ({ of: "prefix", prefix: observed(prefix, "search 1"), ...(team === undefined ? {} : { team }) }) as const;
const had = (...roles: readonly string[]) => observed(roleSet(roles), "search 1");

describe("who gains or loses a privileged role", () => {
  const shown = (prefix: string, team: string) => ({
    address: person("ada").address,
    prefix,
    team,
    roles: roleSet(["ACCOUNT_ADMIN"]),
  });
  const owner = { owner: person("ada") };
  const ops = teamRef("Ops", "t-1");
  const gain = aReplacement("r1", prefixed("k1", ops), ["ACCOUNT_ADMIN"], { ...owner, before: had() });
  const loss = aReplacement("r2", prefixed("k2", ops), ["A"], { ...owner, before: had("ACCOUNT_ADMIN", "A") });

  test.each([
    ["has it nowhere else", [gain], [], ["gains ACCOUNT_ADMIN on the key k1 in Ops"]],
    [
      "has it on another key",
      [gain],
      [shown("k9", "Red")],
      ["gains ACCOUNT_ADMIN on the key k1 in Ops, and already has it on the key k9 in Red"],
    ],
    [
      "loses it there by the same plan",
      [gain, loss],
      [shown("k2", "Ops")],
      [
        "gains ACCOUNT_ADMIN on the key k1 in Ops, and already has it on the key k2 in Ops",
        "loses ACCOUNT_ADMIN on the key k2 in Ops",
      ],
    ],
    [
      "has it elsewhere and keeps it",
      [loss],
      [shown("k2", "Ops"), shown("k9", "Red")],
      ["loses ACCOUNT_ADMIN on the key k2 in Ops, and still has it on the key k9 in Red"],
    ],
    [
      "loses it on both keys that have it",
      [loss, aReplacement("r9", prefixed("k9"), [], { ...owner, before: had("ACCOUNT_ADMIN") })],
      [shown("k2", "Ops"), shown("k9", "Red")],
      ["loses ACCOUNT_ADMIN on the key k2 in Ops", "loses ACCOUNT_ADMIN on the key k9"],
    ],
    [
      "is somebody else than who has it",
      [gain],
      [{ ...shown("k9", "Red"), address: person("bo").address }],
      ["gains ACCOUNT_ADMIN on the key k1 in Ops"],
    ],
  ])("%s", (_sentence, actions, privileges, expected) => {
    const reading = { ...sampleReading, privileges };
    const { items } = readMarkdown(renderMarkdown(outcome({ plan: aPlan(actions), reading })));
    const told = items
      .get(`Changes of privileged roles (${expected.length})`)
      ?.map((item) => /: (.*) · /u.exec(item)?.[1]?.trim());
    expect(told).toEqual(expected);
  });

  test("is counted right behind all changes", () => {
    const first = (actions: Parameters<typeof aPlan>[0]) =>
      renderMarkdown(outcome({ plan: aPlan(actions), privilegedRoles: roleSet(["ACCOUNT_ADMIN"]) }))
        .split("\n")
        .slice(3, 5);
    expect(first([gain, loss])[1]).toBe("- **Privileged roles change on 2 keys.**");
    const unknown = aReplacement("r3", prefixed("k3"), ["ACCOUNT_ADMIN"], owner);
    expect(first([gain, unknown])[1]).toBe("- **Privileged roles change on 2 keys.**");
    expect(first([unknown])[1]).toBe("- **Privileged roles may change on 1 key.**");
    expect(first([aCreation("cy")])).toEqual(["- Plan: create 1 user.", "- No mails, 1 call. Plan ID `plan-1`."]);
  });
});

test("of two teams of one name in one account each says its identifier, in every view of people", () => {
  const twin = (identifier: string) => {
    return { ...teamRef("Ops", identifier), team: disambiguatedTeamKey("acc-1", "Ops", identifier) };
  };
  const [one, two] = [twin("t-1"), twin("t-2")];
  const gain = (id: string, team: typeof one) =>
    aReplacement(id, prefixed(id, team), ["B"], { owner: person("ada"), before: had("A") });
  const red = anAddition(teamRef("Red", "t-3"), [person("ada")]);
  const join = { ...anAddition(two, [person("ada")]), id: "join" };
  const plan = aPlan([gain("k1", one), gain("k2", two), red, join]);
  expect(diffLines(renderMarkdown(outcome({ plan }))).filter((line) => line.startsWith("@@"))).toEqual([
    "@@ Team Ops (t-1): changes for 1 person @@",
    "@@ Team Ops (t-2): changes for 1 person, 1 mail @@",
    "@@ Team Red (t-3): changes for 1 person, 1 mail @@",
  ]);
  expect(renderMarkdown(outcome({ plan, view: "calls" }))).toContain("invite 1 member to team Ops (t-2), 1 mail");
  expect(renderPlan(plan, { paint: plain }).match(/^Team .*?(?=:)/gmu)).toEqual([
    "Team Ops (t-1)",
    "Team Ops (t-2)",
    "Team Red (t-3)",
  ]);
});

describe("where there is no plan to show, the Markdown says why", () => {
  test("a roster that is none: with each place and its line", () => {
    const fault = {
      code: "unknown-key",
      severity: "error",
      message: "There is no key `frist`.",
      hint: "Did you mean `first`?",
      place: { file: "a.yaml", line: 3, column: 5 },
      excerpt: { line: "    frist: Ada", length: 5 },
    } as const;
    const text = renderMarkdown(outcome({ command: "validate", exitCode: 3, diagnostics: [fault] }));
    expect(text).toBe(`\
<!-- roster:validate -->
## roster validate: 1 error

### Errors (1)

- \`a.yaml:3:5\`: **\`error[unknown-key]\`**: There is no key \`frist\`.

  \`\`\`text
  3 |     frist: Ada
    |     ^^^^^
  \`\`\`

  hint: Did you mean \`first\`?
`);
  });

  test("guards that refuse it: each with its word", () => {
    const diagnostics = [{ code: "max-new-users", severity: "error", message: "Three would be created." }] as const;
    const problem = {
      code: "guard",
      message: "A guard refuses the plan",
      hint: "Read it first.",
      allow: ["max-new-users@3f2a"],
    };
    const text = renderMarkdown(outcome({ exitCode: 5, plan: samplePlan, diagnostics, problem }));
    expect(text).toContain("## Plan for `https://accounts.acme.example`: refused by guards\n");
    expect(text).toContain(`\
### Refused by guards

- **\`error[guard]\`**: A guard refuses the plan

  hint: Read it first.

- **\`error[max-new-users]\`**: Three would be created.
`);
    expect(text).toContain("### Changes\n");
  });

  test("a service that could not be read", () => {
    const problem = {
      code: "unreachable",
      message: "no answer",
      request: "GET /x",
      status: 503,
      serviceSays: "@all busy",
    };
    const text = renderMarkdown(outcome({ exitCode: 1, problem }));
    expect(text).toContain(
      "### Stopped\n\n- **`error[unreachable]`**: no answer\n\n  request: `GET /x` (status 503)\\\n  the service says: `@all busy`\n",
    );
  });
});

test("a title stands in the heading and in the marker", () => {
  const text = renderMarkdown(outcome({ title: "Production @eu", plan: samplePlan }));
  expect(text.split("\n").slice(0, 2)).toEqual([
    "<!-- roster:plan Production-eu -->",
    "## Plan for `https://accounts.acme.example` (Production `@eu`): 2 new users, 1 new team, 2 mails and role changes on 2 keys",
  ]);
});

describe("a document of any length", () => {
  const ops = teamRef("Ops", "t-1");
  const names = Array.from({ length: 3000 }, (_, index) => `person-${index + 1}`);
  const gain = aReplacement("r", { of: "prefix", prefix: observed("k1", "search 1") }, ["ACCOUNT_ADMIN"], {
    owner: person("eve"),
    before: observed(roleSet([]), "search 1"),
  });
  const great = aPlan([...names.map((name) => aCreation(name)), anAddition(ops, names.map(newPerson)), gain]);

  test("fits into a comment, with every count kept and the most important rows shown", () => {
    const text = renderMarkdown(outcome({ plan: great }));
    expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(60_000);
    expect(text.length).toBeLessThan(65_536);
    expect(readMarkdown(text).items.get("Changes of privileged roles (1)")?.[0]).toContain("eve@acme.example");
    expect(text).toContain("\n@@ Team Ops (t-1): changes for 3000 people, 3000 mails @@\n");
    expect(text).toContain("\n… and 2801 more lines\n");
  });

  test("shows who gains a privileged role, however many findings crowd in", () => {
    const finding: Finding = {
      kind: "task",
      code: "near-duplicate",
      fingerprint: "f",
      subject: decodeSubject("user x"),
      message: "x",
      because: [],
      restsOn: [],
    };
    const findings = Array.from({ length: 3000 }, () => finding);
    const text = renderMarkdown(outcome({ plan: { ...great, findings } }));
    expect(readMarkdown(text).items.get("Changes of privileged roles (1)")?.[0]).toContain("eve@acme.example");
    expect(text).toMatch(/\n… and \d{4} more: /u);
    expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(60_000);
  });

  test("shows the tasks below the changes, however many changes crowd in", () => {
    const teams = Array.from({ length: 60 }, (_, at) => teamRef(`Team ${at}`, `t-${at}`));
    const changes = teams.map((team) => anAddition(team, names.slice(0, 150).map(newPerson)));
    const tasks = samplePlan.findings.filter(({ kind }) => kind === "task");
    const findings = Array.from({ length: 30 }, () => tasks).flat();
    const text = renderMarkdown(outcome({ plan: { ...aPlan(changes), findings } }));
    expect(text.indexOf("### Tasks (30)")).toBeGreaterThan(text.indexOf("### Changes"));
    expect(text).toMatch(/… and \d+ more: `roster plan` shows all/u);
    expect(readMarkdown(text).items.get("Tasks (30)")).toHaveLength(30);
  });

  test("bounds what one person alone fills", () => {
    const key = (at: number) => ({ of: "prefix", prefix: observed(`k-${"x".repeat(300)}-${at}`, "search 1") }) as const;
    const roles = Array.from({ length: 200 }, (_, at) => `ROLE_${"\u0007".repeat(50)}_${at}`);
    const one = Array.from({ length: 300 }, (_, at) =>
      aReplacement(`r${at}`, key(at), roles, { owner: person("ada") }),
    );
    const text = renderMarkdown(outcome({ plan: aPlan([...one, gain]) }));
    expect(diffLines(text).map((line) => line.slice(0, 30))).toEqual([
      "@@ Keys outside teams: changes",
      "~ ada@acme.example: key k-xxxx",
      "~ eve@acme.example: key k1: +A",
    ]);
    expect(text.split("\n").every((line) => line.length < 8000)).toBe(true);
  });
});
