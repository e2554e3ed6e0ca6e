import { describe, expect, test } from "vitest";
import type { RecordedMembership } from "../../../src/model/membership.ts";
import type { State } from "../../../src/model/state.ts";
import { teamKeyOf } from "../../../src/model/team.ts";
import type { RecordedUser } from "../../../src/model/user.ts";
import { noon, openIntent } from "../../support/event-builders.ts";
import { aState } from "../../support/plan-inputs.ts";
import { type Circumstances, deeds, planFor, troublesApartFromIdle } from "../../support/plan-words.ts";
import { anyDigest } from "../../support/refusal-builders.ts";
import { addressOf, aRoster, aTeam, aUser, type MemberWish, type TeamWish } from "../../support/roster-builders.ts";
import { aWorldOf, giveTeamKey, putTeam, putUser, type World, type WorldUser } from "../../support/simulated-world.ts";
import { recordedAt, remembering } from "../../support/state-builders.ts";

const team = teamKeyOf("acc-1", "Data");
const member = (parts: Partial<RecordedMembership> = {}) => remembering({ members: { "Data/ada": parts } });
const created = (parts: Partial<RecordedUser> = {}) =>
  remembering({ users: { ada: { createdAt: recordedAt, ...parts } } });

function openAddition(identifier: string, { of = team, at = recordedAt } = {}): State {
  const name = "Data";
  const intent = {
    kind: "add-members",
    team: of,
    name,
    account: "acc-1",
    identifier,
    addresses: [addressOf("ada")],
  } as const;
  return aState({ open: [openIntent("r-1", "a", intent, at)] });
}

interface Case extends Circumstances {
  /** Ada's keys besides her own. */
  readonly world?: (world: World, ada: WorldUser) => void;
  readonly team?: TeamWish;
  readonly member?: Partial<MemberWish>;
  readonly plans?: readonly string[];
}

const added = ["add ada to Data"];
const unclear = ["! unproven-absence: member ada@acme.example of team acc-1/data"];
const removed = ["! member-removed: member ada@acme.example of team acc-1/data"];
const doubtful = ["! unknown-outcome: additions to team acc-1/data"];

const cases: Readonly<Record<string, Case>> = {
  "whose keys are shown and none is of the team, is added": { plans: added },
  "who holds a key of the team, is not added": { world: (world, one) => giveTeamKey(world, one, "t-1", []) },
  "whose key of the team is deleted, is added": {
    world: (world, one) => {
      giveTeamKey(world, one, "t-1", []).status = "Deleted";
    },
    plans: added,
  },
  "who holds a key of another team of the same name, is added to the one that is meant": {
    world: (world, one) => {
      putTeam(world, { name: "Data", identifier: "t-2" });
      giveTeamKey(world, one, "t-2", []);
    },
    team: { identifier: "t-1" },
    plans: added,
  },
  "who holds a key of the team by name alone, is not added": {
    world: (world, one) => giveTeamKey(world, one, "t-1", []),
    hides: ["team-identifiers"],
  },
  "whom we added, and who is shown without a key, is never mailed again": { state: member(), plans: removed },
  "whom a run met in the team, and who is shown without a key, is never mailed": {
    state: member({ how: "seen" }),
    plans: removed,
  },
  "who created the team by our record, and is shown without a key, is never mailed": {
    state: created({ createdTeam: team, key: "k-lost" }),
    plans: removed,
  },
  "whom we added under the team's former name, is never mailed again": {
    team: { previously: ["Numbers"], identifier: "t-1" },
    state: remembering({ members: { "Numbers/ada": {} } }),
    plans: removed,
  },
  "whose keys are hidden, is a member by record": { state: member(), hides: ["keys"] },
  "whose keys are hidden, is a member by the key that the roster gives": { member: { key: "k-9" }, hides: ["keys"] },
  "whose keys are hidden, is no member where we created her and recorded no addition": {
    state: created(),
    hides: ["keys"],
    plans: added,
  },
  "whose keys are hidden, and of whom nothing is recorded, is not mailed on a doubt": {
    hides: ["keys"],
    plans: unclear,
  },
  "whose keys show no team, is not mailed on a doubt": {
    world: (world, one) => giveTeamKey(world, one, "t-1", []),
    hides: ["teams"],
    plans: unclear,
  },
  "whose keys show no team, is a member by a recorded key that is shown": {
    world: (world, one) => giveTeamKey(world, one, "t-1", []),
    state: member({ prefix: "k6" }),
    hides: ["teams"],
  },
  "whose recorded key is not among the keys shown, is never mailed again": {
    world: (world, one) => giveTeamKey(world, one, "t-1", []),
    state: member({ prefix: "k-lost" }),
    hides: ["teams"],
    plans: removed,
  },
  "whose key by the roster is not among the keys shown, is not mailed on a doubt": {
    world: (world, one) => giveTeamKey(world, one, "t-1", []),
    member: { key: "k-wrong" },
    hides: ["teams"],
    plans: [...unclear, "! unknown-key: key k-wrong"],
  },
  "perhaps added by a run that never learned it, is not mailed again": {
    state: openAddition("t-other"),
    plans: doubtful,
  },
  "perhaps added under a former key of the team, is not mailed again": {
    state: openAddition("t-1", { of: teamKeyOf("acc-1", "Numbers") }),
    plans: doubtful,
  },
  "perhaps added by a run that never learned it, is a member where a person gives the prefix and keys are hidden": {
    state: openAddition("t-1"),
    member: { key: "k-declared" },
    hides: ["keys"],
  },
  "perhaps added by a run that never learned it, is not yet a member by a prefix that is not among the keys shown": {
    state: openAddition("t-1"),
    member: { key: "k-declared" },
    plans: [...doubtful, "! unknown-key: key k-declared"],
  },
  "hidden, and no member by a person's word, is added": {
    hides: ["keys"],
    allows: ["unproven-absence:data/ada@acme.example"],
    plans: added,
  },
  "hidden, and added by us a moment ago, is not mailed again whatever a person says": {
    state: member({ at: noon }),
    hides: ["keys"],
    allows: ["unproven-absence:data/ada@acme.example"],
  },
  "hidden, and perhaps added by us a moment ago, is not mailed again whatever a person says": {
    state: openAddition("t-1", { at: noon }),
    hides: ["keys"],
    allows: ["unknown-outcome:data/ada@acme.example"],
    plans: doubtful,
  },
  "shown without the team, and perhaps added by us, is added where a person says so": {
    state: openAddition("t-1"),
    allows: ["unknown-outcome:data/ada@acme.example"],
    team: { identifier: "t-1" },
    plans: added,
  },
  "shown without the team, and perhaps added by us a moment ago, is not mailed again whatever a person says": {
    state: openAddition("t-1", { at: noon }),
    allows: ["unknown-outcome:data/ada@acme.example"],
    team: { identifier: "t-1" },
    plans: doubtful,
  },
  "hidden, and no member by a word about all, is added": {
    hides: ["keys"],
    allows: ["unproven-absence:*"],
    plans: added,
  },
  "hidden, and another's place by a person's word, is not added": {
    hides: ["keys"],
    allows: ["unproven-absence:ops/ada@acme.example"],
    plans: unclear,
  },
  "hidden, and known by the roster, is a member whatever is said about all": {
    member: { key: "k-1" },
    hides: ["keys"],
    allows: ["unproven-absence:*"],
  },
  "perhaps added by a run that never learned it, is not mailed again for a word about all": {
    state: openAddition("t-1"),
    hides: ["keys"],
    allows: ["unproven-absence:*"],
    plans: doubtful,
  },
  "perhaps added by a run that never learned it, is added where a person says that they are not in the team": {
    state: openAddition("t-1"),
    hides: ["keys"],
    allows: ["unknown-outcome:data/ada@acme.example"],
    plans: added,
  },
  "shown as a member is not added, whatever a person says": {
    world: (world, one) => giveTeamKey(world, one, "t-1", []),
    allows: ["unproven-absence:*"],
  },
  "shown as a member, whatever a run never learned, is not added": {
    world: (world, one) => giveTeamKey(world, one, "t-1", []),
    state: openAddition("t-1"),
  },
};

describe("a member", () => {
  test.each(Object.entries(cases))("%s", (_, { world: change, team: wish, member, ...rest }) => {
    const { plans = [], ...circumstances } = rest;
    const world = aWorldOf({ users: { root: {} }, teams: { Data: { identifier: "t-1", members: ["root"] } } });
    const one = putUser(world, { email: "ada@acme.example", lastName: "Test" });
    change?.(world, one);
    // A team that the service does not show has its identifier in the roster.
    const identifier = circumstances.hides === undefined ? {} : { identifier: "t-1" };
    const team = aTeam("Data", { open: true, members: [{ user: "ada", ...member }], ...identifier, ...wish });
    const roster = aRoster({ users: [aUser("ada")], teams: [team] });
    const plan = planFor(world, roster, circumstances);
    expect([...deeds(plan), ...troublesApartFromIdle(plan)]).toEqual(plans);
  });

  test("joins with all others in one call, by address, new people after their creation", () => {
    const world = aWorldOf({ users: { root: {} }, teams: { Data: { identifier: "t-1", members: ["root"] } } });
    putUser(world, { email: "bo@acme.example", firstName: "Bo", lastName: "Test" });
    const roster = aRoster({
      users: [aUser("ada"), aUser("bo"), aUser("cy")],
      teams: [aTeam("Data", { open: true, members: ["cy", "bo", "ada"] })],
    });
    const plan = planFor(world, roster);
    expect(deeds(plan)).toEqual([
      "create ada",
      "create cy",
      "add ada, bo, cy to Data after create-user:ada@acme.example, create-user:cy@acme.example",
    ]);
    const addition = plan.actions.find((action) => action.kind === "add-members");
    expect(addition?.members).toEqual([
      { address: "ada@acme.example" },
      { address: "bo@acme.example", request: anyDigest },
      { address: "cy@acme.example" },
    ]);
    const created = { known: "unknown", why: "this plan creates the user" };
    expect([...plan.users]).toEqual([
      ["ada@acme.example", { email: "ada@acme.example", identifier: created }],
      ["cy@acme.example", { email: "cy@acme.example", identifier: created }],
      ["bo@acme.example", { email: "bo@acme.example", identifier: { known: "observed", value: "u4", by: "list" } }],
    ]);
  });

  test("of a team that this plan creates joins after its first member", () => {
    const world = aWorldOf({ users: { bo: {} } });
    const roster = aRoster({ users: [aUser("ada"), aUser("bo")], teams: [aTeam("Data", { members: ["bo", "ada"] })] });
    expect(deeds(planFor(world, roster))).toEqual([
      "create ada creating Data with TEAM_ROLE",
      "add bo to Data after create-user:ada@acme.example",
      "set key of ada in Data to TEAM_ROLE after create-user:ada@acme.example",
    ]);
  });
});
