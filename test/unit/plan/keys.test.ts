import { describe, expect, test } from "vitest";
import { observed, reasonAt } from "../../../src/model/fact.ts";
import { membershipKeyOf } from "../../../src/model/membership.ts";
import type { Roster } from "../../../src/model/roster.ts";
import type { State } from "../../../src/model/state.ts";
import { decodeSubject } from "../../../src/model/subject.ts";
import { teamKeyOf } from "../../../src/model/team.ts";
import type { ObservedUser } from "../../../src/model/user.ts";
import { stopsOf, withGuards } from "../../support/guards.ts";
import { aState, planned } from "../../support/plan-inputs.ts";
import { deeds, troubles } from "../../support/plan-words.ts";
import { addressOf, aKey, aLeaver, aRoster, aTeam, at, aUser } from "../../support/roster-builders.ts";
import { aShownKey, aShownUser, aSnapshot } from "../../support/snapshot-builders.ts";

const then = "2026-11-01T00:00:00.000Z";
const red = { identifier: "t-red", name: "Red" };
const blue = { identifier: "t-blue", name: "Blue" };
const teams = { red: teamKeyOf("acc-1", "Red"), blue: teamKeyOf("acc-1", "Blue") };

type Key = NonNullable<ObservedUser["keys"]>[number];

/** People who are there, by name, each with the keys that the service shows of them; without keys where it shows none. */
type Shown = Readonly<Record<string, readonly Key[] | "hidden">>;

function snapshotWith(shown: Shown, everyone: "complete" | "not-read" = "complete") {
  const users = Object.entries(shown).map(([name, keys]) =>
    aShownUser(name, { account: "acc-1", ...(keys === "hidden" ? {} : { keys }) }),
  );
  const isHidden = users.every(({ keys }) => keys === undefined);
  const snapshot = aSnapshot({
    users,
    absent: ["new"],
    roles: observed(
      ["ACCOUNT_ADMIN", "DEVELOPER", "TEAM_ROLE"].map((identifier) => ({ identifier })),
      "roles",
    ),
    accounts: new Map([["acc-1", { identifier: "acc-1", by: "account acc-1" }]]),
  });
  return {
    ...snapshot,
    everyone: everyone === "complete" ? snapshot.everyone : ({ read: "not-read" } as const),
    capabilities: { ...snapshot.capabilities, ...(isHidden ? ({ keysOnUsers: "hidden" } as const) : {}) },
  };
}

const own = (prefix: string, roles: readonly string[] = ["TEAM_ROLE"]) =>
  aShownKey(prefix, "none", { kind: "user", roles });
const inRed = (prefix: string) => aShownKey(prefix, red, { kind: "team", roles: ["TEAM_ROLE"] });
const inBlue = (prefix: string) => aShownKey(prefix, blue, { kind: "team", roles: ["TEAM_ROLE"] });

/** Ada's own key is `p`, by the roster. */
const ownKey = aRoster({ users: [aUser("ada", { key: "p", ownKeyRoles: ["DEVELOPER"], line: 3 })] });
/** Ada's key in Red is `p`, by the roster. */
const teamKey = aRoster({
  users: [aUser("ada", { firstName: "Ada" })],
  teams: [
    aTeam("Red", { identifier: "t-red", open: true, members: [{ user: "ada", roles: ["DEVELOPER"], key: "p" }] }),
  ],
});
/** Ada has the key `p`, by the roster's list. */
const listedKey = aRoster({ users: [aUser("ada")], keys: [aKey("p", { owner: "ada", roles: ["DEVELOPER"] })] });
/** `p` is Ada's key, who is a leaver. */
const leaversKey = aRoster({ leavers: [aLeaver("ada", { key: "p" })] });

const recordOf = (name: string) => ({ address: addressOf(name), email: `${name}@acme.example`, account: "acc-1" });

function recordedOwn(name: string): State {
  const record = { ...recordOf(name), key: "p", createdAt: then };
  return aState({ users: new Map([[record.address, record]]) });
}

function recordedIn(team: keyof typeof teams, name: string): State {
  const address = addressOf(name);
  const membership = { team: teams[team], address, how: "added", at: then, prefix: "p" } as const;
  return aState({
    users: new Map([[address, { ...recordOf(name), createdAt: then }]]),
    memberships: new Map([[membershipKeyOf(teams[team], address), membership]]),
  });
}

interface Case {
  readonly roster: Roster;
  readonly shown: Shown;
  readonly everyone?: "not-read";
  readonly state?: State;
  readonly deeds?: readonly string[];
  readonly troubles?: readonly string[];
}

const differs = ["! key-owner-differs: key p"];
const unknown = ["! unknown-key: key p"];

const cases: Readonly<Record<string, Case>> = {
  "an own key that is shown as somebody else's is left alone": {
    roster: ownKey,
    shown: { ada: [], bo: [own("p")] },
    troubles: differs,
  },
  "an own key that is shown as somebody else's is left alone, and so is the one that is shown": {
    roster: ownKey,
    shown: { ada: [own("q")], bo: [own("p")] },
    troubles: differs,
  },
  "an own key that only records know as somebody else's is left alone": {
    roster: ownKey,
    shown: { ada: "hidden" },
    state: recordedOwn("bo"),
    troubles: differs,
  },
  "an own key that records know as somebody's key in a team is left alone": {
    roster: ownKey,
    shown: { ada: "hidden" },
    state: recordedIn("red", "bo"),
    troubles: differs,
  },
  "an own key that is shown as the same person's, as records do not say, is made exact": {
    roster: ownKey,
    shown: { ada: [own("p"), own("q")] },
    state: recordedOwn("bo"),
    deeds: ["set p (observed) to DEVELOPER"],
  },
  "an own key that is shown as the same person's key in a team is left alone": {
    roster: ownKey,
    shown: { ada: [inRed("p")] },
    troubles: differs,
  },
  "an own key that records know as the same person's key in a team is left alone": {
    roster: ownKey,
    shown: { ada: "hidden" },
    state: recordedIn("red", "ada"),
    troubles: differs,
  },
  "an own key that is shown as a project key is left alone": {
    roster: ownKey,
    shown: { ada: [aShownKey("p", "none", { kind: "project" })] },
    troubles: differs,
  },
  "an own key is preferred to another one that is shown": {
    roster: ownKey,
    shown: { ada: [{ prefix: "p", roles: [] }, own("q")] },
    deeds: ["set p (observed) to DEVELOPER"],
  },
  "an own key that is not among those shown is unknown": {
    roster: ownKey,
    shown: { ada: [own("q"), own("r")] },
    troubles: unknown,
  },
  "an own key that is not among those shown is unknown, where others show theirs": {
    roster: ownKey,
    shown: { ada: [inRed("q")], bo: [own("r")] },
    troubles: unknown,
  },
  "an own key is as the roster says, where the service shows team keys alone": {
    roster: ownKey,
    shown: { ada: [inRed("q")], bo: [inRed("r")] },
    deeds: ["set p (declared) to DEVELOPER"],
  },
  "an own key is as the roster says, where the service shows no keys": {
    roster: ownKey,
    shown: { ada: "hidden" },
    deeds: ["set p (declared) to DEVELOPER"],
  },
  "an own key that is shown as deleted is unknown": {
    roster: ownKey,
    shown: { ada: [{ ...own("p"), status: "deleted" }] },
    troubles: unknown,
  },
  "an own key of somebody who is to be created is unknown": {
    roster: aRoster({ users: [aUser("new", { key: "p" })] }),
    shown: { ada: "hidden" },
    deeds: ["create new"],
    troubles: unknown,
  },
  "a person's former address is the same person": {
    roster: aRoster({ users: [aUser("ada", { key: "p", ownKeyRoles: ["DEVELOPER"], previously: ["old"] })] }),
    shown: { ada: "hidden" },
    state: recordedOwn("old"),
    deeds: ["set p (declared) to DEVELOPER"],
  },
  "a team key that is shown as somebody else's is left alone": {
    roster: teamKey,
    shown: { ada: "hidden", bo: [inRed("p")] },
    troubles: ["! unproven-absence: member ada@acme.example of team acc-1/red", ...differs],
  },
  "a team key that is shown in another team is left alone": {
    roster: teamKey,
    shown: { ada: [inRed("q"), inBlue("p")] },
    deeds: ["set q (observed) to DEVELOPER"],
    troubles: differs,
  },
  "a team key that is shown in no team is left alone": {
    roster: teamKey,
    shown: { ada: [inRed("q"), own("p")] },
    deeds: ["set q (observed) to DEVELOPER"],
    troubles: differs,
  },
  "a team key that records know in another team is left alone": {
    roster: teamKey,
    shown: { ada: "hidden" },
    state: recordedIn("blue", "ada"),
    deeds: ["add ada to Red", "set key of ada in Red to DEVELOPER after add-members:acc-1/red"],
    troubles: differs,
  },
  "a team key that records know as the person's own is left alone": {
    roster: teamKey,
    shown: { ada: "hidden" },
    state: recordedOwn("ada"),
    deeds: ["add ada to Red", "set key of ada in Red to DEVELOPER after add-members:acc-1/red"],
    troubles: differs,
  },
  "a team key that is not among those shown is unknown": {
    roster: teamKey,
    shown: { ada: [inRed("q")] },
    deeds: ["set q (observed) to DEVELOPER"],
    troubles: unknown,
  },
  "a team key is as the roster says, where the service shows own keys alone": {
    roster: teamKey,
    shown: { ada: [own("q")], bo: [own("r")] },
    deeds: ["set p (declared) to DEVELOPER"],
  },
  "a listed key that records know as somebody else's is left alone": {
    roster: listedKey,
    shown: { ada: "hidden" },
    state: recordedIn("red", "bo"),
    troubles: differs,
  },
  "a listed key of the owner may be of every kind": {
    roster: listedKey,
    shown: { ada: [inRed("p")] },
    deeds: ["set p (observed) to DEVELOPER"],
  },
  "a leaver's key that is shown as somebody else's is left alone": {
    roster: leaversKey,
    shown: { ada: [], bo: [own("p")] },
    troubles: ["! leaver-remains: user ada@acme.example", ...differs],
  },
  "a leaver's key that only records know as somebody else's is left alone": {
    roster: leaversKey,
    shown: { ada: "hidden" },
    state: recordedOwn("bo"),
    troubles: ["! leaver-remains: user ada@acme.example", ...differs],
  },
  "a leaver's key that may be gone is no mistake": {
    roster: leaversKey,
    shown: { ada: [own("q", [])] },
    troubles: ["! leaver-remains: user ada@acme.example"],
  },
  "a leaver's key of two addresses is one person's": {
    roster: aRoster({ leavers: ["ada", "old"].map((name) => aLeaver(name, { by: "until", key: "p", line: 7 })) }),
    shown: { ada: [own("p", [])], old: [] },
    troubles: ["! leaver-remains: user ada@acme.example", "! leaver-remains: user old@acme.example"],
  },
};

describe("a key that the roster declares", () => {
  test.each(Object.entries(cases))("%s", (_, { roster, shown, everyone, state = aState(), ...expected }) => {
    const plan = planned({ roster, snapshot: snapshotWith(shown, everyone), state });
    expect({ deeds: deeds(plan), troubles: troubles(plan) }).toEqual({ deeds: [], troubles: [], ...expected });
  });
});

test("one prefix that two places name is one finding, with both places and whose key it is", () => {
  const roster = aRoster({
    users: [aUser("ada", { key: "p", ownKeyRoles: ["DEVELOPER"], line: 3 })],
    keys: [aKey("p", { roles: ["DEVELOPER"], owner: "ada", line: 9 })],
  });
  const plan = planned({ roster, snapshot: snapshotWith({ ada: [], bo: [own("p")] }) });
  expect(plan.findings.filter(({ code }) => code === "key-owner-differs")).toMatchObject([
    {
      kind: "task",
      subject: decodeSubject("key p"),
      message:
        "The service shows the key p as a key of no team of bo@acme.example. The roster names it as the own " +
        "key of ada@acme.example. The API cannot move keys. roster does not change its roles. Correct the " +
        "owner or the prefix in the roster.",
      because: [
        reasonAt(at(3), "known-prefix"),
        reasonAt(at(3), "user"),
        reasonAt(at(9), "key"),
        reasonAt(at(9), "key-owner", { name: "ada@acme.example" }),
      ],
      restsOn: [
        { about: decodeSubject("key p"), fact: { known: "observed", value: "key of bo@acme.example", by: "search 1" } },
      ],
    },
  ]);
});

test("a record says whose key and of which team it is, and when that was learned", () => {
  const [found] = planned({
    roster: ownKey,
    snapshot: snapshotWith({ ada: "hidden" }),
    state: recordedIn("red", "bo"),
  }).findings;
  expect([found?.message, found?.restsOn]).toEqual([
    `The state has the key p as the key in team acc-1/red of bo@acme.example (${then}). The roster names it ` +
      "as the own key of ada@acme.example. The API cannot move keys. roster does not change its roles. " +
      "Correct the owner or the prefix in the roster.",
    [{ about: decodeSubject("key p"), fact: { known: "recorded", value: "key of bo@acme.example", at: then } }],
  ]);
});

describe("a privileged role on a declared key", () => {
  const guarded = withGuards({ privilegedRoles: { roles: ["ACCOUNT_ADMIN"], people: [addressOf("ada")] } });
  const roster = aRoster({ users: [aUser("ada", { key: "p", ownKeyRoles: ["ACCOUNT_ADMIN"] })] });
  const adaAdministers: Shown = { ada: [{ ...inRed("q"), roles: ["ACCOUNT_ADMIN"] }] };

  test.each<[string, Shown, State, readonly string[], readonly string[]]>([
    [
      "is held where only the roster names its holder, whatever that person holds or may hold",
      adaAdministers,
      aState(),
      [],
      ["! privileged-roles: key p"],
    ],
    [
      "is given where a record names its holder",
      { ada: "hidden" },
      recordedOwn("ada"),
      ["set p (recorded) to ACCOUNT_ADMIN"],
      [],
    ],
    [
      "is given where a read shows its holder",
      { ada: [own("p")] },
      aState(),
      ["set p (observed) to ACCOUNT_ADMIN"],
      [],
    ],
  ])("%s", (_, shown, state, done, held) => {
    const plan = planned({ roster, snapshot: snapshotWith(shown), state, policy: guarded });
    expect({ deeds: deeds(plan), troubles: troubles(plan) }).toEqual({ deeds: done, troubles: held });
  });

  test("is told as what it is", () => {
    const plan = planned({ roster, snapshot: snapshotWith(adaAdministers), policy: guarded });
    expect(plan.findings.find(({ code }) => code === "privileged-roles")?.message).toMatch(
      /^The holder of the key p \(only the roster says that this is ada@acme\.example\) would gain ACCOUNT_ADMIN on the key p\./u,
    );
  });

  test("makes nobody an administrator who is left", () => {
    const policy = withGuards({ minAdmins: { role: "ACCOUNT_ADMIN", count: 1 } });
    const people = aRoster({
      users: [
        aUser("ada", { key: "p", ownKeyRoles: ["ACCOUNT_ADMIN"] }),
        aUser("bo", { firstName: "Bo", key: "q", ownKeyRoles: ["DEVELOPER"] }),
      ],
    });
    const shown: Shown = { ada: "hidden", bo: [own("q", ["ACCOUNT_ADMIN"])] };
    expect(stopsOf({ roster: people, snapshot: snapshotWith(shown), policy })).toEqual([
      "min-admins: The plan removes ACCOUNT_ADMIN from bo@acme.example. After that, no user " +
        "of those that were read would have it. At least 1 must have it.",
    ]);
  });
});
