import { describe, expect, test } from "vitest";
import { reasonAt } from "../../../../src/model/fact.ts";
import { decodeSubject } from "../../../../src/model/subject.ts";
import { teamKeyOf } from "../../../../src/model/team.ts";
import { type Circumstances, deeds, outcome, planFor } from "../../../support/plan-words.ts";
import { anyDigest } from "../../../support/refusal-builders.ts";
import {
  addressOf,
  aKey,
  aRoster,
  aTeam,
  aUser,
  type MemberWish,
  at as place,
  type UserWish,
} from "../../../support/roster-builders.ts";
import {
  aWorld,
  giveTeamKey,
  newKey,
  putTeam,
  putUser,
  type World,
  type WorldUser,
} from "../../../support/simulated-world.ts";
import { recordedAt, remembering } from "../../../support/state-builders.ts";

const put = (prefix: string, setRoles: readonly string[], observedRoles?: readonly string[]) =>
  remembering({ keys: { [prefix]: { setRoles, observedRoles } } });

const member = (prefix?: string) => remembering({ members: { "Data/ada": { prefix } } });

interface Case extends Circumstances {
  /** Roles of the team key `k-team` in the world. */
  readonly has: readonly string[];
  readonly wants: readonly string[] | undefined;
  readonly member?: Partial<MemberWish>;
  readonly plans?: readonly string[];
}

const teamKeys: Readonly<Record<string, Case>> = {
  "that is as wanted, in whatever order, is left alone": {
    has: ["TEAM_ROLE", "DEVELOPER"],
    wants: ["DEVELOPER", "TEAM_ROLE"],
  },
  "that differs is replaced": { has: ["TEAM_ROLE"], wants: ["DEVELOPER"], plans: ["set k4 (observed) to DEVELOPER"] },
  "that is to hold nothing is emptied": { has: ["TEAM_ROLE"], wants: [], plans: ["set k4 (observed) to nothing"] },
  "that the roster does not manage is left alone": { has: ["TEAM_ROLE"], wants: undefined },
  "that the service changes by itself, as after our last replacement, is a notice": {
    has: ["TEAM_ROLE", "DEVELOPER"],
    wants: ["DEVELOPER"],
    state: put("k4", ["DEVELOPER"], ["DEVELOPER", "TEAM_ROLE"]),
    plans: ["roles-kept-by-service: service https://simulated.example"],
  },
  "that reads otherwise than after our last replacement is replaced": {
    has: ["AUDITOR", "DEVELOPER"],
    wants: ["DEVELOPER"],
    state: put("k4", ["DEVELOPER"], ["DEVELOPER", "TEAM_ROLE"]),
    plans: ["set k4 (observed) to DEVELOPER"],
  },
  "that we replaced with other roles is replaced": {
    has: ["DEVELOPER", "TEAM_ROLE"],
    wants: ["AUDITOR"],
    state: put("k4", ["DEVELOPER"], ["DEVELOPER", "TEAM_ROLE"]),
    plans: ["set k4 (observed) to AUDITOR"],
  },
  "whose roles are hidden, and as we put them, is left alone": {
    has: ["AUDITOR"],
    wants: ["DEVELOPER"],
    state: put("k4", ["DEVELOPER"]),
    hides: ["roles"],
  },
  "whose roles are hidden, and not as we put them, is replaced": {
    has: ["AUDITOR"],
    wants: ["DEVELOPER"],
    state: put("k4", ["AUDITOR"]),
    hides: ["roles"],
    plans: ["set k4 (observed) to DEVELOPER"],
  },
  "whose roles are hidden, and nothing recorded, is replaced": {
    has: ["DEVELOPER"],
    wants: ["DEVELOPER"],
    hides: ["roles"],
    plans: ["set k4 (observed) to DEVELOPER"],
  },
  "that is hidden is known by record": {
    has: [],
    wants: ["DEVELOPER"],
    state: member("k4"),
    member: { key: "k-declared" },
    hides: ["keys"],
    plans: ["set k4 (recorded) to DEVELOPER"],
  },
  "that is hidden and not recorded is known by the roster": {
    has: [],
    wants: ["DEVELOPER"],
    state: member(),
    member: { key: "k-declared" },
    hides: ["keys"],
    plans: ["set k-declared (declared) to DEVELOPER"],
  },
  "that nobody can name is told": {
    has: [],
    wants: ["DEVELOPER"],
    state: member(),
    hides: ["keys"],
    plans: ["! key-prefix-unknown: member ada@acme.example of team acc-1/data"],
  },
  "that nobody can name and the roster does not manage is nobody's matter": {
    has: [],
    wants: undefined,
    state: member(),
    hides: ["keys"],
  },
  "that wants a role which the service does not know is left alone": {
    has: ["TEAM_ROLE"],
    wants: ["DEVELOPER", "DEVELOPPER"],
    plans: ["! unknown-role: role DEVELOPPER"],
  },
  "that wants a role, where the service does not say which there are, is replaced": {
    has: ["TEAM_ROLE"],
    wants: ["DEVELOPPER"],
    seen: (snapshot) => ({ ...snapshot, roles: { known: "unknown", why: "not read" } }),
    plans: ["set k4 (observed) to DEVELOPPER"],
  },
  "of a team whose identifier is unknown is kept as well": {
    has: ["TEAM_ROLE"],
    wants: ["DEVELOPER"],
    hides: ["team-identifiers"],
    plans: ["set k4 (observed) to DEVELOPER", "! team-identifier-unknown: team acc-1/data"],
  },
};

describe("a team key", () => {
  test.each(Object.entries(teamKeys))("%s", (_, { has, wants, member: wish, ...rest }) => {
    const { plans = [], ...circumstances } = rest;
    const world = aWorld();
    const one = putUser(world, { email: "ada@acme.example", lastName: "Test" });
    putTeam(world, { name: "Data", identifier: "t-1" });
    world.handedOut = 3;
    giveTeamKey(world, one, "t-1", has);
    const roles = wants === undefined ? {} : { roles: wants };
    const identifier = circumstances.hides?.includes("keys") === true ? { identifier: "t-1" } : {};
    const wanted = aTeam("Data", { members: [{ user: "ada", ...wish }], ...roles, ...identifier });
    const roster = aRoster({ users: [aUser("ada")], teams: [wanted] });
    const plan = planFor(world, roster, circumstances);
    expect(outcome(plan)).toEqual(plans);
  });

  test("is replaced with all that is known of it", () => {
    const world = aWorld();
    const one = putUser(world, { email: "ada@acme.example", lastName: "Test" });
    putTeam(world, { name: "Data", identifier: "t-1", members: [one], roles: ["TEAM_ROLE"] });
    const roster = aRoster({
      users: [aUser("ada")],
      teams: [aTeam("Data", { members: ["ada"], roles: ["DEVELOPER"], line: 7 })],
    });
    expect(planFor(world, roster).actions).toEqual([
      {
        kind: "replace-roles",
        id: "replace-roles:k3",
        key: {
          of: "prefix",
          prefix: { known: "observed", value: "k3", by: "list" },
          address: "ada@acme.example",
          team: "acc-1/data",
        },
        before: { known: "observed", value: ["TEAM_ROLE"], by: "list" },
        roles: ["DEVELOPER"],
        ifInexact: false,
        rule: "roles-differ",
        because: [reasonAt(place(7), "member", { person: addressOf("ada") })],
        dependsOn: [],
        restsOn: [
          { about: decodeSubject("roles of key k3"), fact: { known: "observed", value: "TEAM_ROLE", by: "list" } },
        ],
        request: anyDigest,
      },
    ]);
  });

  test("that this plan gives is made exact, unless its answer shows that it is", () => {
    const world = aWorld();
    putUser(world, { email: "bo@acme.example", firstName: "Bo", lastName: "Test" });
    const roster = aRoster({
      users: [aUser("ada"), aUser("bo")],
      teams: [aTeam("Data", { members: ["ada", "bo"], roles: ["DEVELOPER"] })],
    });
    const plan = planFor(world, roster);
    expect(deeds(plan)).toEqual([
      "create ada creating Data with DEVELOPER",
      "add bo to Data after create-user:ada@acme.example",
      "set key of ada in Data to DEVELOPER after create-user:ada@acme.example",
      "set key of bo in Data to DEVELOPER after add-members:acc-1/data",
    ]);
    expect(plan.actions.filter((action) => action.kind === "replace-roles").map((action) => action.ifInexact)).toEqual([
      true,
      true,
    ]);
    expect(plan.calls).toEqual({ reads: 3, writes: 3, atMost: 4 });
  });
});

interface OwnCase extends Circumstances {
  readonly world?: (world: World, one: WorldUser) => void;
  readonly user?: UserWish;
  readonly plans?: readonly string[];
}

const ownUnknown = ["! key-prefix-unknown: user ada@acme.example"];
const createdUser = { createdAt: recordedAt, key: "k-own" };

const ownKeys: Readonly<Record<string, OwnCase>> = {
  "is the only one without a team": { plans: ["set k2 (observed) to DEVELOPER"] },
  "is not a project key, nor one that is gone": {
    world: (world, one) => {
      one.keys.push(newKey(world, { kind: "project", roles: [], isDefault: false }));
      one.keys.push({ ...newKey(world, { kind: "user", roles: [], isDefault: true }), status: "deleted" });
    },
    plans: ["set k2 (observed) to DEVELOPER"],
  },
  "is the default one among several": {
    world: (world, one) => {
      one.keys.push(newKey(world, { kind: "user", roles: [], isDefault: false }));
    },
    plans: ["set k2 (observed) to DEVELOPER"],
  },
  "is not guessed among several": {
    world: (world, one) => {
      one.keys.push(newKey(world, { kind: "user", roles: [], isDefault: true }));
    },
    plans: ownUnknown,
  },
  "is not a key whose team and kind are hidden": {
    seen: (snapshot) => ({ ...snapshot, users: snapshot.users.map((user) => ({ ...user, keys: [{ prefix: "k2" }] })) }),
    plans: ownUnknown,
  },
  "is known by record where keys are hidden": {
    state: remembering({ users: { ada: createdUser } }),
    hides: ["keys"],
    plans: ["set k-own (recorded) to DEVELOPER"],
  },
  "is not the recorded key of whoever created a team": {
    state: remembering({ users: { ada: { ...createdUser, createdTeam: teamKeyOf("acc-1", "Data") } } }),
    hides: ["keys"],
    plans: ownUnknown,
  },
  "is known by the roster where nothing else tells": {
    user: { key: "k-declared" },
    hides: ["keys"],
    plans: ["set k-declared (declared) to DEVELOPER"],
  },
};

describe("a user's own key", () => {
  test.each(Object.entries(ownKeys))("%s", (_, { world: change, user, ...rest }) => {
    const { plans = [], ...circumstances } = rest;
    const world = aWorld();
    const one = putUser(world, { email: "ada@acme.example", lastName: "Test" });
    change?.(world, one);
    const roster = aRoster({ users: [aUser("ada", { ownKeyRoles: ["DEVELOPER"], ...user })] });
    const plan = planFor(world, roster, circumstances);
    expect(outcome(plan)).toEqual(plans);
  });

  test("is made exact after a creation", () => {
    const roster = aRoster({ users: [aUser("ada", { ownKeyRoles: ["DEVELOPER"] })] });
    expect(deeds(planFor(aWorld(), roster))).toEqual([
      "create ada",
      "set own key of ada to DEVELOPER after create-user:ada@acme.example",
    ]);
  });
});

interface ListedCase extends Circumstances {
  readonly prefix?: string;
  readonly owner?: string | undefined;
  readonly roles?: readonly string[];
  readonly plans?: readonly string[];
}

describe("a key by its prefix", () => {
  const cases: Readonly<Record<string, ListedCase>> = {
    "that differs is replaced": { plans: ["set k-project (observed) to DEVELOPER"] },
    "that is as wanted is left alone": { roles: ["AUDITOR"] },
    "is found without its owner": { owner: undefined, plans: ["set k-project (observed) to DEVELOPER"] },
    "that is not among its owner's keys is unknown": { prefix: "K-PROJECT", plans: ["! unknown-key: key K-PROJECT"] },
    "that is among nobody's keys is unknown": {
      prefix: "K-PROJECT",
      owner: undefined,
      plans: ["! unknown-key: key K-PROJECT"],
    },
    "that may be somebody's whose keys were not read is replaced": {
      prefix: "k-elsewhere",
      owner: undefined,
      everyone: { read: "not-read" },
      plans: ["set k-elsewhere (declared) to DEVELOPER"],
    },
    "of an owner who is still to be created is unknown": {
      prefix: "k-new",
      owner: "cy",
      plans: ["create cy", "! unknown-key: key k-new"],
    },
    "that is somebody else's is left alone": { owner: "bo", plans: ["! key-owner-differs: key k-project"] },
    "of an owner whose keys are hidden is replaced": {
      hides: ["keys"],
      plans: ["set k-project (declared) to DEVELOPER"],
    },
    "that is also a user's own key with other roles is left alone": {
      prefix: "k2",
      plans: ["! conflicting-roles: key k2"],
    },
    "that is also a user's own key with the same roles is one action": {
      prefix: "k2",
      roles: ["AUDITOR"],
      plans: ["set k2 (observed) to AUDITOR"],
    },
  };

  test.each(Object.entries(cases))("%s", (_, { prefix = "k-project", roles = ["DEVELOPER"], ...rest }) => {
    const { owner = "owner" in rest ? undefined : "ada", plans = [], ...circumstances } = rest;
    const world = aWorld();
    const one = putUser(world, { email: "ada@acme.example", lastName: "Test" });
    one.keys.push({ ...newKey(world, { kind: "project", roles: ["AUDITOR"], isDefault: false }), prefix: "k-project" });
    putUser(world, { email: "bo@acme.example", firstName: "Bo", lastName: "Test" });
    const ownKeyRoles = prefix === "k2" ? { ownKeyRoles: ["AUDITOR"] } : {};
    const users = [aUser("ada", ownKeyRoles), aUser("bo"), ...(owner === "cy" ? [aUser("cy")] : [])];
    const key = aKey(prefix, { roles, owner });
    const plan = planFor(world, aRoster({ users, keys: [key] }), circumstances);
    expect(outcome(plan)).toEqual(plans);
  });
});

test("a key by its prefix alone belongs to whoever is shown to hold it, so that it can be read again", () => {
  const world = aWorld();
  const [key] = putUser(world, { email: "eve@acme.example", identifier: "u-eve" }).keys;
  const roster = aRoster({ keys: [aKey(key?.prefix ?? "", { roles: ["DEVELOPER"] })] });
  const { actions, users } = planFor(world, roster);
  expect(actions).toMatchObject([{ key: { address: "eve@acme.example" } }]);
  expect([...users]).toEqual([
    ["eve@acme.example", { email: "eve@acme.example", identifier: { known: "observed", value: "u-eve", by: "list" } }],
  ]);
});

test("a role that the service does not know is told once, with every place that asks for it", () => {
  const world = aWorld();
  const roster = aRoster({
    users: [aUser("ada", { ownKeyRoles: ["NOPE"], line: 2 })],
    teams: [aTeam("Data", { identifier: "t-1", members: ["ada"], roles: ["NOPE"], line: 9 })],
    keys: [aKey("k-1", { roles: ["NOPE", "AUDITOR"], line: 12 })],
  });
  const findings = planFor(world, roster).findings.filter(({ code }) => code === "unknown-role");
  expect(findings.map(({ subject, because }) => ({ subject, because }))).toEqual([
    {
      subject: decodeSubject("role NOPE"),
      because: [
        reasonAt(place(2), "own-key-roles"),
        reasonAt(place(2), "user"),
        reasonAt(place(9), "member", { person: addressOf("ada") }),
        reasonAt(place(12), "key"),
      ],
    },
  ]);
});

test("a key that this plan gives is left as it comes, and no team is created, where a role is wanted that the service does not know", () => {
  const world = aWorld();
  putTeam(world, { name: "Data", identifier: "t-1", members: [putUser(world, { email: "root@acme.example" })] });
  const roster = aRoster({
    users: [aUser("ada", { ownKeyRoles: ["NOPE"] }), aUser("bo")],
    teams: [
      aTeam("Data", { identifier: "t-1", open: true, members: ["ada"], roles: ["NOPE"] }),
      aTeam("New", { members: ["bo"], roles: ["NOPE", "DEVELOPER"] }),
    ],
  });
  expect(deeds(planFor(world, roster))).toEqual(["create ada", "add ada to Data after create-user:ada@acme.example"]);
});
