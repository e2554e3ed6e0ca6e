import { describe, expect, test } from "vitest";
import { observed, recorded } from "../../../../src/model/fact.ts";
import type { Action, Plan } from "../../../../src/model/plan.ts";
import { type RoleSet, roleSet } from "../../../../src/model/values.ts";
import { documentOf } from "../../../../src/report/document/document.ts";
import { plainText } from "../../../../src/report/document/tree.ts";
import {
  aCreation,
  anAddition,
  aPlan,
  aReplacement,
  newPerson,
  newTeam,
  person,
  rolesOfAdded,
  rolesOfFirstMember,
  rolesOfOwnKey,
  teamRef,
} from "../../../support/action-builders.ts";
import { samplePlan } from "../../../support/report-samples.ts";

const ops = teamRef("Ops", "t-1");
const red = newTeam("Red", "ada");

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

test("a plan is told team by team with their people, then by people outside of teams", () => {
  const plan = aPlan([
    aCreation("ada", { createsTeam: "Red" }),
    aCreation("bo"),
    aCreation("cy"),
    rolesOfOwnKey("cy", ["DEVELOPER"]),
    anAddition(ops, [person("dee"), newPerson("bo")]),
    anAddition(red, [newPerson("bo")]),
    rolesOfFirstMember("ada", red, ["TEAM_ROLE"]),
    rolesOfAdded("bo", red, ["TEAM_ROLE"]),
    aReplacement("own", { of: "prefix", prefix: observed("p1", "search 1") }, [], { owner: person("dee") }),
  ]);
  expect(groups(plan)).toEqual([
    {
      title: "Team Red (new, admin ada@acme.example): 2 people, 4 calls, 1 mail",
      people: [
        "+ ada@acme.example (Ada Test): new, first member, gets TEAM_ROLE",
        "+ bo@acme.example (Bo Test): invited by mail, gets TEAM_ROLE",
      ],
      calls: [
        "create-user:ada@acme.example",
        "replace-roles:acc-1/red ada@acme.example",
        "add-members:acc-1/red",
        "replace-roles:acc-1/red bo@acme.example",
      ],
    },
    {
      title: "Team Ops (t-1): 2 people, 2 calls, 2 mails",
      people: [
        "+ bo@acme.example (Bo Test): new, invited by mail, roles chosen by the service",
        "+ dee@acme.example: invited by mail, roles chosen by the service",
      ],
      calls: ["create-user:bo@acme.example", "add-members:acc-1/ops"],
    },
    {
      title: "New users and keys outside these teams: 2 people, 3 calls",
      people: [
        "+ cy@acme.example (Cy Test): new in acc-1, own key gets DEVELOPER",
        "~ dee@acme.example: key p1 no roles (before unknown: not shown)",
      ],
      calls: ["create-user:cy@acme.example", "replace-roles:cy@acme.example", "own"],
    },
  ]);
});

test("somebody's creation stands under the team that it creates, wherever they are added before", () => {
  const plan = aPlan([
    anAddition(ops, [newPerson("ada")]),
    aCreation("ada", { createsTeam: "Red", admin: person("bo") }),
  ]);
  expect(groups(plan).map(({ title, calls }) => [title, calls])).toEqual([
    ["Team Ops (t-1): 1 person, 1 call, 1 mail", ["add-members:acc-1/ops"]],
    ["Team Red (new, admin bo@acme.example): 1 person, 1 call", ["create-user:ada@acme.example"]],
  ]);
});

const keyInOps = { of: "prefix", prefix: observed("p1", "search 1"), team: ops } as const;
const ownKey = { of: "prefix", prefix: observed("own1", "search 1") } as const;
const had = (...roles: readonly string[]) => observed(roleSet(roles), "search 1");
const people = (...actions: readonly Action[]) => groups(aPlan(actions)).flatMap((group) => group.people);

describe("one line tells of a person", () => {
  test.each([
    ["an account with whatever its key comes with", [aCreation("ada")], "+ ada@acme.example (Ada Test): new in acc-1"],
    [
      "a first member's key that is made exact",
      [
        aCreation("ada", { createsTeam: "Red", roles: ["DEVELOPER"] }),
        rolesOfFirstMember("ada", newTeam("Red", "ada"), ["TEAM_ROLE"]),
      ],
      "+ ada@acme.example (Ada Test): new, first member, gets TEAM_ROLE",
    ],
    [
      "a first member's key that may carry more than was asked for",
      [aCreation("ada", { createsTeam: "Red", roles: ["DEVELOPER"] })],
      "+ ada@acme.example (Ada Test): new, first member, gets DEVELOPER and roles that the service adds",
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
      "- bo@acme.example: key own1 -A, no roles left (before: recorded at 2026-11-01T08:00:00.000Z)",
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

function privileged(plan: Plan, roles?: RoleSet): readonly string[] {
  const more = roles === undefined ? {} : { privilegedRoles: roles };
  const { sections } = documentOf({ command: "plan", exitCode: 0, diagnostics: [], plan, ...more });
  return sections
    .filter(({ title }) => plainText(title ?? []).startsWith("Privileged roles"))
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
    "- bo@acme.example: loses ACCOUNT_ADMIN on the key in acc-1/platform (12pref1x121)",
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
