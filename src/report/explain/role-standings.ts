import type { Action } from "../../model/action.ts";
import { factValue } from "../../model/fact.ts";
import { shownOwnKey, shownTeamKey } from "../../model/shown-keys.ts";
import { type ObservedKey, type ObservedUser, standing } from "../../model/snapshot.ts";
import type { Known } from "./explanation.ts";
import { type RoleWish, roleWishes } from "./role-wishes.ts";

/** What has become of one wish for a role. */
export interface WishStanding {
  readonly wish: RoleWish;
  readonly is: "shown" | "recorded" | "planned" | "open";
  /** Of the keys that the wish is about, as far as they are known. */
  readonly prefixes: readonly string[];
}

/** Of every key to which the roster gives a role: whether it has it, or gets it by the plan. */
export function roleStandings(role: string, known: Known): readonly WishStanding[] {
  const { roster, plan, agreements } = known;
  const given = new Set(plan.actions.flatMap((action) => (gives(action, role) ? keysOf(action, known) : [])));
  const settled = new Map<string, string>();
  for (const { prefix, address, team } of agreements) {
    if (prefix === undefined) continue;
    settled.set(`key ${prefix}`, prefix);
    if (address !== undefined && team !== undefined) settled.set(`team ${team} ${address}`, prefix);
    else if (address !== undefined && !isListed(prefix, known)) settled.set(`own ${address}`, prefix);
  }
  return roleWishes(role, roster).map((wish) => {
    const name = nameOf(wish.key);
    const shown = shownKey(wish.key, known);
    const recorded = settled.get(name);
    const prefixes = [shown?.prefix, recorded].filter((prefix) => prefix !== undefined);
    if (shown?.roles?.includes(role) === true) return { wish, is: "shown", prefixes };
    if (recorded !== undefined) return { wish, is: "recorded", prefixes };
    return { wish, is: given.has(name) ? "planned" : "open", prefixes };
  });
}

/** What findings are about that keep somebody from the role. */
export function missingSubjects(standings: readonly WishStanding[]): readonly string[] {
  return standings.flatMap((one) => (one.is === "open" ? subjectsOf(one) : []));
}

function subjectsOf({ wish: { key }, prefixes }: WishStanding): readonly string[] {
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

function nameOf(key: RoleWish["key"]): string {
  switch (key.of) {
    case "own-key":
      return `own ${key.address}`;
    case "team-key":
      return `team ${key.team} ${key.address}`;
    case "listed":
      return `key ${key.prefix}`;
  }
}

function gives(action: Action, role: string): boolean {
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
function keysOf(action: Action, known: Known): readonly string[] {
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
    ...(owner !== undefined && key.team === undefined && !isListed(prefix, known) ? [`own ${owner.address}`] : []),
  ];
}

function isListed(prefix: string | undefined, { roster }: Known): boolean {
  return roster.keys.some((key) => key.prefix === prefix);
}

function shownKey(key: RoleWish["key"], known: Known): ObservedKey | undefined {
  const { snapshot, roster, state } = known;
  if (key.of === "listed") {
    return snapshot.users.flatMap(({ keys = [] }) => keys).find(({ prefix }) => prefix === key.prefix);
  }
  const user = personShown(snapshot.users, key.address);
  if (user === undefined) return undefined;
  if (key.of === "own-key") return shownOwnKey(user);
  const team = roster.teams.find((one) => one.key === key.team);
  if (team === undefined) return undefined;
  const identifier = team.identifier?.value ?? state.teams.get(team.key)?.identifier;
  const held = shownTeamKey(user, { team: team.key, name: team.name, identifier });
  return held.is === "shown" ? held.key : undefined;
}

function personShown(users: readonly ObservedUser[], address: string): ObservedUser | undefined {
  return users.find((user) => user.address === address && standing(user.status) !== "deleted");
}
