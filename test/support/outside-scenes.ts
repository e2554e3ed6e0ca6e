import type { Drift, Plan } from "../../src/model/plan.ts";
import type { Roster } from "../../src/model/roster.ts";
import type { Snapshot } from "../../src/model/snapshot.ts";
import type { State } from "../../src/model/state.ts";
import { teamKeyOf } from "../../src/model/team.ts";
import type { ObservedUser } from "../../src/model/user.ts";
import type { RoleSet } from "../../src/model/values.ts";
import { aPolicy, plannedDrift } from "./plan-inputs.ts";
import { addressOf, aKey, aRoster, aTeam, aUser, emailOf } from "./roster-builders.ts";
import { aShownKey, aShownUser, aSnapshot } from "./snapshot-builders.ts";
import { remembering } from "./state-builders.ts";

/** What an apply has left at 10:00, and what the service shows at noon. */
interface Scene {
  readonly roster: Roster;
  readonly state: State;
  readonly snapshot: Snapshot;
}

const at = "2026-11-20T10:00:00.000Z";
const team = teamKeyOf("acc-1", "Pricing");
const left = ["DEVELOPER", "TEAM_ROLE"];

const olga = aUser("olga");
const roster = aRoster({
  users: [olga],
  teams: [aTeam("Pricing", { members: ["olga"], roles: left })],
});

/** Olga created Pricing and has its key, with the roles that apply gave it. */
const state = remembering({
  users: { olga: { identifier: "u-olga", createdAt: at, key: "k-olga", createdTeam: team } },
  teams: { Pricing: { identifier: "t-1", firstMember: olga.address, at } },
  members: { "Pricing/olga": { how: "created", at, prefix: "k-olga" } },
  keys: { "k-olga": { setRoles: left, observedRoles: left, at } },
});

function inPricing(name: string, roles: RoleSet, teamName = "Pricing"): ObservedUser {
  const key = aShownKey(`k-${name}`, { identifier: "t-1", name: teamName }, { roles });
  return aShownUser(name, { account: "acc-1", keys: [key] });
}

function shows(users: readonly ObservedUser[], absent: readonly string[] = []): Snapshot {
  const accounts = new Map([["acc-1", { identifier: "acc-1", status: "active", by: "account acc-1" }]]);
  const roles = [...left, "AUDITOR", "ACCOUNT_ADMIN"].map((identifier) => ({ identifier }));
  return aSnapshot({ users, accounts, roles: { known: "observed", value: roles, by: "roles" }, absent });
}

const olgaAsLeft = inPricing("olga", left);

const outsideScenes = {
  escalation: { roster, state, snapshot: shows([inPricing("olga", ["ACCOUNT_ADMIN", ...left])]) },
  loss: { roster, state, snapshot: shows([inPricing("olga", ["TEAM_ROLE"])]) },
  "removed member": { roster, state, snapshot: shows([{ ...olgaAsLeft, keys: [] }]) },
  "added member": { roster, state, snapshot: shows([olgaAsLeft, inPricing("zed", ["AUDITOR"])]) },
  "added administrator": { roster, state, snapshot: shows([olgaAsLeft, inPricing("zed", ["ACCOUNT_ADMIN"])]) },
  "removed user": { roster, state, snapshot: shows([], ["olga"]) },
  "renamed team": { roster, state, snapshot: shows([inPricing("olga", left, "Rates")]) },
  "changed address": {
    roster,
    state,
    snapshot: shows([{ ...olgaAsLeft, email: emailOf("olga.b"), address: addressOf("olga.b") }], ["olga"]),
  },
  "escalation of a key that the roster leaves alone": {
    roster: aRoster({ users: [olga, aUser("pat")], teams: roster.teams }),
    state: {
      ...state,
      users: new Map([...state.users, ...remembering({ users: { pat: { createdAt: at, key: "k-pat" } } }).users]),
    },
    snapshot: shows([
      olgaAsLeft,
      aShownUser("pat", {
        account: "acc-1",
        keys: [aShownKey("k-pat", "none", { kind: "user", roles: ["ACCOUNT_ADMIN", "TEAM_ROLE"] })],
      }),
    ]),
  },
  "removed key": {
    roster: aRoster({ keys: [aKey("k-gone", { roles: left })] }),
    state: remembering({ keys: { "k-gone": { setRoles: left, observedRoles: left, at } } }),
    snapshot: shows([]),
  },
  "nothing changed": { roster, state, snapshot: shows([olgaAsLeft]) },
} as const satisfies Readonly<Record<string, Scene>>;

export type OutsideSceneName = keyof typeof outsideScenes;

export function driftOfScene(name: OutsideSceneName): { readonly plan: Plan; readonly drift: Drift } {
  return plannedDrift({ ...outsideScenes[name], policy: aPolicy({ reportUnmanaged: true }) });
}
