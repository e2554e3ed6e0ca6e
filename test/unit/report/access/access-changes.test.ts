import { describe, expect, test } from "vitest";
import type { Action } from "../../../../src/model/action.ts";
import { observed, recorded } from "../../../../src/model/fact.ts";
import type { Plan } from "../../../../src/model/plan.ts";
import { defaultPrivilegedRoles, type RoleSet, roleSet } from "../../../../src/model/role-set.ts";
import { type AccessChange, accessChanges, type PersonAccess } from "../../../../src/report/access/access-changes.ts";
import { privilegeSection } from "../../../../src/report/document/privileges.ts";
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
const keyInOps = { of: "prefix", prefix: observed("p1", "search 1"), team: ops } as const;
const ownKey = { of: "prefix", prefix: observed("own1", "search 1") } as const;
const had = (...roles: readonly string[]) => observed(roleSet(roles), "search 1");

function changes(...actions: readonly Action[]): readonly PersonAccess[] {
  return accessChanges(aPlan(actions));
}

function privilegedHolders(plan: Plan, privileged: RoleSet): readonly string[] {
  const { blocks } = privilegeSection("", { plan, privileged, shown: [], readings: undefined, run: undefined });
  const entries = blocks.flatMap((block) => (block.kind === "entries" ? block.entries : []));
  return entries.map(({ about }) => plainText(about));
}

/** Everybody's changes in a few words each. */
function inShort(accesses: readonly PersonAccess[]): readonly string[] {
  return accesses.map(({ who, changes: all }) => {
    const whose = who.is === "person" ? who.email : `key ${who.prefix}`;
    return `${whose}: ${all.map(short).join("; ")}`;
  });
}

function short(change: AccessChange): string {
  switch (change.is) {
    case "account":
      return `created in ${change.account}`;
    case "membership":
      return `${change.how} in ${change.team}`;
    case "roles": {
      const { key, gains, loses, keeps, forAMoment, after, before: from } = change;
      const of = key.of === "team-key" ? `key in ${key.team}` : key.of;
      const sets = [
        ...gains.map((role) => `+${role}`),
        ...loses.map((role) => `-${role}`),
        ...keeps.map((role) => `=${role}`),
        ...forAMoment.map((role) => `~${role}`),
      ];
      return [of, from.known, after, ...sets].join(" ");
    }
  }
}

describe("a plan gives and takes", () => {
  test.each([
    [
      "an account with whatever its key comes with",
      [aCreation("ada")],
      ["ada@acme.example: created in acc-1; own-key new-key whatever-comes"],
    ],
    [
      "an account whose own key the roster knows",
      [aCreation("ada"), rolesOfOwnKey("ada", ["DEVELOPER"])],
      ["ada@acme.example: created in acc-1; own-key new-key exactly +DEVELOPER"],
    ],
    [
      "a team with its first member, whose key is made exact",
      [
        aCreation("ada", { createsTeam: "Red", roles: ["DEVELOPER"] }),
        rolesOfFirstMember("ada", newTeam("Red", "ada"), ["TEAM_ROLE"]),
      ],
      ["ada@acme.example: created in acc-1; first-member in acc-1/red; key in acc-1/red new-key exactly +TEAM_ROLE"],
    ],
    [
      "a team with its first member, whose key may carry more than was asked for",
      [aCreation("ada", { createsTeam: "Red", roles: ["DEVELOPER"] })],
      ["ada@acme.example: created in acc-1; first-member in acc-1/red; key in acc-1/red new-key at-least +DEVELOPER"],
    ],
    [
      "a place in a team with the roles that the roster says",
      [anAddition(ops, [person("bo")]), rolesOfAdded("bo", ops, ["DEVELOPER"])],
      ["bo@acme.example: added in acc-1/ops; key in acc-1/ops new-key exactly +DEVELOPER"],
    ],
    [
      "a place in a team with whatever roles the service gives",
      [anAddition(ops, [person("bo")])],
      ["bo@acme.example: added in acc-1/ops; key in acc-1/ops new-key whatever-comes"],
    ],
    [
      "other roles, of which some stay",
      [aReplacement("r", keyInOps, ["A", "C"], { before: had("A", "B"), owner: person("bo") })],
      ["bo@acme.example: key in acc-1/ops observed exactly +C -B =A"],
    ],
    [
      "roles on a key of which nobody knows what it had",
      [aReplacement("r", keyInOps, ["A"], { owner: person("bo") })],
      ["bo@acme.example: key in acc-1/ops unknown exactly +A"],
    ],
    [
      "roles on a key whose roles are remembered",
      [aReplacement("r", ownKey, [], { before: recorded(["A"], "2026-11-01T08:00:00.000Z"), owner: person("bo") })],
      ["bo@acme.example: key recorded exactly -A"],
    ],
    ["roles on a key of nobody known", [aReplacement("r", ownKey, ["A"])], ["key own1: key unknown exactly +A"]],
  ] as const)("%s", (_sentence, actions, expected) => {
    expect(inShort(changes(...actions))).toEqual(expected);
  });
});

test("what happens to one person by several calls stands together", () => {
  const plan = [
    aCreation("ada", { createsTeam: "Red" }),
    aCreation("bo"),
    anAddition(ops, [newPerson("bo"), newPerson("ada")]),
    rolesOfAdded("ada", ops, ["DEVELOPER"]),
  ];
  expect(inShort(changes(...plan))).toEqual([
    "ada@acme.example: created in acc-1; first-member in acc-1/red; key in acc-1/red new-key at-least +TEAM_ROLE; " +
      "added in acc-1/ops; key in acc-1/ops new-key exactly +DEVELOPER",
    "bo@acme.example: created in acc-1; own-key new-key whatever-comes; added in acc-1/ops; key in acc-1/ops new-key whatever-comes",
  ]);
});

test("whoever gains a privilege comes first, then who has one for a moment, then who loses one", () => {
  const roles = (name: string, held: readonly string[] | undefined, gets: readonly string[]) =>
    aReplacement(`r-${name}`, { of: "prefix", prefix: observed(`p-${name}`, "search 1") }, gets, {
      owner: person(name),
      ...(held === undefined ? {} : { before: had(...held) }),
    });
  const plan = aPlan([
    roles("loses-privilege", ["ACCOUNT_ADMIN"], []),
    roles("gains", ["A"], ["A", "B"]),
    roles("gains-privilege", [], ["PLATFORM_ADMIN"]),
    roles("has-privilege-where-nobody-knows-since-when", undefined, ["ACCOUNT_ADMIN"]),
    roles("keeps-privilege", ["ACCOUNT_ADMIN"], ["A", "ACCOUNT_ADMIN"]),
    ...samplePlan.actions,
  ]);
  expect(privilegedHolders(plan, defaultPrivilegedRoles)).toEqual([
    "gains-privilege@acme.example",
    "has-privilege-where-nobody-knows-since-when@acme.example",
    "ada@acme.example (Ada Lovelace)",
    "loses-privilege@acme.example",
    "bo@acme.example",
  ]);
});

test("a role counts as privileged where this run says so", () => {
  const plan = aPlan([
    aReplacement("r1", keyInOps, ["A"], { before: had(), owner: person("bo") }),
    aReplacement("r2", ownKey, ["BILLING"], { before: had(), owner: person("cy") }),
  ]);
  expect(privilegedHolders(plan, roleSet(["BILLING"]))).toEqual(["cy@acme.example"]);
  expect(privilegedHolders(plan, roleSet([]))).toEqual([]);
});

test("a line of an addition belongs to the person whom it is about", () => {
  const because = [
    { file: "t.yaml", line: 1, column: 1, as: "team", name: "Ops" },
    { file: "t.yaml", line: 2, column: 1, as: "member", person: person("ada").address },
    { file: "t.yaml", line: 3, column: 1, as: "member", person: person("bo").address },
  ] as const;
  const [ada, bo] = changes({ ...anAddition(ops, [person("ada"), person("bo")]), because });
  expect([ada?.changes[0]?.because, bo?.changes[0]?.because]).toEqual([[because[1]], [because[2]]]);
});

test("a privilege for a moment is that of the first member's key, and of nobody else's", () => {
  const [ada] = accessChanges(samplePlan).filter(({ who }) => who.is === "person" && who.email === "Ada@acme.example");
  expect(ada?.who).toMatchObject({ name: "Ada Lovelace" });
  expect(ada?.changes.map(short)).toEqual([
    "created in acc-1",
    "first-member in acc-1/data science",
    "key in acc-1/data science new-key exactly +DEVELOPER ~ACCOUNT_ADMIN",
  ]);
});
