import { foldAddress, maxNameLength } from "../../model/address.ts";
import { byCodeUnit, multimap } from "../../model/collections.ts";
import { accountStatus, isDeleted, isOpen, type ObservedKey } from "../../model/key.ts";
import { type RoleSet, sameRoles } from "../../model/role-set.ts";
import { foldName } from "../../model/team.ts";
import type { ObservedUser } from "../../model/user.ts";
import { textProblem } from "../decode-text.ts";
import { type ImportedTeam, isProjectKey, type ManageableRoles, sharedRoles, writableName } from "./users.ts";

export interface ShownTeam {
  readonly identifier: string;
  /** The name that most of its keys show, where one of them can be written. */
  readonly name: string | undefined;
  /** The account of most of its members, where it is known. */
  readonly account: string | undefined;
  readonly holders: readonly TeamHolder[];
}

/** Somebody with keys of one team, in the order in which the service shows them. */
interface TeamHolder {
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
  const identified = multimap(
    held.flatMap((one) => (one.identifier === undefined ? [] : [[one.identifier, one] as const])),
  );
  const teams = [...identified].map(([identifier, keys]) => shownTeam(identifier, keys, accountOf));
  const named = held.filter(({ identifier }) => identifier === undefined);
  return { teams: withNameOnlyKeys(teams, named, accountOf).sort(byName), nameless: withoutIdentifier(teams, named) };
}

function teamKeyHolders(user: ObservedUser): readonly TeamKeyHolder[] {
  if (accountStatus(user.status) === "deleted") return [];
  const keys = (user.keys ?? []).filter((key) => !isDeleted(key) && !isProjectKey(key));
  return keys.flatMap((key) => {
    if (key.team === undefined || key.team === "none") return [];
    const { identifier, name } = key.team;
    return identifier !== undefined && textProblem(identifier) !== undefined ? [] : [{ user, key, identifier, name }];
  });
}

function shownTeam(identifier: string, keys: readonly TeamKeyHolder[], accountOf: AccountOf): ShownTeam {
  const byUser = multimap(keys.map(({ user, key }) => [user, key]));
  const holders = [...byUser].map(([user, own]) => ({ user, keys: own }));
  const trusted = holders.filter(({ user }) => isOpen(user));
  const accounts = (trusted.length > 0 ? trusted : holders).flatMap(({ user }) => accountOf(user) ?? []);
  const names = keys.flatMap(({ name }) => (name === undefined ? [] : [writableName(name)]));
  return {
    identifier,
    name: mostFrequent(names.filter((name) => textProblem(name, maxNameLength) === undefined)),
    account: mostFrequent(accounts),
    holders,
  };
}

/** A key that names a team without its identifier belongs to the only team of that name. */
function withNameOnlyKeys(
  teams: readonly ShownTeam[],
  named: readonly TeamKeyHolder[],
  accountOf: AccountOf,
): ShownTeam[] {
  if (named.length === 0) return [...teams];
  return teams.map((team) => {
    if (teams.some((other) => other !== team && hasSameName(other, team))) return team;
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

function hasSameName(a: ShownTeam, b: ShownTeam): boolean {
  return a.account === b.account && foldName(teamName(a)) === foldName(teamName(b));
}

/** What the roster calls a team whose name the service does not show. */
function teamName({ name, identifier }: ShownTeam): string {
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

export interface TeamContext {
  /** The address under which the roster names a person; nothing where it does not name them. */
  readonly emailOf: (user: ObservedUser) => string | undefined;
  readonly judge: (key: ObservedKey) => ManageableRoles;
  /** `omit`: the service shows none. */
  readonly roles: "keep" | "omit";
}

interface TeamMemberRoles {
  readonly email: string;
  readonly roles: ManageableRoles;
}

/** A team with all its members, open only where somebody in it cannot be named. */
export function importTeam(team: ShownTeam, ground: TeamContext): ImportedTeam {
  const members = teamMembers(team.holders, ground);
  const strangers = team.holders.filter((holder) => isUnnamedMember(holder, ground)).map(({ user }) => user.email);
  const unmanaged = members.flatMap(({ email, roles }) =>
    ground.roles === "keep" && "why" in roles ? [`${email} (${roles.why})`] : [],
  );
  const remarks = [
    team.name === undefined && "The service does not show the name of this team: its identifier is written instead.",
    strangers.length > 0 && `Open, because the roster cannot list ${strangers.join(", ")}.`,
    unmanaged.length > 0 && `The roles of ${unmanaged.join(", ")} are not managed, so the team has no \`roles\`.`,
  ];
  const usual = unmanaged.length > 0 ? undefined : mostFrequentRoles(members);
  return {
    name: teamName(team),
    identifier: team.identifier,
    open: strangers.length > 0,
    roles: usual,
    members: members.map(({ email, roles }) => {
      const isUsual = "why" in roles || (usual !== undefined && sameRoles(roles.roles, usual));
      return { email, roles: isUsual ? undefined : roles.roles };
    }),
    remarks: remarks.filter((remark) => remark !== false),
  };
}

function teamMembers(holders: readonly TeamHolder[], { emailOf, judge }: TeamContext): readonly TeamMemberRoles[] {
  const named = new Map<string, TeamMemberRoles>();
  for (const { user, keys } of holders) {
    const email = emailOf(user);
    if (email !== undefined && !named.has(email)) named.set(email, { email, roles: sharedRoles(keys.map(judge)) });
  }
  return [...named.values()].sort((a, b) => byCodeUnit(foldAddress(a.email), foldAddress(b.email)));
}

/** Somebody that a plan would call a member too many, without that being what the roster wants. */
function isUnnamedMember({ user, keys }: TeamHolder, { emailOf }: TeamContext): boolean {
  if (emailOf(user) !== undefined || !isOpen(user)) return false;
  return keys.some(({ status }) => accountStatus(status) !== "barred");
}

/** Role sets are sorted lists, so that equal sets are equal texts. */
function mostFrequentRoles(members: readonly TeamMemberRoles[]): RoleSet | undefined {
  const sets = new Map<string, RoleSet>();
  const texts = members.flatMap(({ roles }) => {
    if ("why" in roles) return [];
    const text = JSON.stringify(roles.roles);
    sets.set(text, roles.roles);
    return [text];
  });
  return sets.get(mostFrequent(texts) ?? "");
}

/** The text that occurs most often; of several, the first in the order of code units. */
function mostFrequent(texts: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  const ranked = [...counts].sort(([a, many], [b, more]) => more - many || byCodeUnit(a, b));
  return ranked[0]?.[0];
}
