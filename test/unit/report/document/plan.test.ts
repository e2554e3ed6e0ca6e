import { describe, expect, test } from "vitest";
import { createdByThisPlan, declared, decodeSubject, observed, recorded, unknown } from "../../../../src/model/fact.ts";
import type { Action, Plan } from "../../../../src/model/plan.ts";
import type { ReadSummary } from "../../../../src/model/snapshot.ts";
import { roleSet } from "../../../../src/model/values.ts";
import { renderMarkdown } from "../../../../src/report/markdown/markdown.ts";
import { type Paint, plain, type ViewName } from "../../../../src/report/outcome.ts";
import { renderPlan } from "../../../../src/report/text/text.ts";
import {
  aCreation,
  anAddition,
  aPlan,
  aReplacement,
  newPerson,
  person,
  rolesOfAdded,
  teamRef,
} from "../../../support/action-builders.ts";
import { companyPlan } from "../../../support/company-plan.ts";
import { samplePlan, sampleReading } from "../../../support/report-samples.ts";

const nothing: Plan = { ...samplePlan, actions: [], findings: [], calls: { reads: 1, writes: 0, atMost: 0 } };
const notices = samplePlan.findings.filter((finding) => finding.kind === "notice");

test("a plan is read from top to bottom: what is privileged, what is done and why, what is left to a person, what was read, how much it is", () => {
  expect(renderPlan(samplePlan, { paint: plain, reading: sampleReading })).toBe(`\
Plan for https://accounts.acme.example

Privileged roles (2)
  A saved plan does not show other keys of the same users.
  + Ada@acme.example (Ada Lovelace): has ACCOUNT_ADMIN for a short time on the key in Data Science  teams.yaml:3:5
  - bo@acme.example: loses ACCOUNT_ADMIN on the key in Platform (12pref1x121)             teams.yaml:5:5

Team Data Science (new, admin Ada@acme.example): 1 person, 1–2 calls
  + Ada@acme.example (Ada Lovelace): new, first member, ACCOUNT_ADMIN for a short time, then gets DEVELOPER  people/ada.yaml:3:5 (+1)

Team Platform (t-42): 2 people, 3 calls, 2 mails
  + cy@acme.example (Cy Young): new, invited by mail, roles chosen by the service         people/cy.yaml:3:5 (+1)
  ~ bo@acme.example:            invited by mail, -ACCOUNT_ADMIN (privileged) +TEAM_ROLE, keeps DEVELOPER  teams.yaml:13:7 (+1)

Keys outside these teams: 1 key, 1 call
  - key proj99: -DEVELOPER, no roles left (before: recorded at 2026-11-01T08:00:00.000Z)

Tasks (1)
  ! team acc-1/sales: cannot-create-team                                                  teams.yaml:20:5
      Team Sales cannot be created: it competes with team Ops for one new user, dee@acme.example,
      and each team needs a new user of its own; make the team by hand and give its identifier, or
      add a new user
      see also teams.yaml:31:5
        users:
          - email: new@acme.example
            firstName: First

Notices (1)
  ! user ada@acme.example: temporary-privilege (notice)                                   teams.yaml:3:5
      The key carries ACCOUNT_ADMIN until its roles are made exact

Read at 2026-11-20T06:00:00.000Z with 7 requests. Users outside the roster were not read.
The service does not show the roles of keys.

Privileged roles: give to 1 key for a short time and remove from 1 key.
Plan: create 2 users and 1 team, invite 2 members to 1 team, change the roles of 3 keys.
2 mails. 5–6 calls. Plan ID 9f8e.
1 task, 1 notice.
`);
});

describe("where nothing is to be done, the last line says", () => {
  test.each([
    ["that the service agrees", nothing, "No changes. The service matches the roster."],
    ["the same beside notices", { ...nothing, findings: notices }, "No changes. The service matches the roster."],
    [
      "that findings remain",
      { ...nothing, findings: samplePlan.findings },
      "Nothing to apply. 1 task is left for a person.",
    ],
  ] as const)("%s", (_sentence, plan, last) => {
    expect(renderPlan(plan, { paint: plain }).trimEnd().split("\n").at(-1)).toBe(last);
  });
});

test("where nothing of what was selected is to be done, the last line speaks of that alone", () => {
  expect(renderPlan(nothing, { paint: plain, selected: true })).toContain(
    "No changes. The service matches the selected part of the roster. The rest was not compared.",
  );
});

describe("where nothing is to be done and something can be allowed, it is said, with the whole command", () => {
  const [other] = samplePlan.findings.filter(({ kind }) => kind === "task");
  if (other === undefined) throw new Error("no blocking finding");
  const held = { ...other, allow: ["renamed-team:red#0123456789ab"] };
  const also = { ...other, allow: ["refused:k1#0123456789ab"] };
  test.each([
    [
      "of one",
      [held],
      "Nothing to apply. 1 task is left for a person. It can be allowed with a flag.",
      "it",
      "renamed-team:red",
    ],
    [
      "of two",
      [held, also],
      "Nothing to apply. 2 tasks are left for a person. All can be allowed with a flag.",
      "both exceptions",
      "renamed-team:red refused:k1",
    ],
    [
      "of some",
      [held, other, other],
      "Nothing to apply. 3 tasks are left for a person. 1 of the 3 can be allowed with a flag.",
      "it",
      "renamed-team:red",
    ],
  ] as const)("%s", (_sentence, findings, remain, what, guards) => {
    const text = renderPlan({ ...nothing, findings }, { paint: plain });
    const flags = guards.split(" ").map((guard) => `--allow ${guard}#0123456789ab`);
    expect(text.trimEnd().split("\n").slice(-4)).toEqual([
      remain,
      "",
      `To allow ${what}:`,
      `  roster apply ${flags.join(" ")}`,
    ]);
  });
});

describe("the head says of the people", () => {
  test.each([
    ["that all were read", { read: "complete", by: "list" }, "All users were read."],
    [
      "why the list is not whole",
      { read: "incomplete", why: "page 3 failed" },
      "The list of users is incomplete: page 3 failed.",
    ],
  ] as const)("%s", (_sentence, everyone, words) => {
    const reading: ReadSummary = { ...sampleReading, everyone };
    expect(renderPlan(nothing, { paint: plain, reading }).split("\n")[2]).toBe(
      `Read at 2026-11-20T06:00:00.000Z with 1 request. ${words}`,
    );
  });
});

test("colours mark what is added, changed, taken away and alarming", () => {
  const bracketed: Paint = (ink, text) => `<${ink}>${text}</${ink}>`;
  const text =
    renderPlan(samplePlan, { paint: bracketed }) + renderPlan(samplePlan, { paint: bracketed, view: "calls" });
  for (const painted of [
    "  <alarm>+</alarm> Ada@acme.example (Ada Lovelace): new",
    "  <alarm>+</alarm> Ada@acme.example (Ada Lovelace): has <alarm>ACCOUNT_ADMIN</alarm> for a short time",
    "  <remove>-</remove> key proj99: <remove>-DEVELOPER</remove>",
    "<alarm>-ACCOUNT_ADMIN (privileged)</alarm> <add>+TEAM_ROLE</add>, <dim>keeps DEVELOPER</dim>",
    "  <add>+</add> 1. create user Ada@acme.example",
    "<alarm>! Ada@acme.example has ACCOUNT_ADMIN for a short time",
    "  <change>~</change> 4. replace the roles of bo@acme.example's key",
    "<remove>-ACCOUNT_ADMIN</remove> <add>+TEAM_ROLE</add>, <dim>keeps DEVELOPER</dim>",
    "  <alarm>!</alarm> team acc-1/sales: <alarm>cannot-create-team</alarm>",
  ]) {
    expect(text).toContain(painted);
  }
});

test("an action says which of its facts were recorded, given or not known, and nothing of those that were read", () => {
  const [creation] = samplePlan.actions;
  if (creation === undefined) throw new Error("the sample has no action");
  const restsOn = [
    { about: decodeSubject("user a"), fact: observed("absent", "search 1") },
    { about: decodeSubject("member a of team t"), fact: recorded("added", "2026-11-01T08:00:00.000Z") },
    {
      about: decodeSubject("prefix of a key of a"),
      fact: declared("k-1", { file: "roster.yaml", line: 4, column: 3 }),
    },
    { about: decodeSubject("member b of team t"), fact: unknown<string>(createdByThisPlan) },
    {
      about: decodeSubject("member c of team t"),
      fact: unknown<string>("a person says that they are not in the team"),
    },
    { about: decodeSubject("roles of key k-2"), fact: unknown<string>("hidden") },
    { about: decodeSubject("roles of key k-3"), fact: unknown<string>("hidden") },
  ];
  const text = renderPlan({ ...samplePlan, actions: [{ ...creation, restsOn }], findings: [] }, { paint: plain });
  expect(text.split("\n").filter((line) => /recorded|\(from |a person|not read/u.test(line))).toEqual([
    "      member a of team t: added (recorded at 2026-11-01T08:00:00.000Z)",
    "      prefix of a key of a: k-1 (from roster.yaml:4:3)",
    "      member c of team t is unknown: a person says that they are not in the team",
    "      and 2 more facts that were not read",
  ]);
});

const ops = teamRef("Ops", "t-1");
const had = (...roles: readonly string[]) => observed(roleSet(roles), "search 1");

/** What stands between the head and the summary. */
function shown(
  actions: readonly Action[],
  view: ViewName = "teams",
  privileged = ["ACCOUNT_ADMIN"],
): readonly string[] {
  const text = renderPlan(aPlan(actions), { paint: plain, view, privilegedRoles: roleSet(privileged) });
  return text.split("\n").slice(2, text.split("\n").lastIndexOf("") - 3);
}

const withoutPlaces = (lines: readonly string[]) => lines.map((line) => line.replace(/ {2,}roster\.yaml:.*$/u, ""));

const many = Array.from({ length: 60 }, (_, index) => `p${index + 1}`);
const crowd = [anAddition(ops, many.map(newPerson)), ...many.map((name) => rolesOfAdded(name, ops, ["DEVELOPER"]))];

describe("by teams and people", () => {
  test("many to whom the same happens are told in one breath, with their number", () => {
    const lines = withoutPlaces(shown([...many.map((name) => aCreation(name)), ...crowd]));
    expect(lines.slice(0, 3)).toEqual([
      "Team Ops (t-1): 60 people, 121 calls, 60 mails",
      "  + 60 people, each: new, invited by mail, gets DEVELOPER",
      "      p1@acme.example (P1 Test), p2@acme.example (P2 Test), p3@acme.example (P3 Test),",
    ]);
    expect(lines.join(" ").replace(/ +/gu, " ")).toMatch(
      /p40@acme\.example \(P40 Test\), and 20 more: see `--view calls`/u,
    );
    expect(lines.length).toBe(16);
  });

  test("whoever is touched by a privileged role stands out of the many, above all else too", () => {
    const eve = [newPerson("eve"), ...many.map(newPerson)];
    const lines = withoutPlaces(
      shown([anAddition(ops, eve), ...crowd.slice(1), rolesOfAdded("eve", ops, ["ACCOUNT_ADMIN", "A"])]),
    );
    expect(lines.slice(0, 7)).toEqual([
      "Privileged roles (1)",
      "  A saved plan does not show other keys of the same users.",
      "  + eve@acme.example: gains ACCOUNT_ADMIN on the key in Ops",
      "",
      "Team Ops (t-1): 61 people, 62 calls, 61 mails",
      "  + eve@acme.example: invited by mail, gets ACCOUNT_ADMIN (privileged), A",
      "  + 60 people, each: invited by mail, gets DEVELOPER",
    ]);
  });

  test("sixty who gain a privileged role are sixty lines", () => {
    const gaining = many.map((name) => rolesOfAdded(name, ops, ["ACCOUNT_ADMIN"]));
    const lines = shown([anAddition(ops, many.map(newPerson)), ...gaining]);
    expect(lines.filter((line) => line.includes("invited by mail, gets ACCOUNT_ADMIN (privileged)")).length).toBe(60);
  });

  test("whoever loses a privileged role, or rests on what nobody read, is not folded away either", () => {
    const key = (name: string) => ({ of: "prefix", prefix: observed(`k-${name}`, "search 1"), team: ops }) as const;
    const losing = many.map((name) =>
      aReplacement(`r-${name}`, key(name), [], { before: had("ACCOUNT_ADMIN"), owner: person(name) }),
    );
    expect(shown(losing).filter((line) => line.includes("-ACCOUNT_ADMIN (privileged)")).length).toBe(60);
    const resting = many.map((name) => ({
      ...aReplacement(`r-${name}`, key(name), [], { before: had("A"), owner: person(name) }),
      restsOn: [
        {
          about: decodeSubject(`prefix of a key of ${name}`),
          fact: { known: "recorded", value: "k", at: "then" } as const,
        },
      ],
    }));
    expect(shown(resting).filter((line) => line.includes("(recorded at then)")).length).toBe(60);
  });

  test("outside of teams stand several keys of a leaver, and what they rest on once", () => {
    const actions = ["k1", "k2"].map((prefix) => ({
      ...aReplacement(prefix, { of: "prefix", prefix: observed(prefix, "search 1") }, [], {
        owner: person("ada"),
        before: had("A"),
      }),
      rule: "leaver-roles-removed" as const,
      restsOn: [
        {
          about: decodeSubject("user ada@acme.example"),
          fact: { known: "recorded", value: "a leaver", at: "then" } as const,
        },
      ],
    }));
    expect(withoutPlaces(shown(actions)).slice(1)).toEqual([
      "  - ada@acme.example (leaver): key k1 -A, no roles left; key k2 -A, no roles left",
      "      user ada@acme.example: a leaver (recorded at then)",
    ]);
  });

  test("wide characters take two columns, so that places stay aligned", () => {
    const ada = { ...aCreation("ada"), user: { email: "ada@acme.example", firstName: "田中", lastName: "愛子" } };
    expect(shown([ada, aCreation("bo")]).slice(1)).toEqual([
      "  + ada@acme.example (田中 愛子): new in acc-1  roster.yaml:1:3",
      "  + bo@acme.example (Bo Test):    new in acc-1  roster.yaml:1:3",
    ]);
  });
});

test("as calls each has a number, and says after which others it runs", () => {
  const people = ["a", "b", "c", "d"];
  const actions = [...people.map((name) => aCreation(name)), anAddition(ops, people.map(newPerson))];
  const lines = withoutPlaces(shown([...actions, rolesOfAdded("a", ops, ["A"])], "calls"));
  expect(lines.filter((line) => /^ +[+~] \d+\./u.test(line))).toEqual([
    "  + 1. create user a@acme.example (A Test) in acc-1",
    "  + 2. create user b@acme.example (B Test) in acc-1",
    "  + 3. create user c@acme.example (C Test) in acc-1",
    "  + 4. create user d@acme.example (D Test) in acc-1",
    "  + 5. add 4 people to team Ops (t-1), 4 mails, after 1-4",
    "  ~ 6. replace the roles of a@acme.example's key in Ops, after 5",
  ]);
  expect([lines[0], ...lines.slice(-2)]).toEqual([
    "Calls in their order (6)",
    '      PUT access-keys/<prefix of this key>/roles ["A"]',
    "      gets A",
  ]);
});

test("how many calls a plan makes is the same in its text, its team and its heading in Markdown", () => {
  const all = { command: "plan", exitCode: 0, diagnostics: [], plan: companyPlan(1) } as const;
  const counts = (plan: Plan) =>
    new Set([renderPlan(plan, { paint: plain }), renderMarkdown({ ...all, plan })].join("\n").match(/[\d–]+ calls?/gu));
  expect(counts(all.plan)).toEqual(new Set(["21 calls"]));
  const inexact = all.plan.actions.map((one) => (one.kind === "replace-roles" ? { ...one, ifInexact: true } : one));
  expect(counts({ ...all.plan, actions: inexact })).toEqual(new Set(["11–21 calls"]));
});
