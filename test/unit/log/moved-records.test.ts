import { describe, expect, test } from "vitest";
import { applyEvents } from "../../../src/log/fold.ts";
import { recordsMoved } from "../../../src/log/moved-records.ts";
import type { Intent } from "../../../src/model/call.ts";
import type { EventOf } from "../../../src/model/event.ts";
import type { State } from "../../../src/model/state.ts";
import { teamKeyOf } from "../../../src/model/team.ts";
import {
  additionIntent,
  creationIntent,
  noon,
  openIntent,
  rolesIntent,
  science,
} from "../../support/event-builders.ts";
import { aRefusal, asks, refusalMap } from "../../support/refusal-builders.ts";
import { addressOf, aLeaver, aRoster, aTeam, aUser, emailOf } from "../../support/roster-builders.ts";
import { aShownUser, aSnapshot } from "../../support/snapshot-builders.ts";
import { remembering } from "../../support/state-builders.ts";

type Shown = Parameters<typeof aSnapshot>[0];

const [old, ada] = [addressOf("ada.old"), addressOf("ada")];
const holding = (parts: Parameters<typeof remembering>[0]): State => remembering(parts, noon);
const later = "2026-11-21T00:00:00.000Z";

const toAda: EventOf<"records-moved"> = {
  type: "records-moved",
  at: noon,
  people: [{ from: old, to: ada, email: emailOf("ada") }],
  teams: [],
};

describe("what is recorded of somebody with a former address", () => {
  const created = { identifier: "u-1", createdAt: noon, key: "k-1" };
  const known = holding({ users: { "ada.old": created } });
  const wanted = aRoster({ users: [aUser("ada", { previously: ["ada.old"] })] });
  const byIdentifier = aRoster({ users: [aUser("ada")] });
  const both = aRoster({ users: [aUser("ada"), aUser("ada.old")] });
  const leavers = aRoster({ leavers: [aLeaver("ada"), aLeaver("ada.old")] });

  /** People with the identifiers under which the service shows them; who is not shown of the two is absent. */
  const shows = (...people: readonly (readonly [name: string, identifier?: string, status?: string])[]): Shown => ({
    users: people.map(([name, identifier, status]) => {
      const { identifier: _, ...user } = aShownUser(name, status === undefined ? {} : { status });
      return identifier === undefined ? user : { ...user, identifier };
    }),
    absent: ["ada", "ada.old"].filter((name) => people.every(([shown]) => shown !== name)),
  });

  test.each<[string, Shown, State, typeof wanted]>([
    ["once the service shows the new one alone", shows(["ada", "u-1"]), known, wanted],
    ["where the service shows no identifiers", shows(["ada"]), known, wanted],
    ["by the service's identifier alone", { users: [aShownUser("ada", { identifier: "u-1" })] }, known, byIdentifier],
    ["for a leaver's address of today, by the service's identifier", shows(["ada", "u-1"]), known, leavers],
    [
      "by the identifier, although somebody else has the former address now",
      shows(["ada", "u-1"], ["ada.old", "u-2"]),
      known,
      both,
    ],
  ])("counts for the new one %s", (_, shown, state, roster) => {
    expect(recordsMoved(roster, aSnapshot(shown), state, noon)).toEqual(toAda);
  });

  test.each<[string, Shown, State, typeof wanted]>([
    ["only the former address is shown", shows(["ada.old", "u-1"]), known, wanted],
    ["both are shown, since these are two", shows(["ada", "u-2"], ["ada.old", "u-1"]), known, wanted],
    ["both are shown, and nothing tells whether these are two", shows(["ada"], ["ada.old"]), known, wanted],
    ["the new address is known to be another user's", shows(["ada", "u-2"]), known, wanted],
    ["two users have the new address", shows(["ada", "u-1"], ["ada", "u-2"]), known, wanted],
    ["the new address is shown as deleted", shows(["ada", "u-1", "deleted"]), known, wanted],
    ["the roster still wants somebody under the former address", shows(["ada", "u-1"]), known, both],
    [
      "the new address is recorded as another user's",
      shows(["ada", "u-1"]),
      holding({ users: { "ada.old": created, ada: { identifier: "u-9" } } }),
      wanted,
    ],
    ["nothing was recorded", shows(["ada", "u-ada"]), holding({}), wanted],
  ])("stays where %s", (_, shown, state, roster) => {
    expect(recordsMoved(roster, aSnapshot(shown), state, noon)).toBeUndefined();
  });

  test("moves whole: who they are, their places, their keys, what they created and what is under way", () => {
    const rest = { teams: { Science: { firstMember: old } }, keys: { "k-1": ["DEVELOPER"] } };
    const addsOld = (name: string, address: typeof ada) =>
      ({ ...additionIntent("bo", name), requests: [{ address, request: "x" }] }) as Intent;
    const refused = [asks.addition("ada.old"), asks.roles("k-1", [], "ada.old"), asks.addition("bo")];
    const state = holding({
      ...rest,
      users: { "ada.old": { ...created, createdTeam: science }, bo: {} },
      members: { "Science/ada.old": { how: "created", prefix: "k-1" }, "Science/bo": { prefix: "k-3" } },
      open: [
        openIntent("r1", "c", creationIntent("ada.old")),
        openIntent("r1", "a", addsOld("ada.old", old)),
        openIntent("r1", "p", { ...rolesIntent("k-1"), owner: old } as Intent),
      ],
      refusals: refusalMap(...refused.map((one) => aRefusal(one))),
    });
    expect(applyEvents(state, [toAda])).toEqual(
      holding({
        teams: { Science: { firstMember: ada } },
        keys: rest.keys,
        users: { bo: {}, ada: { ...created, createdTeam: science } },
        members: { "Science/bo": { prefix: "k-3" }, "Science/ada": { how: "created", prefix: "k-1" } },
        open: [
          openIntent("r1", "c", { ...creationIntent("ada.old"), address: ada, email: emailOf("ada") } as Intent),
          openIntent("r1", "a", addsOld("ada", ada)),
          openIntent("r1", "p", { ...rolesIntent("k-1"), owner: ada } as Intent),
        ],
        refusals: refusalMap(aRefusal(asks.addition("bo"))),
      }),
    );
  });

  test("is joined with what is recorded under the new one: no prefix and no mail is forgotten", () => {
    const state = holding({
      users: {
        "ada.old": { ...created, createdTeam: science },
        ada: { identifier: "u-1", seenAt: later, key: "k-own" },
      },
      members: {
        "Science/ada.old": { how: "created", prefix: "k-1" },
        "Science/ada": { how: "seen", at: later },
        "Ops/ada.old": { prefix: "k-2" },
        "Ops/ada": { at: later },
      },
    });
    expect(applyEvents(state, [toAda])).toEqual(
      holding({
        users: { ada: { ...created, createdTeam: science, seenAt: later } },
        members: { "Science/ada": { how: "created", prefix: "k-1" }, "Ops/ada": { at: later, prefix: "k-2" } },
      }),
    );
  });

  test("a second creation under the new address is the one that counts", () => {
    const again = { createdAt: "later", key: "k-2" };
    const before = holding({ users: { "ada.old": { ...created, createdTeam: science }, ada: again } });
    expect(applyEvents(before, [toAda])).toEqual(holding({ users: { ada: { ...again, identifier: "u-1" } } }));
  });
});

describe("what is recorded of a team with a former name", () => {
  const [data, newName] = [teamKeyOf("acc-1", "Data"), teamKeyOf("acc-1", "Data Science")];
  const renamed = aTeam("Data Science", { previously: ["Data"], members: ["ada"] });
  const recorded = (name: string, refused: readonly Parameters<typeof aRefusal>[0][], open: Intent) =>
    holding({
      users: { ada: { createdAt: noon, key: "k-1", createdTeam: teamKeyOf("acc-1", name) } },
      members: { [`${name}/ada`]: { how: "created", prefix: "k-1" } },
      teams: { [name]: { identifier: "t-1" } },
      open: [openIntent("r1", "c", open)],
      refusals: refusalMap(...refused.map((one) => aRefusal(one))),
    });
  const createsData = creationIntent("bo", "Data");
  const known = recorded("Data", [asks.teamCreation("bo", "Data"), asks.addition("bo")], createsData);

  test("counts for the new name, whole", () => {
    const roster = aRoster({ users: [aUser("ada")], teams: [renamed] });
    const event = recordsMoved(roster, aSnapshot(), known, noon);
    const teams = [{ from: data, to: newName, name: "Data Science" }];
    expect(event).toEqual({ type: "records-moved", at: noon, people: [], teams });
    const createsTeam = { team: newName, name: "Data", accessKeyRoles: ["TEAM_ROLE"] };
    expect(applyEvents(known, event === undefined ? [] : [event])).toEqual(
      recorded("Data Science", [asks.addition("bo")], { ...createsData, createsTeam } as Intent),
    );
  });

  test.each([
    ["another team of the roster has that name", [renamed, aTeam("Data")], known],
    [
      "the roster gives it another identifier",
      [aTeam("Data Science", { previously: ["Data"], identifier: "t-2" })],
      known,
    ],
    ["nothing was recorded under it", [renamed], holding({})],
  ])("stays where %s", (_, teams, state) => {
    expect(recordsMoved(aRoster({ teams }), aSnapshot(), state, noon)).toBeUndefined();
  });
});
