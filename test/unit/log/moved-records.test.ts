import { describe, expect, test } from "vitest";
import { applyEvents } from "../../../src/log/fold.ts";
import { recordsMoved } from "../../../src/log/moved-records.ts";
import type { EventOf } from "../../../src/model/event.ts";
import { membershipKeyOf, type RecordedMembership } from "../../../src/model/membership.ts";
import type { State } from "../../../src/model/state.ts";
import { teamKeyOf } from "../../../src/model/team.ts";
import type { RecordedUser } from "../../../src/model/user.ts";
import {
  additionIntent,
  creationIntent,
  noon,
  openIntent,
  rolesIntent,
  science,
} from "../../support/event-builders.ts";
import { aState } from "../../support/plan-inputs.ts";
import { aRefusal, asks, refusalMap } from "../../support/refusal-builders.ts";
import { addressOf, aLeaver, aRoster, aTeam, aUser, emailOf } from "../../support/roster-builders.ts";
import { aShownUser, aSnapshot } from "../../support/snapshot-builders.ts";

const [old, ada, bo] = [addressOf("ada.old"), addressOf("ada"), addressOf("bo")];
const wanted = aRoster({ users: [aUser("ada", { previously: ["ada.old"] })] });

function user(name: string, parts: Partial<RecordedUser> = {}): RecordedUser {
  return { address: addressOf(name), email: emailOf(name), account: "acc-1", ...parts };
}

function place(name: string, parts: Partial<RecordedMembership> = {}): RecordedMembership {
  return { team: science, address: addressOf(name), how: "added", at: noon, ...parts };
}

function holding(parts: {
  readonly users?: readonly RecordedUser[];
  readonly places?: readonly RecordedMembership[];
  readonly rest?: Partial<State>;
}): State {
  return aState({
    users: new Map((parts.users ?? []).map((one) => [one.address, one])),
    memberships: new Map((parts.places ?? []).map((one) => [membershipKeyOf(one.team, one.address), one])),
    ...parts.rest,
  });
}

const toAda: EventOf<"records-moved"> = {
  type: "records-moved",
  at: noon,
  people: [{ from: old, to: ada, email: emailOf("ada") }],
  teams: [],
};

describe("what is recorded of somebody with a former address", () => {
  const created = user("ada.old", { identifier: "u-1", createdAt: noon, key: "k-1" });
  const known = holding({ users: [created] });

  interface Case {
    readonly state?: State;
    readonly shown: Parameters<typeof aSnapshot>[0];
    readonly roster?: typeof wanted;
    readonly moves: boolean;
  }

  const cases: Readonly<Record<string, Case>> = {
    "counts for the new one, once the service shows it alone": {
      shown: { users: [aShownUser("ada", { identifier: "u-1" })], absent: ["ada.old"] },
      moves: true,
    },
    "counts for the new one, where the service shows no identifiers": {
      shown: { users: [{ email: emailOf("ada"), address: ada, by: "search 1" }], absent: ["ada.old"] },
      moves: true,
    },
    "stays where only the former address is shown": {
      shown: { users: [aShownUser("ada.old", { identifier: "u-1" })], absent: ["ada"] },
      moves: false,
    },
    "stays where both are shown, since these are two": {
      shown: { users: [aShownUser("ada", { identifier: "u-2" }), aShownUser("ada.old", { identifier: "u-1" })] },
      moves: false,
    },
    "stays where both are shown, and nothing tells whether these are two": {
      shown: {
        users: ["ada", "ada.old"].map((name) => ({ email: emailOf(name), address: addressOf(name), by: "search 1" })),
      },
      moves: false,
    },
    "stays where the new address is known to be another user's": {
      shown: { users: [aShownUser("ada", { identifier: "u-2" })], absent: ["ada.old"] },
      moves: false,
    },
    "stays where two users have the new address": {
      shown: { users: [aShownUser("ada", { identifier: "u-1" }), aShownUser("ada", { identifier: "u-2" })] },
      moves: false,
    },
    "stays where the new address is shown as deleted": {
      shown: { users: [aShownUser("ada", { identifier: "u-1", status: "deleted" })], absent: ["ada.old"] },
      moves: false,
    },
    "counts for the new one by the service's identifier alone": {
      roster: aRoster({ users: [aUser("ada")] }),
      shown: { users: [aShownUser("ada", { identifier: "u-1" })] },
      moves: true,
    },
    "counts for a leaver's address of today, by the service's identifier": {
      roster: aRoster({ leavers: [aLeaver("ada"), aLeaver("ada.old")] }),
      shown: { users: [aShownUser("ada", { identifier: "u-1" })], absent: ["ada.old"] },
      moves: true,
    },
    "counts for the new one by the identifier, although somebody else has the former address now": {
      roster: aRoster({ users: [aUser("ada"), aUser("ada.old")] }),
      shown: { users: [aShownUser("ada", { identifier: "u-1" }), aShownUser("ada.old", { identifier: "u-2" })] },
      moves: true,
    },
    "stays where the roster still wants somebody under the former address, whom nobody may create again": {
      roster: aRoster({ users: [aUser("ada"), aUser("ada.old")] }),
      shown: { users: [aShownUser("ada", { identifier: "u-1" })], absent: ["ada.old"] },
      moves: false,
    },
    "stays where the new address is recorded as another user's": {
      state: holding({ users: [created, user("ada", { identifier: "u-9" })] }),
      shown: { users: [aShownUser("ada", { identifier: "u-1" })], absent: ["ada.old"] },
      moves: false,
    },
    "is nothing, where nothing was recorded": {
      state: aState(),
      shown: { users: [aShownUser("ada")], absent: ["ada.old"] },
      moves: false,
    },
  };

  test.each(Object.entries(cases))("%s", (_, { state = known, shown, roster = wanted, moves }) => {
    expect(recordsMoved(roster, aSnapshot(shown), state, noon)).toEqual(moves ? toAda : undefined);
  });

  test("moves whole: who they are, their places, their keys, what they created and what is under way", () => {
    const state = holding({
      users: [{ ...created, createdTeam: science }, user("bo")],
      places: [place("ada.old", { how: "created", prefix: "k-1" }), place("bo", { prefix: "k-3" })],
      rest: {
        teams: new Map([[science, { team: science, name: "Science", account: "acc-1", firstMember: old, at: noon }]]),
        keys: new Map([["k-1", { prefix: "k-1", setRoles: ["DEVELOPER"], at: noon }]]),
        open: [
          openIntent("r1", "c", creationIntent("ada.old")),
          openIntent("r1", "a", {
            ...additionIntent("bo", "ada.old"),
            requests: [{ address: old, request: "x" }],
          } as ReturnType<typeof additionIntent>),
          openIntent("r1", "p", { ...rolesIntent("k-1"), owner: old } as ReturnType<typeof rolesIntent>),
        ],
        refusals: refusalMap(
          aRefusal(asks.addition("ada.old")),
          aRefusal(asks.roles("k-1", [], "ada.old")),
          aRefusal(asks.addition("bo")),
        ),
      },
    });
    const moved = applyEvents(state, [toAda]);
    expect({
      users: [...moved.users.values()],
      places: [...moved.memberships],
      firstMember: moved.teams.get(science)?.firstMember,
      keys: moved.keys,
      open: moved.open.map(({ intent }) => intent),
      refusals: [...moved.refusals.keys()],
    }).toEqual({
      users: [user("bo"), { ...created, address: ada, email: emailOf("ada"), createdTeam: science }],
      places: [
        [membershipKeyOf(science, bo), place("bo", { prefix: "k-3" })],
        [membershipKeyOf(science, ada), place("ada", { how: "created", prefix: "k-1" })],
      ],
      firstMember: ada,
      keys: state.keys,
      open: [
        { ...creationIntent("ada.old"), address: ada, email: emailOf("ada") },
        { ...additionIntent("bo", "ada"), requests: [{ address: ada, request: "x" }] },
        { ...rolesIntent("k-1"), owner: ada },
      ],
      refusals: [asks.addition("bo").request],
    });
  });

  test("is joined with what is recorded under the new one: no prefix and no mail is forgotten", () => {
    const later = "2026-11-21T00:00:00.000Z";
    const state = holding({
      users: [{ ...created, createdTeam: science }, user("ada", { identifier: "u-1", seenAt: later, key: "k-own" })],
      places: [
        place("ada.old", { how: "created", prefix: "k-1" }),
        place("ada", { how: "seen", at: later }),
        place("ada.old", { team: teamKeyOf("acc-1", "Ops"), prefix: "k-2" }),
        place("ada", { team: teamKeyOf("acc-1", "Ops"), at: later }),
      ],
    });
    const moved = applyEvents(state, [toAda]);
    expect({ users: [...moved.users.values()], places: [...moved.memberships.values()] }).toEqual({
      users: [{ ...created, address: ada, email: emailOf("ada"), createdTeam: science, seenAt: later }],
      places: [
        place("ada", { how: "created", prefix: "k-1" }),
        place("ada", { team: teamKeyOf("acc-1", "Ops"), at: later, prefix: "k-2" }),
      ],
    });
  });

  test("a second creation under the new address is the one that counts", () => {
    const again = user("ada", { createdAt: "later", key: "k-2" });
    const moved = applyEvents(holding({ users: [{ ...created, createdTeam: science }, again] }), [toAda]);
    expect([...moved.users.values()]).toEqual([{ ...again, identifier: "u-1" }]);
  });
});

describe("what is recorded of a team with a former name", () => {
  const [data, newName] = [teamKeyOf("acc-1", "Data"), teamKeyOf("acc-1", "Data Science")];
  const renamed = aTeam("Data Science", { previously: ["Data"], members: ["ada"] });
  const known = holding({
    users: [user("ada", { createdAt: noon, key: "k-1", createdTeam: data })],
    places: [place("ada", { team: data, how: "created", prefix: "k-1" })],
    rest: {
      teams: new Map([[data, { team: data, name: "Data", account: "acc-1", identifier: "t-1", at: noon }]]),
      open: [openIntent("r1", "c", creationIntent("bo", "Data"))],
      refusals: refusalMap(aRefusal(asks.teamCreation("bo", "Data")), aRefusal(asks.addition("bo"))),
    },
  });

  test("counts for the new name, whole", () => {
    const roster = aRoster({ users: [aUser("ada")], teams: [renamed] });
    const event = recordsMoved(roster, aSnapshot(), known, noon);
    const moved = applyEvents(known, event === undefined ? [] : [event]);
    expect({
      event,
      teams: [...moved.teams],
      createdTeam: moved.users.get(ada)?.createdTeam,
      places: [...moved.memberships],
      open: moved.open.map(({ intent }) => (intent.kind === "create-user" ? intent.createsTeam : undefined)),
      refusals: [...moved.refusals.keys()],
    }).toEqual({
      event: {
        type: "records-moved",
        at: noon,
        people: [],
        teams: [{ from: data, to: newName, name: "Data Science" }],
      },
      teams: [[newName, { team: newName, name: "Data Science", account: "acc-1", identifier: "t-1", at: noon }]],
      createdTeam: newName,
      places: [[membershipKeyOf(newName, ada), place("ada", { team: newName, how: "created", prefix: "k-1" })]],
      open: [{ team: newName, name: "Data", accessKeyRoles: ["TEAM_ROLE"] }],
      refusals: [asks.addition("bo").request],
    });
  });

  test.each([
    ["another team of the roster has that name", aRoster({ teams: [renamed, aTeam("Data")] }), known],
    [
      "the roster gives it another identifier",
      aRoster({ teams: [aTeam("Data Science", { previously: ["Data"], identifier: "t-2" })] }),
      known,
    ],
    ["nothing was recorded under it", aRoster({ teams: [renamed] }), aState()],
  ])("stays where %s", (_, roster, state) => {
    expect(recordsMoved(roster, aSnapshot(), state, noon)).toBeUndefined();
  });
});
