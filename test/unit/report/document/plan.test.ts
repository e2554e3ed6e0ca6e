import { describe, expect, test } from "vitest";
import { createdByThisPlan, declared, decodeSubject, observed, recorded, unknown } from "../../../../src/model/fact.ts";
import type { Finding } from "../../../../src/model/finding.ts";
import type { Action, Plan } from "../../../../src/model/plan.ts";
import { roleSet } from "../../../../src/model/values.ts";
import { documentOf } from "../../../../src/report/document/document.ts";
import { plain, plainText } from "../../../../src/report/document/tree.ts";
import { renderMarkdown } from "../../../../src/report/markdown/markdown.ts";
import { viewNames } from "../../../../src/report/outcome.ts";
import { renderPlan } from "../../../../src/report/text/text.ts";
import * as build from "../../../support/action-builders.ts";
import { aCreation, anAddition, aPlan, aReplacement, newPerson, person } from "../../../support/action-builders.ts";
import { companyPlan } from "../../../support/company-plan.ts";
import { samplePlan, sampleReading } from "../../../support/report-samples.ts";

const ops = build.teamRef("Ops", "t-1");
const had = (...roles: readonly string[]) => observed(roleSet(roles), "search 1");

test("a plan is read from top to bottom: what is privileged, what is done and why, what is left to a person, what was read, how much it is", () => {
  expect(renderPlan(samplePlan, { paint: plain, reading: sampleReading })).toBe(`\
Plan for https://accounts.acme.example

Changes of privileged roles (2)
  The users below can have privileged roles on other keys. A saved plan does not show these keys.
  + Ada@acme.example (Ada Lovelace): has ACCOUNT_ADMIN for a short time on the key in Data Science  teams.yaml:3:5
  - bo@acme.example: loses ACCOUNT_ADMIN on the key 12pref1x121 in Platform               teams.yaml:5:5

Team Data Science (new, admin Ada@acme.example): changes for 1 person
  + Ada@acme.example (Ada Lovelace): new, created with the team (no mail), ACCOUNT_ADMIN for a short time, then gets DEVELOPER  people/ada.yaml:3:5

Team Platform (t-42): changes for 2 people, 2 mails
  + cy@acme.example (Cy Young): new, invited by mail, roles chosen by the service         people/cy.yaml:3:5
  ~ bo@acme.example:            invited by mail, -ACCOUNT_ADMIN (privileged) +TEAM_ROLE, keeps DEVELOPER  teams.yaml:13:7

Keys outside teams: changes for 1 key
  - key proj99: -DEVELOPER, no roles left (before: recorded at 2026-11-01T08:00:00.000Z)

Tasks (1)
  ! team acc-1/sales: cannot be created (cannot-create-team)                              teams.yaml:20:5
      Team Sales cannot be created: it competes with team Ops for one new user, dee@acme.example,
      and each team needs a new user of its own; make the team by hand and give its identifier, or
      add a new user
        users:
          - email: new@acme.example
            firstName: First

Notices (1)
  ! user ada@acme.example: privileged role for a short time (temporary-privilege, notice)  teams.yaml:3:5
      The key carries ACCOUNT_ADMIN until its roles are made exact

roster read the service at 2026-11-20T06:00:00.000Z. It did not read users outside the roster.
The service does not show the roles of keys.

Plan: create 2 users and 1 team, invite 2 members to 1 team, change the roles of 2 keys, set the
roles of 1 new key.
Privileged roles change on 2 keys.
2 mails, at most 6 calls. Plan ID 9f8e.
1 task, 1 notice.
`);
});

test("where nothing is to be done, the last lines say what is left, and no command allows all of it", () => {
  const nothing: Plan = { ...samplePlan, actions: [], findings: [], calls: { reads: 1, writes: 0, atMost: 0 } };
  const [other] = samplePlan.findings.filter(({ kind }) => kind === "task");
  if (other === undefined) throw new Error("no task");
  const [red, k1] = ["renamed-team:red#0123456789ab", "refused:k1#0123456789ab"];
  const held = { ...other, allow: [red], message: `It is held. To create Red, run \`roster apply --allow ${red}\`.` };
  const also = {
    ...other,
    allow: [k1],
    message: `To give k1 roles, run \`roster apply --allow ${red} --allow ${k1}\`.`,
  };
  const last = (findings: readonly Finding[], more = {}) => {
    const text = renderPlan({ ...nothing, findings }, { paint: plain, ...more });
    return text.slice(text.search(/^(?:No changes|Nothing to apply)/mu)).trimEnd();
  };
  expect(last(samplePlan.findings.filter(({ kind }) => kind === "notice"))).toBe("No changes. 1 notice.");
  expect(last([])).toBe("No changes. The service matches the roster.");
  expect(last([], { selected: true })).toBe(
    "No changes. The service matches the selected part of the roster. The rest was not compared.",
  );
  expect(last([other])).toBe("Nothing to apply. 1 task is left for a person.");
  expect(last([held])).toBe("Nothing to apply. 1 task is left for a person.");
  expect(last([held, also])).toBe("Nothing to apply. 2 tasks are left for a person.");
});

test("an action says which of its facts were recorded, given or not known, and nothing of those that were read", () => {
  const [creation] = samplePlan.actions;
  if (creation === undefined) throw new Error("the sample has no action");
  const restsOn = [
    { about: decodeSubject("user a"), ...observed("absent", "search 1") },
    { about: decodeSubject("member a of team t"), ...recorded("added", "2026-11-01T08:00:00.000Z") },
    {
      about: decodeSubject("prefix of a key of a"),
      ...declared("k-1", { file: "roster.yaml", line: 4, column: 3 }),
    },
    { about: decodeSubject("member b of team t"), ...unknown<string>(createdByThisPlan) },
    {
      about: decodeSubject("member c of team t"),
      ...unknown<string>("a person says that they are not in the team"),
    },
    { about: decodeSubject("roles of key k-2"), ...unknown<string>("hidden") },
    { about: decodeSubject("roles of key k-3"), ...unknown<string>("hidden") },
  ];
  const text = renderPlan({ ...samplePlan, actions: [{ ...creation, restsOn }], findings: [] }, { paint: plain });
  expect(text.split("\n").filter((line) => /recorded|log says|\(from |a person|not read/u.test(line))).toEqual([
    "      the log says: a in team t: added at 2026-11-01T08:00:00.000Z",
    "      prefix of a key of a: k-1 (from roster.yaml:4:3)",
    "      c in team t: a person says that they are not in the team",
    "      and 2 more facts that were not read",
  ]);
});

const many = Array.from({ length: 60 }, (_, index) => `p${index + 1}`);

/** What stands between the head and the summary, without places. */
function shown(actions: readonly Action[]): readonly string[] {
  const text = renderPlan(aPlan(actions), { paint: plain, privilegedRoles: roleSet(["ACCOUNT_ADMIN"]) });
  const lines = text.split("\n").slice(2, text.split("\n").lastIndexOf("") - 3);
  return lines.map((line) => line.replace(/ {2,}roster\.yaml:.*$/u, ""));
}

test("many to whom the same happens are told in one breath, with their number; a privileged role stands out of them", () => {
  const crowd = many.map((name) => build.rolesOfAdded(name, ops, ["DEVELOPER"]));
  const lines = shown([...many.map((name) => aCreation(name)), anAddition(ops, many.map(newPerson)), ...crowd]);
  expect([lines.length, ...lines.slice(0, 3)]).toEqual([
    16,
    "Team Ops (t-1): changes for 60 people, 60 mails",
    "  + 60 people, each: new, invited by mail, gets DEVELOPER",
    "      p1@acme.example (P1 Test), p2@acme.example (P2 Test), p3@acme.example (P3 Test),",
  ]);
  expect(lines.at(-1)).toMatch(/p40@acme\.example \(P40 Test\), and 20 more: see `--view calls`/u);
  const eve = build.rolesOfAdded("eve", ops, ["ACCOUNT_ADMIN", "A"]);
  expect(shown([anAddition(ops, ["eve", ...many].map(newPerson)), ...crowd, eve]).slice(0, 7)).toEqual([
    "Changes of privileged roles (1)",
    "  The users below can have privileged roles on other keys. A saved plan does not show these keys.",
    "  + eve@acme.example: gains ACCOUNT_ADMIN on the key in Ops",
    "",
    "Team Ops (t-1): changes for 61 people, 61 mails",
    "  + eve@acme.example: invited by mail, gets ACCOUNT_ADMIN (privileged), A",
    "  + 60 people, each: invited by mail, gets DEVELOPER",
  ]);
});

test("sixty who gain or lose a privileged role, or rest on what nobody read, are sixty lines", () => {
  const key = (name: string) => ({ of: "prefix", prefix: observed(`k-${name}`, "search 1"), team: ops }) as const;
  const put = (name: string, before: readonly string[]) =>
    aReplacement(`r-${name}`, key(name), [], { before: had(...before), owner: person(name) });
  const count = (actions: readonly Action[], text: string) =>
    shown(actions).filter((line) => line.includes(text)).length;
  const gaining = many.map((name) => build.rolesOfAdded(name, ops, ["ACCOUNT_ADMIN"]));
  expect(count([anAddition(ops, many.map(newPerson)), ...gaining], "mail, gets ACCOUNT_ADMIN (privileged)")).toBe(60);
  expect(
    count(
      many.map((name) => put(name, ["ACCOUNT_ADMIN"])),
      "-ACCOUNT_ADMIN (privileged)",
    ),
  ).toBe(60);
  const resting = many.map((name) => {
    const about = decodeSubject(`prefix of a key of ${name}`);
    return { ...put(name, ["A"]), restsOn: [{ about, ...recorded("k", "then") }] };
  });
  expect(count(resting, " the log says: ")).toBe(60);
});

test("how many calls a plan makes is the same in its text and in Markdown", () => {
  const all = { command: "plan", exitCode: 0, diagnostics: [], plan: companyPlan(1) } as const;
  const counts = (plan: Plan) =>
    new Set(
      [renderPlan(plan, { paint: plain }), renderMarkdown({ ...all, plan })]
        .join("\n")
        .match(/(?:at most )?\d+ calls?/gu),
    );
  expect(counts(all.plan)).toEqual(new Set(["21 calls"]));
  const inexact = all.plan.actions.map((one) => (one.kind === "replace-roles" ? { ...one, ifInexact: true } : one));
  expect(counts({ ...all.plan, actions: inexact })).toEqual(new Set(["at most 21 calls"]));
});

/** Each group of changes: its title, its people with what happens to them, and its calls. */
function groups(plan: Plan) {
  const { sections } = documentOf({ command: "plan", exitCode: 0, diagnostics: [], plan });
  const blocks = sections.flatMap((section) => (plainText(section.title ?? []) === "Changes" ? section.blocks : []));
  return blocks.flatMap((block) =>
    block.kind !== "entries"
      ? []
      : [
          {
            title: plainText(block.title ?? []),
            people: block.entries.map(({ mark, about, what }) => `${mark} ${plainText(about)}: ${plainText(what)}`),
            calls: [...new Set(block.entries.flatMap(({ actions }) => actions))],
          },
        ],
  );
}

test("somebody's creation stands under the team that it creates, wherever they are added before", () => {
  const plan = aPlan([
    anAddition(ops, [newPerson("ada")]),
    aCreation("ada", { createsTeam: "Red", admin: person("bo") }),
  ]);
  expect(groups(plan).map(({ title, calls }) => [title, calls])).toEqual([
    ["Team Ops (t-1): changes for 1 person, 1 mail", ["add-members:acc-1/ops"]],
    ["Team Red (new, admin bo@acme.example): changes for 1 person", ["create-user:ada@acme.example"]],
  ]);
});

const keyInOps = { of: "prefix", prefix: observed("p1", "search 1"), team: ops } as const;
const ownKey = { of: "prefix", prefix: observed("own1", "search 1") } as const;
const people = (...actions: readonly Action[]) => groups(aPlan(actions)).flatMap((group) => group.people);

describe("one line tells of a person", () => {
  test.each([
    ["an account with whatever its key comes with", [aCreation("ada")], "+ ada@acme.example (Ada Test): new in acc-1"],
    [
      "a first member's key that is made exact",
      [
        aCreation("ada", { createsTeam: "Red", roles: ["DEVELOPER"] }),
        build.rolesOfFirstMember("ada", build.newTeam("Red", "ada"), ["TEAM_ROLE"]),
      ],
      "+ ada@acme.example (Ada Test): new, created with the team (no mail), gets TEAM_ROLE",
    ],
    [
      "a first member's key that may carry more than was asked for",
      [aCreation("ada", { createsTeam: "Red", roles: ["DEVELOPER"] })],
      "+ ada@acme.example (Ada Test): new, created with the team (no mail), gets DEVELOPER and roles that the service adds",
    ],
    [
      "other roles, of which some stay",
      [aReplacement("r", keyInOps, ["A", "C"], { before: had("A", "B"), owner: person("bo") })],
      "~ bo@acme.example: -B +C, keeps A",
    ],
    [
      "roles on a key of which nobody knows what it had",
      [aReplacement("r", keyInOps, ["A"], { owner: person("bo") })],
      "~ bo@acme.example: gets exactly A (before unknown: not shown)",
    ],
    [
      "roles on a key whose roles are remembered",
      [aReplacement("r", ownKey, [], { before: recorded(["A"], "2026-11-01T08:00:00.000Z"), owner: person("bo") })],
      "- bo@acme.example: key own1: -A, no roles left (before: recorded at 2026-11-01T08:00:00.000Z)",
    ],
    [
      "roles on a key of nobody known",
      [aReplacement("r", ownKey, ["A"])],
      "~ key own1: gets exactly A (before unknown: not shown)",
    ],
  ] as const)("%s", (_sentence, actions, line) => {
    expect(people(...actions)).toEqual([line]);
  });
});

function privileged(plan: Plan, roles?: readonly string[]): readonly string[] {
  const more = roles === undefined ? {} : { privilegedRoles: roleSet(roles) };
  const { sections } = documentOf({ command: "plan", exitCode: 0, diagnostics: [], plan, ...more });
  return sections
    .filter(({ title }) => plainText(title ?? []).startsWith("Changes of privileged roles"))
    .flatMap(({ blocks }) => blocks.flatMap((block) => (block.kind === "entries" ? block.entries : [])))
    .map(({ mark, about, what }) => `${mark} ${plainText(about)}: ${plainText(what)}`);
}

test("whoever gains a privilege comes first, then who has one for a moment, then who loses one", () => {
  const roles = (name: string, held: readonly string[] | undefined, gets: readonly string[]) =>
    aReplacement(`r-${name}`, { of: "prefix", prefix: observed(`p-${name}`, "search 1") }, gets, {
      owner: person(name),
      ...(held === undefined ? {} : { before: had(...held) }),
    });
  const plan = aPlan([
    roles("loses", ["ACCOUNT_ADMIN"], []),
    roles("gains-none", ["A"], ["A", "B"]),
    roles("gains", [], ["PLATFORM_ADMIN"]),
    roles("perhaps", undefined, ["ACCOUNT_ADMIN"]),
    roles("keeps", ["ACCOUNT_ADMIN"], ["A", "ACCOUNT_ADMIN"]),
    ...samplePlan.actions,
  ]);
  expect(privileged(plan)).toEqual([
    "+ gains@acme.example: gains PLATFORM_ADMIN on the key p-gains",
    "+ perhaps@acme.example: gets (before unknown) ACCOUNT_ADMIN on the key p-perhaps",
    "+ ada@acme.example (Ada Lovelace): has ACCOUNT_ADMIN for a short time on the key in acc-1/data science",
    "- loses@acme.example: loses ACCOUNT_ADMIN on the key p-loses",
    "- bo@acme.example: loses ACCOUNT_ADMIN on the key 12pref1x121 in acc-1/platform",
  ]);
});

test("a role counts as privileged where this run says so", () => {
  const plan = aPlan([
    aReplacement("r1", keyInOps, ["A"], { before: had(), owner: person("bo") }),
    aReplacement("r2", ownKey, ["BILLING"], { before: had(), owner: person("cy") }),
  ]);
  expect(privileged(plan, roleSet(["BILLING"]))).toEqual(["+ cy@acme.example: gains BILLING on the key own1"]);
  expect(privileged(plan, roleSet([]))).toEqual([]);
});

test("a line of an addition belongs to the person whom it is about", () => {
  const because = [
    { file: "t.yaml", line: 1, column: 1, as: "team", name: "Ops" },
    { file: "t.yaml", line: 2, column: 1, as: "member", person: person("ada").address },
    { file: "t.yaml", line: 3, column: 1, as: "member", person: person("bo").address },
  ] as const;
  const plan = aPlan([{ ...anAddition(ops, [person("ada"), person("bo")]), because }]);
  const { sections } = documentOf({ command: "plan", exitCode: 0, diagnostics: [], plan }, "terminal");
  const entries = sections.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.kind === "entries" ? block.entries : [])),
  );
  expect(entries.map(({ place }) => place)).toEqual(["t.yaml:2:1", "t.yaml:3:1"]);
});

test.each(viewNames)("access that no call can take stands before other tasks, with --view %s", (view) => {
  const findings = [aTask("ada", "conflicting-roles"), aTask("ada", "leaver-remains"), aTask("bo", "leaver-remains")];
  const text = renderPlan({ ...aPlan([]), findings }, { paint: plain, view });
  expect(text.match(/(?<=\()[a-z-]+(?=\)$)/gmu)).toEqual(["leaver-remains", "leaver-remains", "conflicting-roles"]);
});

function aTask(name: string, code: Finding["code"]): Finding {
  return {
    kind: "task",
    code,
    fingerprint: name,
    subject: decodeSubject(`user ${name}@acme.example`),
    message: `${name} is there. Do it.`,
    because: [],
    restsOn: [],
  };
}
