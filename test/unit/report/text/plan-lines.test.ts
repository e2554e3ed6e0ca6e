import { describe, expect, test } from "vitest";
import { createdByThisPlan, declared, observed, recorded, unknown } from "../../../../src/model/fact.ts";
import type { Plan } from "../../../../src/model/plan.ts";
import { type Paint, plain, type ReadSummary } from "../../../../src/report/outcome.ts";
import { renderPlan } from "../../../../src/report/render-plan.ts";
import { aReplacement, person, teamRef } from "../../../support/action-builders.ts";
import { samplePlan, sampleReading } from "../../../support/report-samples.ts";

const nothing: Plan = { ...samplePlan, actions: [], findings: [], calls: { reads: 1, writes: 0, atMost: 0 } };
const notices = samplePlan.findings.filter((finding) => !finding.blocking);

test("a plan is read from top to bottom: what was read, what is done and why, what cannot be, how much it is", () => {
  expect(renderPlan(samplePlan, { paint: plain, reading: sampleReading })).toBe(`\
Plan for https://accounts.acme.example
Read at 2026-11-20T06:00:00.000Z with 7 requests. People the roster does not name were not read.
The service does not show the roles of keys.

Privileged roles
  ! Ada@acme.example (Ada Lovelace) holds ACCOUNT_ADMIN for a moment on the key in Data Science  teams.yaml:3:5

Team Data Science (new, administered by Ada@acme.example): 1 person, up to 2 calls
  + Ada@acme.example (Ada Lovelace): new, founds the team, ACCOUNT_ADMIN for a moment, then exactly DEVELOPER  people/ada.yaml:3:5 (+1)

Team Platform (t-42): 2 people, 3 calls, 2 mails
  + cy@acme.example (Cy Young): new, added with a mail, roles as the service gives them   people/cy.yaml:3:5 (+1)
  + bo@acme.example: added with a mail, -ACCOUNT_ADMIN (privileged) +TEAM_ROLE, keeps DEVELOPER  teams.yaml:13:7 (+1)

People and keys outside of these teams: 1 key, 1 call
  ~ key proj99: -DEVELOPER, no roles are left (before as recorded at 2026-11-01T08:00:00.000Z)

Findings: 1 blocking finding, 1 notice
  ! team acc-1/sales: team-without-founder                                                teams.yaml:20:5
      Team Sales cannot be founded: it competes with team Ops for one new user, dee@acme.example,
      and each team needs a new user of its own; make the team by hand and give its identifier, or
      add a new user
      see also teams.yaml:31:5
        users:
          - email: founder@acme.example
            firstName: First
  ! user ada@acme.example: privilege-for-a-moment (notice)                                teams.yaml:3:5
      The key carries ACCOUNT_ADMIN until its roles are made exact

Plan: 2 users to create (1 founds a team), 1 team gains members, 3 keys get other roles.
2 people-in-team additions send a mail. 6 calls, at most 7.
1 blocking finding, 1 notice.
`);
});

describe("where nothing is to be done, the last line says", () => {
  test.each([
    ["that the service agrees", nothing, "No changes. The service agrees with the roster."],
    ["the same beside notices", { ...nothing, findings: notices }, "No changes. The service agrees with the roster."],
    [
      "that findings remain",
      { ...nothing, findings: samplePlan.findings },
      "No changes. 1 blocking finding remains, which no call can correct.",
    ],
  ] as const)("%s", (_sentence, plan, last) => {
    expect(renderPlan(plan, { paint: plain }).trimEnd().split("\n").at(-1)).toBe(last);
  });
});

test("where nothing of what was selected is to be done, the last line speaks of that alone", () => {
  expect(renderPlan(nothing, { paint: plain, selected: true })).toContain(
    "No changes. The service agrees with the selected part of the roster; the rest was not compared.",
  );
});

describe("where nothing is to be done and guards hold something, the last line says", () => {
  const [other] = samplePlan.findings.filter(({ blocking }) => blocking);
  if (other === undefined) throw new Error("no blocking finding");
  const held = { ...other, allow: ["protected@0123456789abcdef"] };
  test.each([
    ["that a guard does", [held], "1 blocking finding remains, which a guard holds."],
    ["that guards do", [held, held], "2 blocking findings remain, which guards hold."],
    ["how many they hold", [held, other, other], "3 blocking findings remain, of which guards hold 1."],
  ] as const)("%s", (_sentence, findings, last) => {
    const text = renderPlan({ ...nothing, findings }, { paint: plain });
    expect(text.trimEnd().split("\n").at(-1)).toBe(`No changes. ${last}`);
  });
});

describe("a replacement of roles, as one of the calls, shows", () => {
  const prefix = { of: "prefix", prefix: observed("p1", "search 1"), team: teamRef("Ops", "t-1") } as const;
  test.each([
    [
      "why the roles before are not known",
      aReplacement("r", prefix, ["A"], { owner: person("ada") }),
      [
        "  1. ~ roles of ada@acme.example's key in Ops (p1)  ",
        "      = exactly A",
        "        roles before not known: not shown",
      ],
    ],
    [
      "that a key comes to hold nothing",
      aReplacement("r", prefix, []),
      ["  1. ~ roles of key in Ops (p1)  ", "      = no roles", "        roles before not known: not shown"],
    ],
    [
      "roles that stay as they are",
      aReplacement("r", prefix, ["A"], { before: observed(["A"], "search 1"), unlessExact: true }),
      ["  1. ~ roles of key in Ops (p1)  ", "        A", "      not sent if the key turns out to have these roles"],
    ],
  ])("%s", (_sentence, action, expected) => {
    const plan = { ...nothing, actions: [{ ...action, because: [] }] };
    const lines = renderPlan(plan, { paint: plain, view: "calls" }).split("\n");
    expect(lines.slice(3, -4)).toEqual(expected.map((line) => line.trimEnd()));
  });
});

describe("the head says of the people", () => {
  test.each([
    ["that all were read", { read: "complete", by: "list" }, "Everyone was read."],
    [
      "why the list is not whole",
      { read: "incomplete", why: "page 3 failed" },
      "The list of users is not complete: page 3 failed.",
    ],
  ] as const)("%s", (_sentence, everyone, words) => {
    const reading: ReadSummary = { ...sampleReading, everyone };
    expect(renderPlan(nothing, { paint: plain, reading }).split("\n")[1]).toBe(
      `Read at 2026-11-20T06:00:00.000Z with 1 request. ${words}`,
    );
  });
});

test("colours mark what is added, changed, taken away and alarming", () => {
  const bracketed: Paint = (ink, text) => `<${ink}>${text}</${ink}>`;
  const text =
    renderPlan(samplePlan, { paint: bracketed }) + renderPlan(samplePlan, { paint: bracketed, view: "calls" });
  for (const painted of [
    "  <add>+</add> Ada@acme.example (Ada Lovelace): new",
    "  <alarm>!</alarm> Ada@acme.example (Ada Lovelace) holds ACCOUNT_ADMIN for a moment",
    "  <change>~</change> key proj99: <remove>-DEVELOPER</remove>",
    "<alarm>-ACCOUNT_ADMIN (privileged)</alarm> <add>+TEAM_ROLE</add>, <dim>keeps DEVELOPER</dim>",
    "  1. <add>+</add> create user Ada@acme.example",
    "<alarm>! Ada@acme.example holds ACCOUNT_ADMIN for a moment",
    "  4. <change>~</change> roles of bo@acme.example's key",
    "<remove>- ACCOUNT_ADMIN</remove>",
    "<dim>  DEVELOPER</dim>",
    "<add>+ TEAM_ROLE</add>",
    "  <alarm>!</alarm> team acc-1/sales: <alarm>team-without-founder</alarm>",
  ]) {
    expect(text).toContain(painted);
  }
});

test("an action says which of its facts were recorded, given or not known, and nothing of those that were read", () => {
  const [creation] = samplePlan.actions;
  if (creation === undefined) throw new Error("the sample has no action");
  const restsOn = [
    { about: "user a", fact: observed("absent", "search 1") },
    { about: "member a of team t", fact: recorded("added", "2026-11-01T08:00:00.000Z") },
    { about: "prefix of a key of a", fact: declared("k-1", { file: "roster.yaml", line: 4, column: 3 }) },
    { about: "member b of team t", fact: unknown<string>(createdByThisPlan) },
    { about: "member c of team t", fact: unknown<string>("a person says that they are not in the team") },
    { about: "roles of key k-2", fact: unknown<string>("hidden") },
  ];
  const text = renderPlan({ ...samplePlan, actions: [{ ...creation, restsOn }], findings: [] }, { paint: plain });
  expect(text.split("\n").filter((line) => /recorded|says|not known|not read/u.test(line))).toEqual([
    "      as recorded at 2026-11-01T08:00:00.000Z: member a of team t: added",
    "      as roster.yaml:4:3 says: prefix of a key of a: k-1",
    "      not known: member c of team t: a person says that they are not in the team",
    "      and 1 more fact that was not read",
  ]);
});
