import type { EmailKey } from "./address.ts";
import { described, object, oneOf, optional, type Static } from "./declare.ts";
import type { Located, Place, Reason, RoleEnding } from "./fact.ts";
import { address, name, type Ownership, type RoleSet, type TeamKey, team, text, time } from "./values.ts";

export interface DesiredTeam {
  readonly ownership?: Ownership | undefined;
  readonly key: TeamKey;
  readonly name: string;
  readonly account: string;
  readonly identifier?: Located<string> | undefined;
  readonly previously: readonly Located<string>[];
  /** Used when the team is created, never compared. */
  readonly admin?: Located<EmailKey> | undefined;
  /** The new user with whom the team must be created. */
  readonly firstMember?: Located<EmailKey> | undefined;
  readonly open: boolean;
  /** What becomes of a member too many: only reported, or all roles of their team key are removed as well. */
  readonly onRemoval: "report" | "revoke";
  readonly members: readonly DesiredMember[];
  /** When the memberships ended of people whom the roster still names and who are members no more. */
  readonly ended?: ReadonlyMap<EmailKey, Located<string>> | undefined;
  /** From when on they are members who are none yet: their `from` or that of the membership has not come. */
  readonly upcoming?: ReadonlyMap<EmailKey, Located<string>> | undefined;
  readonly place: Place;
  /** The entry, then the account that it takes. */
  readonly because: readonly Reason[];
  readonly onRemovalAt?: Reason | undefined;
}

export type ObservedTeam = Static<typeof observedTeam>;
export const observedTeam = object({ identifier: optional(text), name: optional(text) });

export type RecordedTeam = Static<typeof recordedTeam>;
export const recordedTeam = object("A team that a run created or saw.", {
  team: described(team, "The account and the folded name."),
  name,
  account: name,
  /** When it was created or, for a team that was met, first seen. */
  at: time,
  identifier: optional(name),
  firstMember: optional(address),
});

export type TeamIdentity = Pick<RecordedTeam, "team" | "name" | "identifier">;

/** Names are compared without regard to case, composition and runs of white space. Folded again, a name stays the same. */
export function foldName(name: string): string {
  return name.normalize("NFC").trim().replace(/\s+/gu, " ").toLowerCase().normalize("NFC");
}

export function teamKeyOf(account: string, name: string): TeamKey {
  return `${account}/${foldName(name)}` as TeamKey;
}

/** Of two teams of one name. No folded name holds a capital letter, so that no other team has this key. */
export function disambiguatedTeamKey(account: string, name: string, identifier: string): TeamKey {
  return `${teamKeyOf(account, name)} ID ${identifier}` as TeamKey;
}

/** Whether a team shares its name with another one, so that its name alone does not identify it. */
export function isDisambiguatedTeamKey(team: TeamKey): boolean {
  return team.includes(" ID ");
}

/** The names and record keys of each team, its own first. Another team's own name is nobody's former name. */
export function teamAliases(teams: readonly DesiredTeam[]) {
  const own = new Set(teams.map(({ account, name }) => teamKeyOf(account, name)));
  return teams.map((team) => {
    const free = team.previously.filter(({ value }) => !own.has(teamKeyOf(team.account, value)));
    const names = new Set([team.name, ...free.map(({ value }) => value)].map(foldName));
    return { team, names, recordKeys: [team.key, ...free.map(({ value }) => teamKeyOf(team.account, value))] };
  });
}

export function removesRoles({ ended, onRemoval }: DesiredTeam): boolean {
  return onRemoval === "revoke" || ended !== undefined;
}

export interface DesiredMember {
  readonly ownership?: Ownership | undefined;
  readonly address: EmailKey;
  /** The exact roles of this member's team key; absent where the roster does not manage them. */
  readonly roles?: RoleSet | undefined;
  readonly endings?: readonly RoleEnding[] | undefined;
  /** The first day on which they are no member any more; it has not come yet. */
  readonly until?: Located<string> | undefined;
  /** The prefix of their team key. */
  readonly key?: Located<string> | undefined;
  /** The chain that makes this person a member with these roles: entry, group, roles, role set, team. */
  readonly because: readonly Reason[];
  /** Groups that make them a member as well, and have no say in the roles. */
  readonly alsoBy?: readonly Reason[] | undefined;
}

export type RecordedMembership = Static<typeof membership>;
export const membership = object("One person's place in one team.", {
  team,
  address,
  how: oneOf("created", "added", "seen"),
  at: time,
  prefix: optional(name),
  seenAt: optional(time, "When a read first showed a membership that a run made."),
});

declare const membershipKey: unique symbol;

export type MembershipKey = string & { readonly [membershipKey]: true };

export function membershipKeyOf(team: TeamKey, address: EmailKey): MembershipKey {
  return `${team} ${address}` as MembershipKey;
}

/** The links that lead to somebody's place in a team, every one of them, without those that say which roles they get there. */
export function membershipReasons({ because, alsoBy = [] }: DesiredMember): readonly Reason[] {
  return [...because.filter(({ as }) => as === "member" || as === "group" || as === "group-member"), ...alsoBy];
}

/** A name that is not shown is no other one. */
export function hasOtherName(team: ObservedTeam | undefined, name: string): boolean {
  return team?.name !== undefined && foldName(team.name) !== foldName(name);
}
