import { foldName } from "../../model/names.ts";
import { byCodeUnit } from "../../model/role-set.ts";
import { accountStatus, type ObservedKey, type ObservedUser } from "../../model/snapshot.ts";
import { textProblem } from "../values.ts";
import { hasAccess } from "./adopt-people.ts";
import { mostFrequent } from "./commonest.ts";
import { isLiveKey, isProjectKey } from "./manageable-roles.ts";

/** A team as the keys of its members show it. */
export interface ShownTeam {
  readonly identifier: string;
  /** The name that most of its keys show, where one of them can be written. */
  readonly name: string | undefined;
  /** The account of most of its members, where it is known. */
  readonly account: string | undefined;
  readonly holders: readonly TeamHolder[];
}

/** Somebody with keys of one team, in the order in which the service shows them. */
export interface TeamHolder {
  readonly user: ObservedUser;
  readonly keys: readonly ObservedKey[];
}

/** The teams that keys show, and the names of those that no key shows with an identifier. */
export interface ShownTeams {
  readonly teams: readonly ShownTeam[];
  readonly nameless: readonly string[];
}

type AccountOf = (user: ObservedUser) => string | undefined;

interface TeamKeyHolder {
  readonly user: ObservedUser;
  readonly key: ObservedKey;
  readonly identifier: string | undefined;
  readonly name: string | undefined;
}

/** Every team that a key of somebody shows and a roster can name, in the order of names, then of identifiers. */
export function collectTeams(users: readonly ObservedUser[], accountOf: AccountOf): ShownTeams {
  const held = users.flatMap(teamKeyHolders);
  const identified = new Map<string, TeamKeyHolder[]>();
  for (const one of held) {
    if (one.identifier === undefined) continue;
    const group = identified.get(one.identifier);
    if (group === undefined) identified.set(one.identifier, [one]);
    else group.push(one);
  }
  const teams = [...identified].map(([identifier, keys]) => shownTeam(identifier, keys, accountOf));
  const named = held.filter(({ identifier }) => identifier === undefined);
  return { teams: withNameOnlyKeys(teams, named, accountOf).sort(byName), nameless: withoutIdentifier(teams, named) };
}

function teamKeyHolders(user: ObservedUser): readonly TeamKeyHolder[] {
  if (accountStatus(user.status) === "deleted") return [];
  const keys = (user.keys ?? []).filter((key) => isLiveKey(key) && !isProjectKey(key));
  return keys.flatMap((key) => {
    if (key.team === undefined || key.team === "none") return [];
    const { identifier, name } = key.team;
    return identifier !== undefined && textProblem(identifier) !== undefined ? [] : [{ user, key, identifier, name }];
  });
}

function shownTeam(identifier: string, keys: readonly TeamKeyHolder[], accountOf: AccountOf): ShownTeam {
  const holders = groupByUser(keys);
  const trusted = holders.filter(({ user }) => hasAccess(user));
  const accounts = (trusted.length > 0 ? trusted : holders).flatMap(({ user }) => accountOf(user) ?? []);
  const names = keys.flatMap(({ name }) => (name === undefined ? [] : [writableTeamName(name)]));
  return {
    identifier,
    name: mostFrequent(names.filter((name) => textProblem(name) === undefined)),
    account: mostFrequent(accounts),
    holders,
  };
}

function writableTeamName(name: string): string {
  return textProblem(name) === undefined ? name : name.trim().replace(/\s+/gu, " ");
}

function groupByUser(keys: readonly TeamKeyHolder[]): readonly TeamHolder[] {
  const byUser = new Map<ObservedUser, ObservedKey[]>();
  for (const { user, key } of keys) {
    const known = byUser.get(user);
    if (known === undefined) byUser.set(user, [key]);
    else known.push(key);
  }
  return [...byUser].map(([user, own]) => ({ user, keys: own }));
}

/** A key that names a team without its identifier belongs to the only team of that name. */
function withNameOnlyKeys(
  teams: readonly ShownTeam[],
  named: readonly TeamKeyHolder[],
  accountOf: AccountOf,
): ShownTeam[] {
  if (named.length === 0) return [...teams];
  return teams.map((team) => {
    if (teams.some((other) => other !== team && isNamesake(other, team))) return team;
    const joining = named.filter(({ user, name }) => {
      const account = accountOf(user);
      const isElsewhere = account !== undefined && account !== team.account;
      return !isElsewhere && name !== undefined && foldName(name) === foldName(teamName(team));
    });
    return joining.length === 0 ? team : { ...team, holders: inServiceOrder(team.holders, joining) };
  });
}

function inServiceOrder(holders: readonly TeamHolder[], joining: readonly TeamKeyHolder[]): readonly TeamHolder[] {
  const joined = new Set(joining.map(({ key }) => key));
  const own = new Set(holders.flatMap(({ keys }) => keys));
  const users = new Set([...holders.map(({ user }) => user), ...joining.map(({ user }) => user)]);
  return [...users].map((user) => {
    return { user, keys: (user.keys ?? []).filter((key) => own.has(key) || joined.has(key)) };
  });
}

function isNamesake(a: ShownTeam, b: ShownTeam): boolean {
  return a.account === b.account && foldName(teamName(a)) === foldName(teamName(b));
}

/** What the roster calls a team whose name the service does not show. */
export function teamName({ name, identifier }: ShownTeam): string {
  return name ?? identifier;
}

function withoutIdentifier(teams: readonly ShownTeam[], named: readonly TeamKeyHolder[]): readonly string[] {
  const identified = new Set(teams.map((team) => foldName(teamName(team))));
  const names = new Map<string, string>();
  for (const { name } of named) {
    if (name !== undefined && !identified.has(foldName(name))) names.set(foldName(name), name);
  }
  return [...names.values()].sort(byCodeUnit);
}

function byName(a: ShownTeam, b: ShownTeam): number {
  return byCodeUnit(foldName(teamName(a)), foldName(teamName(b))) || byCodeUnit(a.identifier, b.identifier);
}
