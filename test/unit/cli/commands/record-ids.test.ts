import { describe, expect, test } from "vitest";
import { findLearnedIds } from "../../../../src/cli/commands/record-ids.ts";
import type { RecordedUser, State } from "../../../../src/model/state.ts";
import { membershipKeyOf, teamKeyOf } from "../../../../src/model/team.ts";
import { aPolicy, aState } from "../../../support/plan-inputs.ts";
import {
  addressOf,
  aRoster,
  aTeam,
  aUser,
  emailOf,
  type TeamWish,
  type UserWish,
} from "../../../support/roster-builders.ts";
import { snapshotOf } from "../../../support/simulated-snapshot.ts";
import { aWorld, putTeam, putUser } from "../../../support/simulated-world.ts";
import type { Hidden } from "../../../support/visibility.ts";

const at = "2026-11-01T00:00:00.000Z";
const team = teamKeyOf("acc-1", "Data");
const address = addressOf("ada");

function recordedUser(parts: Partial<RecordedUser>): Pick<State, "users"> {
  return { users: new Map([[address, { address, email: emailOf("ada"), account: "acc-1", createdAt: at, ...parts }]]) };
}

const recordedTeam: Pick<State, "teams"> = {
  teams: new Map([[team, { team, name: "Data", account: "acc-1", identifier: "t-1", at }]]),
};
/** The world gives ada the own key `k2`, and the team key `k3`. */
const recordedMember: Pick<State, "memberships"> = {
  memberships: new Map([[membershipKeyOf(team, address), { team, address, how: "added", at, prefix: "k3" }]]),
};

interface Case {
  readonly hides?: readonly Hidden[];
  readonly state?: Partial<State>;
  readonly user?: UserWish;
  readonly team?: TeamWish;
  readonly there?: boolean;
  readonly ids: readonly string[];
}

const cases: Readonly<Record<string, Case>> = {
  "a team's identifier that keys show": { ids: ["identifier: t-1 after name (team Data)"] },
  "a team's identifier that is recorded": {
    hides: ["team-identifiers"],
    state: recordedTeam,
    ids: ["identifier: t-1 after name (team Data)"],
  },
  "no identifier where the roster has one": { team: { identifier: "t-1" }, ids: [] },
  "no identifier where nobody knows it": { hides: ["team-identifiers"], ids: [] },
  "the key of a member, where keys are hidden": {
    hides: ["keys"],
    state: { ...recordedTeam, ...recordedMember },
    team: { identifier: "t-1" },
    ids: ["key: k3 after user (key of ada@acme.example in team Data)"],
  },
  "the key of a member, where keys do not say whose team's they are": {
    hides: ["teams"],
    state: { ...recordedTeam, ...recordedMember },
    team: { identifier: "t-1" },
    ids: ["key: k3 after user (key of ada@acme.example in team Data)"],
  },
  "no key of a member, where it is shown": {
    state: { ...recordedTeam, ...recordedMember },
    team: { identifier: "t-1" },
    ids: [],
  },
  "no key of a member, where the roster has one": {
    hides: ["keys"],
    state: { ...recordedTeam, ...recordedMember },
    team: { identifier: "t-1", members: [{ user: "ada", key: "mine" }] },
    ids: [],
  },
  "the key of a founder, as the team's alone": {
    hides: ["keys"],
    state: { ...recordedTeam, ...recordedUser({ key: "k3", founded: team }) },
    team: { identifier: "t-1" },
    ids: ["key: k3 after user (key of ada@acme.example in team Data)"],
  },
  "an own key, where keys are hidden": {
    hides: ["keys"],
    state: recordedUser({ key: "k2" }),
    team: { identifier: "t-1", members: [] },
    ids: ["key: k2 after email (own key of ada@acme.example)"],
  },
  "no own key, where it is shown": {
    state: recordedUser({ key: "k2" }),
    team: { identifier: "t-1" },
    ids: [],
  },
  "no own key, where the roster has one": {
    hides: ["keys"],
    state: recordedUser({ key: "k2" }),
    user: { key: "mine" },
    team: { identifier: "t-1", members: [] },
    ids: [],
  },
  "nothing of somebody who is not there": {
    hides: ["keys"],
    state: { ...recordedTeam, ...recordedMember, ...recordedUser({ key: "k2" }) },
    team: { identifier: "t-1" },
    there: false,
    ids: [],
  },
};

describe("what is recorded is", () => {
  test.each(Object.entries(cases))(
    "%s",
    (_sentence, { hides = [], state = {}, user, team: wish, there = true, ids }) => {
      const world = aWorld();
      const ada = putUser(world, { email: emailOf(there ? "ada" : "bo"), lastName: "Test" });
      putTeam(world, { name: "Data", identifier: "t-1", members: [ada] });
      const roster = aRoster({ users: [aUser("ada", user)], teams: [aTeam("Data", { members: ["ada"], ...wish })] });
      const snapshot = snapshotOf(world, { roster, hides });
      const found = findLearnedIds({ roster, snapshot, state: aState(state), policy: aPolicy() });
      expect(found.map(({ key, value, after, of }) => `${key}: ${value} after ${after} (${of})`)).toEqual(ids);
    },
  );
});
