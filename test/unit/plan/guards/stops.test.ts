import { describe, expect, test } from "vitest";
import type { RecordedMembership } from "../../../../src/model/membership.ts";
import type { GuardSettings } from "../../../../src/model/policy.ts";
import type { State } from "../../../../src/model/state.ts";
import { teamKeyOf } from "../../../../src/model/team.ts";
import type { RecordedUser } from "../../../../src/model/user.ts";
import { stopsOf, withGuards } from "../../../support/guards.ts";
import { aState } from "../../../support/plan-inputs.ts";
import { addressOf, aKey, aLeaver, aRoster, aTeam, aUser } from "../../../support/roster-builders.ts";
import { snapshotOf } from "../../../support/simulated-snapshot.ts";
import { aWorld, aWorldOf, giveTeamKey, putTeam, putUser } from "../../../support/simulated-world.ts";
import { recordedAt, remembering } from "../../../support/state-builders.ts";
import type { Hidden } from "../../../support/visibility.ts";

function names(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `p${index + 1}`);
}

/** So many people in the team Red, whose keys carry these roles; the first is `p1`. */
function company(count: number, roles: readonly string[]) {
  const world = aWorld();
  const people = names(count).map((name) => putUser(world, { email: `${name}@acme.example`, lastName: "Test" }));
  putTeam(world, { name: "Red", identifier: "t-red", members: [] });
  const keys = people.map((person) => giveTeamKey(world, person, "t-red", roles).prefix);
  return { world, keys };
}

/** Everybody is to be in Red with these roles, but for some. */
function rosterOf(count: number, roles: readonly string[], others: Readonly<Record<string, readonly string[]>> = {}) {
  return aRoster({
    users: names(count).map((name) => aUser(name, { firstName: "Ada" })),
    teams: [aTeam("Red", { members: names(count).map((user) => ({ user, roles: others[user] ?? roles })) })],
  });
}

interface Scene {
  readonly has: readonly string[];
  readonly wants: readonly string[];
  readonly others?: Readonly<Record<string, readonly string[]>>;
  readonly count?: number;
  readonly state?: (keys: readonly string[]) => State;
  readonly hides?: readonly Hidden[] | undefined;
}

function told(guards: Partial<GuardSettings>, { has, wants, others, count = 4, state, hides = [] }: Scene) {
  const { world, keys } = company(count, has);
  const roster = rosterOf(count, wants, others);
  const snapshot = snapshotOf(world, { roster, hides });
  return stopsOf({ roster, snapshot, state: state?.(keys), policy: withGuards(guards) });
}

describe("max-new-users", () => {
  const roster = aRoster({ users: names(12).map((name) => aUser(name)) });

  test.each([
    [
      "one more than may be",
      11,
      [
        "max-new-users: The plan would create 12 users. At most 11 are allowed: p10@acme.example, " +
          "p11@acme.example, p12@acme.example, p1@acme.example, p2@acme.example, p3@acme.example, " +
          "p4@acme.example, p5@acme.example, p6@acme.example, p7@acme.example and 2 more.",
      ],
    ],
    ["as many as may be", 12, []],
    ["no bound", "off" as const, []],
  ])("%s", (_, maxNewUsers, stops) => {
    expect(stopsOf({ roster, policy: withGuards({ maxNewUsers }) })).toEqual(stops);
  });

  test("one person is told as one", () => {
    const one = aRoster({ users: [aUser("bo")] });
    expect(stopsOf({ roster: one, policy: withGuards({ maxNewUsers: 0 }) })).toEqual([
      "max-new-users: The plan would create 1 user. At most 0 are allowed: bo@acme.example.",
    ]);
  });

  test("whoever is held does not count", () => {
    const mixed = aRoster({ users: [aUser("bo"), aUser("cy@other.example")] });
    const policy = withGuards({ maxNewUsers: 1, allowedEmailDomains: ["acme.example"] });
    expect(stopsOf({ roster: mixed, policy })).toEqual([]);
  });
});

describe("max-invitations", () => {
  const world = aWorld();
  const people = names(3).map((name) => putUser(world, { email: `${name}@acme.example`, lastName: "Test" }));
  putTeam(world, { name: "Red", identifier: "t-red", members: people.slice(0, 1) });
  putTeam(world, { name: "Blue", identifier: "t-blue", members: people.slice(0, 1) });
  const roster = aRoster({
    users: names(3).map((name) => aUser(name, { firstName: "Ada" })),
    teams: [aTeam("Red", { members: names(3) }), aTeam("Blue", { members: names(3) })],
  });

  test.each([
    [
      "one more than may be, a person in two teams counting twice",
      3,
      [
        "max-invitations: The plan would send 4 mails. At most 3 are allowed. Mails for each team: 2 to Red and 2 to Blue.",
      ],
    ],
    ["as many as may be", 4, []],
    ["no bound", "off" as const, []],
  ])("%s", (_, maxInvitations, stops) => {
    expect(
      stopsOf({ roster, snapshot: snapshotOf(world, { roster }), policy: withGuards({ maxInvitations }) }),
    ).toEqual(stops);
  });
});

test("max-invitations tells one mail as one", () => {
  const world = aWorldOf({ users: { root: {} }, teams: { Red: { identifier: "t-red", members: ["root"] } } });
  putUser(world, { email: "bo@acme.example", lastName: "Test" });
  const roster = aRoster({
    users: [aUser("bo", { firstName: "Ada" })],
    teams: [aTeam("Red", { identifier: "t-red", members: ["bo"] })],
  });
  const policy = withGuards({ maxInvitations: 0 });
  expect(stopsOf({ roster, snapshot: snapshotOf(world, { roster }), policy })).toEqual([
    "max-invitations: The plan would send 1 mail. At most 0 are allowed. Mails for each team: 1 to Red.",
  ]);
});

describe("max-role-removals", () => {
  const guards = { maxRoleRemovals: { ratio: 0.5, floor: 1 } };
  const has = ["AUDITOR", "DEVELOPER"];

  test("more than the share of the keys whose roles are known", () => {
    const others = { p1: has };
    expect(told(guards, { has, wants: ["DEVELOPER"], others })).toEqual([
      "max-role-removals: 3 of 4 keys with known roles would lose roles (75 %). At most 2 are allowed: " +
        "p2@acme.example (key k10), p3@acme.example (key k11) and p4@acme.example (key k12).",
    ]);
  });

  test.each([
    ["no more than the share", { has, wants: ["DEVELOPER"], others: { p1: has, p2: has } }, guards],
    ["no more than the floor", { has, wants: ["DEVELOPER"] }, { maxRoleRemovals: { ratio: 0, floor: 4 } }],
    ["keys that gain roles", { has: ["DEVELOPER"], wants: has }, guards],
    ["keys whose roles nobody knows", { has, wants: ["DEVELOPER"], hides: ["roles"] }, guards],
    ["no bound", { has, wants: ["DEVELOPER"] }, { maxRoleRemovals: "off" }],
  ] satisfies [string, Scene, Partial<GuardSettings>][])("%s", (_, scene, settings) => {
    expect(told(settings, scene)).toEqual([]);
  });

  type Known = (keys: readonly string[]) => State;
  const people = (keys: readonly string[], of: (key: string) => Partial<RecordedUser>) =>
    remembering({ users: Object.fromEntries(keys.map((key, index) => [`p${index + 1}`, of(key)])) });
  const places = (keys: readonly string[], parts: Partial<RecordedMembership> = {}) =>
    Object.fromEntries(keys.map((prefix, index) => [`Red/p${index + 1}`, { prefix, ...parts }]));
  const exact = (keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, has]));
  const createdTeam = teamKeyOf("acc-1", "Red");

  test.each<[string, Known, number, (readonly Hidden[])?]>([
    [
      "that our additions gave do not count before they are made exact",
      (keys) => remembering({ members: places(keys) }),
      0,
    ],
    [
      "that our creations gave do not count before they are made exact",
      (keys) => people(keys, (key) => ({ createdAt: recordedAt, key, createdTeam })),
      0,
    ],
    [
      "that were seen in a team, not given by us, count",
      (keys) => remembering({ members: places(keys, { how: "seen" }) }),
      1,
    ],
    [
      "that were met as somebody's own, not given by us, count",
      (keys) => people(keys, (key) => ({ seenAt: recordedAt, key })),
      1,
    ],
    ["that were made exact once count again", (keys) => remembering({ members: places(keys), keys: exact(keys) }), 1],
    [
      "whose roles are hidden carry what our last replacement gave",
      (keys) => remembering({ keys: exact(keys) }),
      1,
      ["roles"],
    ],
  ])("keys %s", (_, state, stops, hides) => {
    expect(told(guards, { has, wants: ["DEVELOPER"], state, hides })).toHaveLength(stops);
  });
});

describe("min-admins", () => {
  const has = ["ACCOUNT_ADMIN", "DEVELOPER"];
  const guards = { minAdmins: { role: "ACCOUNT_ADMIN", count: 2 } };

  test("fewer than so many keep the role", () => {
    expect(told(guards, { has, wants: ["DEVELOPER"], others: { p1: has } })).toEqual([
      "min-admins: The plan removes ACCOUNT_ADMIN from p2@acme.example, p3@acme.example and " +
        "p4@acme.example. After that, only 1 (p1@acme.example) of those that were read would have it. At least " +
        "2 must have it.",
    ]);
  });

  test("nobody keeps it", () => {
    expect(told(guards, { has, wants: [] })[0]).toContain("After that, no user of those that were read would have it.");
  });

  test.each([
    ["so many keep it", { has, wants: ["DEVELOPER"], others: { p1: has, p2: has } }],
    ["nobody loses it, however few there are", { has: ["DEVELOPER"], wants: ["AUDITOR"] }],
  ])("not where %s", (_, scene) => {
    expect(told(guards, scene)).toEqual([]);
  });

  test("whoever is barred is no administrator", () => {
    const { world } = company(3, has);
    for (const user of world.users.slice(1)) user.status = "inactive";
    putUser(world, { email: "p4@acme.example", lastName: "Test" });
    giveTeamKey(world, world.users.at(-1) ?? putUser(world, { email: "x@acme.example" }), "t-red", has);
    const roster = rosterOf(4, has, { p4: ["DEVELOPER"] });
    expect(stopsOf({ roster, snapshot: snapshotOf(world, { roster }), policy: withGuards(guards) })[0]).toContain(
      "removes ACCOUNT_ADMIN from p4@acme.example. After that, only 1 (p1@acme.example) of those that were read would have it",
    );
  });

  test("a key that the plan gives counts as well", () => {
    const { world } = company(2, has);
    const users = [...rosterOf(2, has).users.values(), aUser("new")];
    const members = [
      { user: "p1", roles: has },
      { user: "p2", roles: ["DEVELOPER"] },
      { user: "new", roles: has },
    ];
    const roster = aRoster({ users, teams: [aTeam("Red", { members })] });
    expect(stopsOf({ roster, snapshot: snapshotOf(world, { roster }), policy: withGuards(guards) })).toEqual([]);
  });
});

describe("required-admins", () => {
  const has = ["ACCOUNT_ADMIN", "DEVELOPER"];
  const guards = { requiredAdmins: [addressOf("p1"), addressOf("p2")] };

  test("one of them loses the last role that administers", () => {
    expect(told(guards, { has, wants: ["DEVELOPER"], others: { p1: ["PLATFORM_ADMIN"] } })).toEqual([
      "required-admins: The plan would remove the last privileged role of p2@acme.example. " +
        "`guards.required-admins` lists them.",
    ]);
  });

  test("one of them may lose it, where the service shows no roles", () => {
    const { world } = company(2, has);
    for (const user of world.users) user.keys.splice(0, 1);
    const roster = rosterOf(2, ["DEVELOPER"], { p2: has });
    const snapshot = snapshotOf(world, { roster, hides: ["roles"] });
    expect(stopsOf({ roster, snapshot, policy: withGuards(guards) })[0]).toContain(
      "remove the last privileged role of p1@acme.example.",
    );
  });

  test.each([
    ["others lose it", { has, wants: ["DEVELOPER"], others: { p1: has, p2: has } }],
    ["they have none to lose", { has: ["DEVELOPER"], wants: ["AUDITOR"] }],
  ])("not where %s", (_, scene) => {
    expect(told(guards, scene)).toEqual([]);
  });

  test("not where another key of theirs keeps one", () => {
    const { world } = company(2, has);
    for (const {
      keys: [own],
    } of world.users)
      if (own !== undefined) own.roles = ["ACCOUNT_ADMIN"];
    const roster = rosterOf(2, ["DEVELOPER"]);
    expect(stopsOf({ roster, snapshot: snapshotOf(world, { roster }), policy: withGuards(guards) })).toEqual([]);
  });
});

describe("empty-roster", () => {
  const { world } = company(2, []);
  const ada = { address: addressOf("ada"), email: "ada@acme.example" };
  const applied = { at: recordedAt, digest: "d", people: new Map([[ada.address, ada]]) };
  const nobody = aRoster({});

  test.each([
    [
      "the last applied one had people",
      { state: aState({ applied }) },
      "The roster has no users. The last applied roster had 1 user.",
    ],
    [
      "the state remembers people",
      { state: remembering({ users: { ada: {} } }) },
      "The roster has no users. The state has 1 user.",
    ],
    [
      "the service shows people",
      { snapshot: snapshotOf(world, { roster: nobody }) },
      "The roster has no users. The service shows 2 users.",
    ],
  ])("no users, while %s", (_, parts, message) => {
    expect(stopsOf({ roster: nobody, policy: withGuards({}), ...parts })).toEqual([`empty-roster: ${message}`]);
  });

  test("a roster of keys alone has lost nobody", () => {
    const roster = aRoster({ keys: [aKey("p1", { roles: [] })] });
    expect(stopsOf({ roster, snapshot: snapshotOf(world, { roster }) })).toEqual([]);
  });

  test("a roster of keys alone has, where the last applied one had people", () => {
    const roster = aRoster({ keys: [aKey("p1", { roles: [] })] });
    expect(stopsOf({ roster, state: aState({ applied }) })).toHaveLength(1);
  });

  const alone = aRoster({ leavers: [aLeaver("ada")] });

  test.each([
    ["in the last applied one", { state: aState({ applied }) }],
    ["in the state", { state: remembering({ users: { ada: {} } }) }],
    ["in the service, with others whom no run knows", { snapshot: snapshotOf(world, { roster: alone }) }],
  ])("a roster of leavers alone has lost nobody where it names whoever was %s", (_, parts) => {
    expect(stopsOf({ roster: alone, ...parts })).toEqual([]);
  });

  test("a roster of leavers alone has lost whomever it does not name", () => {
    const roster = aRoster({ leavers: [aLeaver("bo")] });
    expect(stopsOf({ roster, state: aState({ applied }) })).toEqual([
      "empty-roster: The roster has no users. The last applied roster had 1 user, not counting leavers.",
    ]);
  });

  test("where nobody is known, an empty roster is one to begin with", () => {
    expect(stopsOf({ roster: nobody })).toEqual([]);
  });
});

describe("incomplete-snapshot", () => {
  const everyone = { read: "incomplete", why: "page 2 repeats page 1" } as const;

  function cut(count: number, wants: readonly string[] = ["AUDITOR"]) {
    const { world } = company(2, ["DEVELOPER"]);
    const roster = rosterOf(count, wants);
    const snapshot = snapshotOf(world, { roster, everyone });
    const absences = new Map(
      [...snapshot.absences.keys()].map((address) => [address, { proven: false, why: "cut" } as const]),
    );
    return stopsOf({ roster, snapshot: { ...snapshot, absences }, policy: withGuards({}) });
  }

  test("of more than the share of people it is not known whether they are there", () => {
    expect(cut(5)).toEqual([
      "incomplete-snapshot: For 3 of 5 users of the roster, no read shows if they exist: p3@acme.example, " +
        "p4@acme.example and p5@acme.example. The list of users is incomplete: page 2 repeats page 1. The " +
        "plan would still run 2 actions.",
    ]);
  });

  test.each([
    ["of no more than the share", () => cut(4)],
    ["nothing is left to do", () => cut(5, ["DEVELOPER"])],
  ])("not where %s", (_, stops) => {
    expect(stops()).toEqual([]);
  });
});
