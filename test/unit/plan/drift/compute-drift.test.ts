import { describe, expect, test } from "vitest";
import type { DriftItem } from "../../../../src/model/drift.ts";
import type { RoleSet } from "../../../../src/model/role-set.ts";
import type { Roster } from "../../../../src/model/roster.ts";
import type { Snapshot } from "../../../../src/model/snapshot.ts";
import type { State } from "../../../../src/model/state.ts";
import { formatSubject } from "../../../../src/model/subject.ts";
import type { ObservedUser, RecordedUser } from "../../../../src/model/user.ts";
import { findSubjectsInProgress } from "../../../../src/plan/drift/compute-drift.ts";
import { creationIntent, noon, openIntent, rolesIntent } from "../../../support/event-builders.ts";
import { aPolicy, aState, type InputParts, plannedDrift, unguarded } from "../../../support/plan-inputs.ts";
import { addressOf, aKey, aLeaver, aRoster, aTeam, aUser } from "../../../support/roster-builders.ts";
import { aShownKey, aShownUser, aSnapshot } from "../../../support/snapshot-builders.ts";
import { remembering } from "../../../support/state-builders.ts";

describe("coverage", () => {
  const coverage = (parts: InputParts) => plannedDrift(parts).drift.coverage;
  const red = { identifier: "t-1", name: "Red" };
  const blue = { identifier: "t-2", name: "Blue" };
  const roster = aRoster({
    users: [aUser("ada", { previously: ["ada.old"] }), aUser("bo")],
    leavers: [aLeaver("cy")],
    teams: [aTeam("Red", { members: ["ada"] })],
    keys: [aKey("listed", { roles: [] })],
  });

  test("the roster covers people by any of their addresses, leavers, their teams, and the keys that it leads to", () => {
    const users = [
      aShownUser("ada.old", {
        account: "acc-1",
        keys: [aShownKey("k1", red), aShownKey("k2", "none", { kind: "project" })],
      }),
      aShownUser("bo", { account: "acc-1", keys: [aShownKey("k3", "none", { kind: "user" }), aShownKey("k4", blue)] }),
      aShownUser("cy", { keys: [aShownKey("k5", "none")] }),
      aShownUser("mal", { keys: [aShownKey("listed", "none"), aShownKey("k6", red), aShownKey("k7", blue)] }),
      aShownUser("gone", { status: "deleted", keys: [aShownKey("k8", blue, { status: "deleted" })] }),
    ];
    expect(coverage({ snapshot: aSnapshot({ users }), roster })).toEqual({
      users: { shown: 4, named: 3 },
      teams: { shown: 2, named: 1 },
      keys: { shown: 8, named: 4 },
    });
  });

  test("without the key in use and its owner, unless the roster names that user", () => {
    const users = [
      aShownUser("ada", { keys: [aShownKey("k1", "none")] }),
      aShownUser("mal", { keys: [aShownKey("k2", "none"), aShownKey("k3", "none")] }),
    ];
    const about = { snapshot: aSnapshot({ users }), roster };
    const ofMal = {
      users: { shown: 1, named: 1 },
      teams: { shown: 0, named: 0 },
      keys: { shown: 2, named: 1 },
      without: "owner-of-key-in-use",
    };
    expect(coverage({ ...about, keyInUse: "k2" })).toEqual(ofMal);
    const { without, users: people } = coverage({ ...about, keyInUse: "k1" });
    expect({ without, people }).toEqual({ without: undefined, people: { shown: 2, named: 1 } });
  });

  test("what the service does not show is not covered in part, but not told", () => {
    const users = [aShownUser("ada"), aShownUser("mal")];
    expect(coverage({ snapshot: aSnapshot({ users }), roster })).toEqual({
      users: { shown: 2, named: 1 },
    });
    const teamless = [aShownUser("bo", { keys: [{ prefix: "k" }] })];
    expect(coverage({ snapshot: aSnapshot({ users: teamless }), roster })).toEqual({
      users: { shown: 1, named: 1 },
      keys: { shown: 1, named: 0 },
    });
  });
});

describe("drift of", () => {
  /** An hour before the service is read. */
  const before = "2026-11-20T11:00:00.000Z";
  const justNow = "2026-11-20T11:59:58.000Z";
  const red = { identifier: "t-1", name: "Red" };

  function shown(name: string, parts: Partial<ObservedUser> = {}): ObservedUser {
    return aShownUser(name, { account: "acc-1", keys: [], ...parts });
  }

  function inRed(name: string, roles: readonly string[] = []): ObservedUser {
    return shown(name, { keys: [aShownKey(`k-${name}`, red, { roles })] });
  }

  function snapshotWith(users: readonly ObservedUser[], parts: Parameters<typeof aSnapshot>[0] = {}): Snapshot {
    const accounts = new Map([["acc-1", { identifier: "acc-1", status: "active", by: "account acc-1" }]]);
    const roles = ["DEVELOPER", "TEAM_ROLE", "AUDITOR", "ACCOUNT_ADMIN"].map((identifier) => ({ identifier }));
    return aSnapshot({ users, accounts, roles: { known: "observed", value: roles, by: "roles" }, ...parts });
  }

  const person = (parts: Partial<RecordedUser> = {}) =>
    remembering({ users: { ada: { createdAt: before, ...parts } } });
  const put = (prefix: string, setRoles: RoleSet, observedRoles: RoleSet | "never" = setRoles, at = before) => {
    const read = observedRoles === "never" ? undefined : observedRoles;
    return remembering({ keys: { [prefix]: { setRoles, observedRoles: read, at } } });
  };
  const redFounded = { Red: { identifier: "t-1", firstMember: addressOf("ada"), at: noon } };

  interface Situation extends InputParts {
    /** Of ada alone, unless it says otherwise. Who is in the roster and not shown is proven to be absent. */
    readonly roster?: Roster;
    readonly users: readonly ObservedUser[];
    /** Class, code and subject of each item; what is counted as a change is marked by a `+`, as blocking by a `!`. */
    readonly shows?: string | readonly string[];
  }

  function line(item: DriftItem): string {
    const mark = { change: "+", blocking: "!", nothing: "" }[item.counts];
    return `${item.class}: ${mark}${item.code} ${formatSubject(item.subject)}`;
  }

  function look({ shows: _, users, roster = onlyAda, ...parts }: Situation) {
    const absent = [...roster.users.keys()].filter((address) => !users.some((user) => user.address === address));
    const snapshot = snapshotWith(users, { absent: absent.map((address) => address.split("@")[0] ?? "") });
    return plannedDrift({ ...parts, roster, snapshot }).drift;
  }

  const ada = aUser("ada");
  const onlyAda = aRoster({ users: [ada] });
  const listed = (...roles: readonly string[]) => aRoster({ keys: [aKey("k", { roles })], users: [ada] });
  const adaHolds = (...roles: readonly string[]) => [
    shown("ada", { keys: [aShownKey("k", "none", { kind: "project", roles })] }),
  ];
  const redTeam = aTeam("Red", { identifier: "t-1", members: ["ada"] });
  const inTeam = aRoster({ users: [ada], teams: [redTeam] });
  const roles = "+replace-roles key k";

  const situations: Readonly<Record<string, Situation>> = {
    "whoever was never there is to be created": { users: [], shows: "unapplied: +create-user user ada@acme.example" },
    "whoever was there is created again on a person's word, which undoes what others did": {
      users: [],
      state: person(),
      allows: ["user-missing:ada@acme.example"],
      shows: "tampered: +create-user user ada@acme.example",
    },
    "whoever was never in a team is to be added": {
      roster: inTeam,
      users: [shown("ada")],
      shows: "unapplied: +add-members member ada@acme.example of team acc-1/red",
    },
    "roles that are not shown cannot be seen to have been moved": {
      roster: listed("AUDITOR"),
      users: [shown("ada", { keys: [aShownKey("k", "none", { kind: "project" })] })],
      state: put("k", ["DEVELOPER"]),
      shows: [`unapplied: ${roles}`, "information: not-observed service https://simulated.example"],
    },
    "whoever was there and is gone": {
      users: [],
      state: person(),
      shows: "tampered: !user-missing user ada@acme.example",
    },
    "whoever was created right before the service was read, and is not shown": {
      users: [],
      state: person({ createdAt: justNow }),
      shows: "pending: write-pending user ada@acme.example",
    },
    "whoever was created right before, is not shown, and is to join a team": {
      roster: inTeam,
      users: [inRed("bo")],
      state: person({ createdAt: justNow }),
      shows: [
        "pending: !write-pending user ada@acme.example",
        "blocked: !extra-member member bo@acme.example of team acc-1/red",
      ],
    },
    "whoever was added right before the service was read, and shows no key": {
      roster: inTeam,
      users: [shown("ada")],
      state: remembering({ users: { ada: { createdAt: before } }, members: { "Red/ada": { at: justNow } } }),
      shows: "pending: write-pending member ada@acme.example of team acc-1/red",
    },
    "a member of ours who was removed": {
      roster: inTeam,
      users: [shown("ada")],
      state: remembering({ users: { ada: { createdAt: before } }, members: { "Red/ada": { at: before } } }),
      shows: "tampered: !member-removed member ada@acme.example of team acc-1/red",
    },
    "a user of ours who was deleted": {
      users: [shown("ada", { status: "deleted" })],
      state: person(),
      shows: "tampered: !inactive-user user ada@acme.example",
    },
    "a deleted user whom nobody of ours has met": {
      users: [shown("ada", { status: "deleted" })],
      shows: "blocked: !inactive-user user ada@acme.example",
    },
    "a user of ours who was moved to another account": {
      users: [shown("ada", { account: "acc-2" })],
      state: person(),
      shows: "tampered: !user-in-other-account user ada@acme.example",
    },
    "a user who was met in another account": {
      users: [shown("ada", { account: "acc-2" })],
      shows: "blocked: !user-in-other-account user ada@acme.example",
    },
    "a title that others changed": {
      roster: aRoster({ users: [aUser("ada", { title: "Principal" })] }),
      users: [shown("ada", { title: "Intern" })],
      state: person({ profile: { sent: { title: "Principal" }, answered: { title: "Principal" } } }),
      shows: "tampered: !profile-differs user ada@acme.example",
    },
    "a title that the roster changed": {
      roster: aRoster({ users: [aUser("ada", { title: "Fellow" })] }),
      users: [shown("ada", { title: "Principal" })],
      state: person({ profile: { sent: { title: "Principal" }, answered: { title: "Principal" } } }),
      shows: "blocked: !profile-differs user ada@acme.example",
    },
    "a title of somebody whom no run created": {
      roster: aRoster({ users: [aUser("ada", { title: "Fellow" })] }),
      users: [shown("ada", { title: "Principal" })],
      shows: "blocked: !profile-differs user ada@acme.example",
    },
    "a member too many in a team that we created, whom no run added": {
      roster: inTeam,
      users: [inRed("ada"), inRed("mal")],
      state: remembering({ teams: redFounded }),
      shows: "tampered: !extra-member member mal@acme.example of team acc-1/red",
    },
    "a member too many whom a run once added": {
      roster: inTeam,
      users: [inRed("ada"), inRed("mal")],
      state: remembering({ teams: redFounded, members: { "Red/mal": { at: before } } }),
      shows: "blocked: !extra-member member mal@acme.example of team acc-1/red",
    },
    "a title that the service shows in its own form by now is a notice, and nobody's change": {
      roster: aRoster({ users: [aUser("ada", { title: "Big  Boss" })] }),
      users: [shown("ada", { title: "Big Boss" })],
      state: person({ profile: { sent: { title: "Big  Boss" }, answered: { title: "Big  Boss" } } }),
      shows: "information: profile-differs user ada@acme.example",
    },
    "a member too many who holds nothing any more is a notice, and nobody's change": {
      roster: aRoster({
        users: [ada],
        teams: [aTeam("Red", { identifier: "t-1", members: ["ada"], onRemoval: "revoke" })],
      }),
      users: [inRed("ada"), inRed("mal")],
      state: remembering({ teams: redFounded }),
      shows: "information: extra-member member mal@acme.example of team acc-1/red",
    },
    "a team that has its former name is a notice, and nobody's change": {
      roster: aRoster({
        users: [ada],
        teams: [aTeam("Red", { identifier: "t-1", members: ["ada"], previously: ["Rot"] })],
      }),
      users: [shown("ada", { keys: [aShownKey("k-ada", { identifier: "t-1", name: "Rot" })] })],
      state: remembering({ teams: redFounded }),
      shows: "information: team-name-differs team acc-1/red",
    },
    "somebody of ours who was switched off is not gone": {
      users: [shown("ada", { status: "inactive" })],
      state: person(),
      shows: "blocked: !inactive-user user ada@acme.example",
    },
    "a member too many in a team that was there before us": {
      roster: inTeam,
      users: [inRed("ada"), inRed("mal")],
      shows: "blocked: !extra-member member mal@acme.example of team acc-1/red",
    },
    "a key on which we have put roles and which is gone": {
      roster: listed("DEVELOPER"),
      users: [shown("ada")],
      state: put("k", ["DEVELOPER"]),
      shows: "tampered: !unknown-key key k",
    },
    "a key that nobody of ours has ever met": {
      roster: listed("DEVELOPER"),
      users: [shown("ada")],
      shows: "blocked: !unknown-key key k",
    },
    "somebody who has not accepted the invitation": {
      users: [shown("ada", { status: "invited" })],
      shows: "pending: invitation-pending user ada@acme.example",
    },
    "a creation that the service took for later": {
      users: [],
      state: aState({ open: [{ ...openIntent("r", "a", creationIntent("ada")), accepted: true }] }),
      shows: "pending: !unknown-outcome user ada@acme.example",
    },
    "a creation of which nobody knows what became of it": {
      users: [],
      state: aState({ open: [openIntent("r", "a", creationIntent("ada"))] }),
      shows: "blocked: !unknown-outcome user ada@acme.example",
    },
    "somebody who was switched off": {
      users: [shown("ada", { status: "inactive" })],
      shows: "blocked: !inactive-user user ada@acme.example",
    },
    "a key that others gave a role, and that a guard keeps us from": {
      roster: listed("DEVELOPER"),
      users: adaHolds("AUDITOR", "DEVELOPER"),
      state: put("k", ["DEVELOPER"]),
      policy: aPolicy({ guards: { ...unguarded, protected: { users: [], keys: ["k"] } } }),
      shows: "tampered: !protected key k",
    },
    "a key that the roster changes, and that a guard keeps us from": {
      roster: listed("AUDITOR", "DEVELOPER"),
      users: adaHolds("DEVELOPER"),
      state: put("k", ["DEVELOPER"]),
      policy: aPolicy({ guards: { ...unguarded, protected: { users: [], keys: ["k"] } } }),
      shows: "blocked: !protected key k",
    },
    "an administrator's role that others took, and that a guard lets nobody gain": {
      roster: aRoster({ keys: [aKey("k", { roles: ["ACCOUNT_ADMIN"], owner: "ada" })], users: [ada] }),
      users: adaHolds(),
      state: put("k", ["ACCOUNT_ADMIN"]),
      policy: aPolicy({ guards: { ...unguarded, privilegedRoles: { roles: ["ACCOUNT_ADMIN"], people: [] } } }),
      shows: "tampered: !privileged-roles user ada@acme.example",
    },
    "people and privileges beyond the roster": {
      users: [shown("ada"), shown("mal", { keys: [aShownKey("k", "none", { roles: ["ACCOUNT_ADMIN"] })] })],
      policy: aPolicy({ reportUnmanaged: true }),
      shows: ["unmanaged: !unmanaged-privilege ACCOUNT_ADMIN on key k", "unmanaged: unmanaged user mal@acme.example"],
    },
  };

  const [A, D, P, T] = ["AUDITOR", "DEVELOPER", "ACCOUNT_ADMIN", "TEAM_ROLE"];
  const [unapplied, tampered] = [`unapplied: ${roles}`, `tampered: ${roles}`];
  const kept = "information: roles-kept-by-service service https://simulated.example";
  const pending = "pending: write-pending key k";
  const nothing = aState();

  /** What the roster gives a key, what the key carries, and what a run has written and read of it. */
  const keys: readonly (readonly [string, RoleSet, RoleSet, State, string])[] = [
    ["roles that no run of ours has asked for are to be applied", [D], [T], nothing, unapplied],
    ["a role given to a key by others", [D], [P, D], put("k", [D]), tampered],
    ["a role taken from a key by others", [A, D], [D], put("k", [A, D]), tampered],
    ["a role that the roster asks for now, and did not", [A, D], [D], put("k", [D]), unapplied],
    ["a role that the roster asks for no longer", [D], [A, D], put("k", [A, D]), unapplied],
    ["a role given by others while the roster asks for another one too", [A, D], [P, D], put("k", [D]), tampered],
    ["a role taken by others that the roster gave up as well", [A], [T], put("k", [D], [D, T]), unapplied],
    ["a role that the service never took", [A, D], [D], put("k", [A, D], [D]), unapplied],
    ["a role that came by others and that the roster asks for now", [A, D, T], [A, D], put("k", [A]), unapplied],
    ["a role that we had asked for and that came late", [A], [A, D], put("k", [A, D], [A]), unapplied],
    [
      "a role that the service kept, that went, and that the roster asks for now",
      [A, D],
      [A],
      put("k", [A], [A, D]),
      unapplied,
    ],
    ["a role that the service keeps is no difference", [D], [D, T], put("k", [D], [D, T]), kept],
    ["roles put right before the service was read", [D], [A], put("k", [D], "never", justNow), pending],
    ["roles put right before, and shown since", [D], [A], put("k", [D], [D], justNow), tampered],
    [
      "roles that we have put an hour before, and that nobody has read since",
      [D],
      [A],
      put("k", [D], "never"),
      tampered,
    ],
  ];

  describe("drift", () => {
    test.each(Object.entries(situations))("%s", (_, situation) => {
      expect(look(situation).items.map(line)).toEqual([situation.shows ?? []].flat());
    });

    test.each(keys)("%s", (_, given, carried, state, expected) => {
      const { items } = look({ roster: listed(...given), users: adaHolds(...carried), state });
      expect(items.map(line)).toEqual([expected]);
    });

    test("of other roles on the same key is another matter", () => {
      const seen = (...carried: readonly string[]) =>
        look({ roster: listed("DEVELOPER"), users: adaHolds(...carried) }).items[0]?.fingerprint;
      expect(seen("AUDITOR")).toBe(seen("AUDITOR"));
      expect(new Set([seen("AUDITOR"), seen("ACCOUNT_ADMIN"), seen("AUDITOR", "DEVELOPER")]).size).toBe(3);
    });

    test("says since when, once a run has recorded it", () => {
      const [item] = look({ users: [] }).items;
      const fingerprint = item?.fingerprint ?? "";
      const openFinding = { fingerprint, since: noon, code: "create-user", subject: "user ada@acme.example" };
      const state = aState({ openFindings: new Map([[fingerprint, openFinding]]) });
      expect([item?.since, look({ users: [], state }).items[0]?.since]).toEqual([undefined, noon]);
    });
  });

  describe("while another run works", () => {
    const roster = aRoster({ users: [ada, aUser("bo")], keys: [aKey("k", { roles: ["DEVELOPER"], owner: "ada" })] });
    const users = [
      shown("ada", { keys: [aShownKey("k", "none", { kind: "project", roles: ["AUDITOR", "DEVELOPER"] })] }),
    ];
    const snapshot = snapshotWith(users, { absent: ["bo"] });
    const recorded = put("k", ["DEVELOPER"]);

    function classes(before: State, after: State, underWay: boolean): readonly string[] {
      const moving = findSubjectsInProgress({ before, after, underWay });
      return plannedDrift({ roster, snapshot, state: recorded }, moving).drift.items.map(line);
    }

    const [creation, tampered] = ["unapplied: +create-user user bo@acme.example", `tampered: ${roles}`];
    const announced = { ...recorded, open: [openIntent("other", "a", rolesIntent("k", "AUDITOR", "DEVELOPER"))] };

    test("what it has announced is pending, and counts as nothing", () => {
      expect(classes(announced, announced, true)).toEqual([creation, "pending: replace-roles key k"]);
    });

    test("what nobody works on any more is what it is", () => {
      expect(classes(announced, announced, false)).toEqual([creation, tampered]);
    });

    test("what it has recorded while the service was read is pending, though the run be over", () => {
      const after = put("k", ["AUDITOR", "DEVELOPER"]);
      expect(classes(recorded, after, false)).toEqual([creation, "pending: replace-roles key k"]);
      expect(classes(announced, after, false)).toEqual([creation, "pending: replace-roles key k"]);
    });

    test("what waits for a creation that it has announced is pending with it", () => {
      const team = aTeam("Red", { identifier: "t-1", members: ["ada", "bo"], roles: ["DEVELOPER"] });
      const grown = aRoster({ users: [ada, aUser("bo")], teams: [team] });
      const state = aState();
      const open = { ...state, open: [openIntent("other", "a", creationIntent("bo"))] };
      const moving = findSubjectsInProgress({ before: open, after: open, underWay: true });
      const { items } = plannedDrift({ roster: grown, snapshot, state }, moving).drift;
      expect(items.map(line)).toEqual([
        "pending: create-user user bo@acme.example",
        "unapplied: +add-members member ada@acme.example of team acc-1/red",
        "pending: add-members member bo@acme.example of team acc-1/red",
        "unapplied: +replace-roles key of member ada@acme.example of team acc-1/red",
        "pending: replace-roles key of member bo@acme.example of team acc-1/red",
      ]);
    });
  });
});
