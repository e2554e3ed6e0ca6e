import type { Action } from "../../model/action.ts";
import type { FoldedAddress } from "../../model/address.ts";
import { factValue } from "../../model/fact.ts";
import { accountStatus, type ObservedKey, type ObservedUser } from "../../model/snapshot.ts";
import { shownOwnKey, shownTeamKey, type TeamIdentity, type TeamKey } from "../../model/team.ts";
import type { ExplainContext } from "./explanation.ts";
import { type RoleGrant, roleGrants } from "./role-wishes.ts";

/** What has become of one wish for a role. */
export interface RoleGrantStatus {
  readonly wish: RoleGrant;
  readonly is: "shown" | "recorded" | "planned" | "open";
  /** Of the keys that the wish is about, as far as they are known. */
  readonly prefixes: readonly string[];
}

/** Of every key to which the roster gives a role: whether it has it, or gets it by the plan. */
export function roleGrantStatuses(role: string, known: ExplainContext): readonly RoleGrantStatus[] {
  const { roster, plan, agreements } = known;
  const shelf = buildKeyLookup(known);
  const given = new Set(plan.actions.flatMap((action) => (grantsRole(action, role) ? keyNamesOf(action, shelf) : [])));
  const settled = new Map<string, string>();
  for (const { prefix, address, team } of agreements) {
    if (prefix === undefined) continue;
    settled.set(`key ${prefix}`, prefix);
    if (address !== undefined && team !== undefined) settled.set(`team ${team} ${address}`, prefix);
    else if (address !== undefined && !shelf.listed.has(prefix)) settled.set(`own ${address}`, prefix);
  }
  return roleGrants(role, roster).map((wish) => {
    const name = keyName(wish.key);
    const shown = shownKey(wish.key, shelf);
    const recorded = settled.get(name);
    const prefixes = [shown?.prefix, recorded].filter((prefix) => prefix !== undefined);
    if (shown?.roles?.includes(role) === true) return { wish, is: "shown", prefixes };
    if (recorded !== undefined) return { wish, is: "recorded", prefixes };
    return { wish, is: given.has(name) ? "planned" : "open", prefixes };
  });
}

/** What findings are about that keep somebody from the role. */
export function missingSubjects(standings: readonly RoleGrantStatus[]): readonly string[] {
  return standings.flatMap((one) => (one.is === "open" ? subjectsOf(one) : []));
}

function subjectsOf({ wish: { key }, prefixes }: RoleGrantStatus): readonly string[] {
  const keys = prefixes.map((prefix) => `key ${prefix}`);
  switch (key.of) {
    case "own-key":
      return [`user ${key.address}`, ...keys];
    case "team-key": {
      const team = `team ${key.team}`;
      return [`user ${key.address}`, team, `member ${key.address} of ${team}`, `additions to ${team}`, ...keys];
    }
    case "listed":
      return [`key ${key.prefix}`, ...(key.owner === undefined ? [] : [`user ${key.owner}`])];
  }
}

function keyName(key: RoleGrant["key"]): string {
  switch (key.of) {
    case "own-key":
      return `own ${key.address}`;
    case "team-key":
      return `team ${key.team} ${key.address}`;
    case "listed":
      return `key ${key.prefix}`;
  }
}

function grantsRole(action: Action, role: string): boolean {
  switch (action.kind) {
    case "create-user":
      return action.founds?.accessKeyRoles.includes(role) === true;
    case "add-members":
      return false;
    case "replace-roles":
      return action.roles.includes(role);
  }
}

/** By the names that wishes have. */
function keyNamesOf(action: Action, { listed }: KeyLookup): readonly string[] {
  if (action.kind === "create-user") {
    return action.founds === undefined ? [] : [`team ${action.founds.team} ${action.address}`];
  }
  if (action.kind === "add-members") return [];
  const { key, owner } = action;
  if (key.of === "own-key") return [`own ${key.address}`];
  if (key.of === "team-key") return [`team ${key.team.team} ${key.address}`];
  const prefix = factValue(key.prefix);
  return [
    ...(prefix === undefined ? [] : [`key ${prefix}`]),
    ...(owner !== undefined && key.team !== undefined ? [`team ${key.team.team} ${owner.address}`] : []),
    ...(owner !== undefined && key.team === undefined && !listed.has(prefix ?? "") ? [`own ${owner.address}`] : []),
  ];
}

/** What wishes are looked up in: there may be as many of them as there are people. */
interface KeyLookup {
  readonly users: ReadonlyMap<FoldedAddress, ObservedUser>;
  readonly teams: ReadonlyMap<TeamKey, TeamIdentity>;
  readonly keys: ReadonlyMap<string, ObservedKey>;
  /** Prefixes that stand under `keys`. */
  readonly listed: ReadonlySet<string>;
}

function buildKeyLookup({ snapshot, roster, state }: ExplainContext): KeyLookup {
  const present = snapshot.users.filter(({ status }) => accountStatus(status) !== "deleted");
  const teams = roster.teams.map(({ key: team, name, identifier }): [TeamKey, TeamIdentity] => {
    return [team, { team, name, identifier: identifier?.value ?? state.teams.get(team)?.identifier }];
  });
  return {
    users: new Map(present.map((user) => [user.address, user])),
    teams: new Map(teams),
    keys: new Map(snapshot.users.flatMap(({ keys = [] }) => keys.map((key) => [key.prefix, key]))),
    listed: new Set(roster.keys.map(({ prefix }) => prefix)),
  };
}

function shownKey(key: RoleGrant["key"], { users, teams, keys }: KeyLookup): ObservedKey | undefined {
  if (key.of === "listed") return keys.get(key.prefix);
  const user = users.get(key.address);
  if (user === undefined) return undefined;
  if (key.of === "own-key") return shownOwnKey(user);
  const team = teams.get(key.team);
  const held = team === undefined ? undefined : shownTeamKey(user, team);
  return held?.is === "shown" ? held.key : undefined;
}
