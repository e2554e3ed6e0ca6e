import { describe, expect, test } from "vitest";
import { refusalsReviewed } from "../../../src/log/recorded-refusals.ts";
import { type RecordedRefusal, refusalKeyOf } from "../../../src/model/refusal.ts";
import { roleSet } from "../../../src/model/role-set.ts";
import type { Roster } from "../../../src/model/roster.ts";
import type { Snapshot } from "../../../src/model/snapshot.ts";
import { emptyState, type State } from "../../../src/model/state.ts";
import { membershipKeyOf } from "../../../src/model/team.ts";
import { makePlan } from "../../../src/plan/make-plan.ts";
import { noon, science } from "../../support/event-builders.ts";
import { aPlanInput, aState, sha256 } from "../../support/plan-inputs.ts";
import { allRefused, aRefusal, parts, refusalMap } from "../../support/refusal-builders.ts";
import { addressOf, aKey, aLeaver, aRoster, aTeam, aUser } from "../../support/roster-builders.ts";
import { aShownKey, aShownUser, aSnapshot } from "../../support/snapshot-builders.ts";

const ada = addressOf("ada");
const users = [aUser("ada"), aUser("bo")];
const asked = aRoster({
  users,
  teams: [aTeam("Science", { members: ["ada", { user: "bo", roles: ["DEVELOPER"] }] })],
  keys: [aKey("project", { roles: ["AUDITOR"] })],
});
const inScience = (roles: readonly string[]) =>
  aShownKey("k-1", { identifier: "t-1", name: "Science" }, { roles: roleSet(roles) });

interface Case {
  readonly refusal: RecordedRefusal;
  readonly roster?: Roster;
  readonly shown?: Partial<Snapshot>;
  readonly state?: Partial<State>;
}

const creation = aRefusal(parts.creation("ada"));
const teamCreation = aRefusal(parts.teamCreation("ada"));
const addition = aRefusal(parts.addition("ada"));
const roles = aRefusal(parts.roles("k-1", ["DEVELOPER"], "bo"));
const project = aRefusal(parts.roles("project", ["AUDITOR"]));

const over: Readonly<Record<string, Case>> = {
  "a creation of somebody who is there": { refusal: creation, shown: { users: [aShownUser("ada")] } },
  "a creation of somebody who is there, and whose address a deleted user has as well": {
    refusal: creation,
    shown: { users: [aShownUser("ada", { identifier: "u-2" }), aShownUser("ada", { status: "deleted" })] },
  },
  "a creation of somebody whom the roster does not name": { refusal: creation, roster: aRoster({}) },
  "a creation of a team by somebody who is there": { refusal: teamCreation, shown: { users: [aShownUser("ada")] } },
  "a creation of a team of a team that the roster does not name": { refusal: teamCreation, roster: aRoster({ users }) },
  "a creation of a team by somebody who is no member any more": {
    refusal: teamCreation,
    roster: aRoster({ users, teams: [aTeam("Science", { members: ["bo"] })] }),
  },
  "a creation of a team of a team that is there by our record": {
    refusal: teamCreation,
    state: { teams: new Map([[science, { team: science, name: "Science", account: "acc-1", at: noon }]]) },
  },
  "a creation of a team of a team that is there by its identifier": {
    refusal: teamCreation,
    roster: aRoster({ users, teams: [aTeam("Science", { members: ["ada"], identifier: "t-1" })] }),
  },
  "an addition of somebody who is shown in the team": {
    refusal: addition,
    shown: { users: [aShownUser("ada", { keys: [inScience([])] })] },
  },
  "an addition of somebody who is a member by our record": {
    refusal: addition,
    state: {
      memberships: new Map([[membershipKeyOf(science, ada), { team: science, address: ada, how: "seen", at: noon }]]),
    },
  },
  "an addition of somebody who is no member of it in the roster": {
    refusal: addition,
    roster: aRoster({ users, teams: [aTeam("Science", { members: ["bo"] })] }),
  },
  "the roles of a key that is shown with them": {
    refusal: roles,
    shown: { users: [aShownUser("bo", { keys: [inScience(["DEVELOPER"])] })] },
  },
  "roles that the roster asks for nowhere": {
    refusal: roles,
    roster: aRoster({ users, teams: [aTeam("Science", { members: ["bo"], roles: ["AUDITOR"] })] }),
  },
  "that a leaver's key is to have none, once it has none": {
    refusal: aRefusal(parts.roles("k-1", [], "cy")),
    roster: aRoster({ users, leavers: [aLeaver("cy")] }),
    shown: { users: [aShownUser("cy", { keys: [inScience([])] })] },
  },
  "that somebody's key is to have none, who is neither a leaver nor a member too many": {
    refusal: aRefusal(parts.roles("k-1", [], "cy")),
    shown: { users: [aShownUser("cy", { keys: [inScience(["DEVELOPER"])] })] },
  },
  "other roles of a listed key": {
    refusal: project,
    roster: aRoster({ users, keys: [aKey("project", { roles: [] })] }),
  },
};

const kept: Readonly<Record<string, Case>> = {
  "a creation of somebody who is shown as deleted": {
    refusal: creation,
    shown: { users: [aShownUser("ada", { status: "Deleted" })] },
  },
  "a creation of somebody who shares the address with another": {
    refusal: creation,
    shown: { users: [aShownUser("ada"), aShownUser("ada", { identifier: "u-2" })] },
  },
  "a creation of a team that the roster still wants": { refusal: teamCreation },
  "an addition of somebody who is shown without the team": {
    refusal: addition,
    shown: { users: [aShownUser("ada", { keys: [aShownKey("k", "none")] })] },
  },
  "roles of a key that is shown with others": {
    refusal: roles,
    shown: { users: [aShownUser("bo", { keys: [inScience([])] })] },
  },
  "roles that a user's own key is to have": {
    refusal: aRefusal(parts.roles("k-9", ["DEVELOPER"], "bo")),
    roster: aRoster({ users: [aUser("bo", { ownKeyRoles: ["DEVELOPER"] })] }),
  },
  "roles of a listed key": { refusal: project },
  "that a leaver's key is to have none": {
    refusal: aRefusal(parts.roles("k-9", [], "cy")),
    roster: aRoster({ users, leavers: [aLeaver("cy")] }),
  },
  "that the key of a member too many is to have none": {
    refusal: aRefusal(parts.roles("k-1", [], "cy")),
    roster: aRoster({ users, teams: [aTeam("Science", { onRemoval: "revoke" })] }),
    shown: { users: [aShownUser("cy", { keys: [inScience(["DEVELOPER"])] })] },
  },
};

function reviewed({ refusal, roster = asked, shown = {}, state = {} }: Case) {
  const known = { ...emptyState("l"), ...state, refusals: refusalMap(refusal) };
  return refusalsReviewed(roster, aSnapshot(shown), known, { at: noon, digest: sha256 });
}

describe("a review of remembered refusals", () => {
  test.each(Object.entries(over))("finds over: %s", (_, scene) => {
    const event = { type: "refusals-reviewed", at: noon, over: [refusalKeyOf(scene.refusal.part)], seen: [] };
    expect(reviewed(scene)).toEqual(event);
  });

  test.each(Object.entries(kept))("keeps: %s", (_, scene) => {
    expect(reviewed(scene)).toBeUndefined();
  });

  test("digests what is seen for the first time as a plan does, and nothing twice", () => {
    const shown = { identifier: "acc-1", status: "active", by: "accounts" };
    const snapshot = aSnapshot({
      absent: ["cy", "di"],
      accounts: new Map([["acc-1", shown]]),
      roles: { known: "observed", value: [{ identifier: "AUDITOR", type: "TEAM" }], by: "roles" },
      users: [
        aShownUser("ada", { status: "Invited", keys: [] }),
        aShownUser("bo", { keys: [inScience(["TEAM_ROLE"])] }),
      ],
    });
    const team = aTeam("Science", { members: ["ada", { user: "bo", roles: ["AUDITOR"] }] });
    const roster = aRoster({
      users: [...users, aUser("cy"), aUser("di")],
      teams: [team, aTeam("Lab", { admin: "ada", firstMember: "di", members: ["ada", "di"] })],
    });
    const plan = makePlan(aPlanInput({ roster, snapshot, state: aState() }));
    if (!plan.ok) throw new Error(plan.error.message);
    const refused = allRefused(plan.value).filter(({ part }) => part.of !== "addition" || part.identifier !== "");
    expect(refused.map(({ part }) => part.of).sort()).toEqual(["addition", "creation", "roles", "team-creation"]);
    const unseen = refused.map((one) => ({ ...one, request: { asks: one.request.asks } }));
    const known = { ...emptyState("l"), refusals: refusalMap(...unseen) };
    expect(refusalsReviewed(roster, snapshot, known, { at: noon, digest: sha256 })).toEqual({
      type: "refusals-reviewed",
      at: noon,
      over: [],
      seen: refused.map(({ part, request }) => ({ refusal: refusalKeyOf(part), facts: request.facts })),
    });
    const seen = { ...known, refusals: refusalMap(...refused) };
    expect(refusalsReviewed(roster, snapshot, seen, { at: noon, digest: sha256 })).toBeUndefined();
  });

  test("sees nothing of an administrator who does not exist yet", () => {
    const roster = aRoster({ users, teams: [aTeam("Science", { admin: "bo", members: ["ada", "bo"] })] });
    expect(reviewed({ refusal: { ...teamCreation, request: { asks: "asks" } }, roster })).toBeUndefined();
  });
});
