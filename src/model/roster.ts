import type { AcceptEntry } from "./accept.ts";
import type { EmailKey } from "./address.ts";
import type { Located } from "./fact.ts";
import type { DesiredKey } from "./key.ts";
import { membershipKeyOf } from "./membership.ts";
import type { Ownership, TeamKey } from "./recorded.ts";
import type { RoleSet } from "./role-set.ts";
import { sha256 } from "./sha256.ts";
import type { State } from "./state.ts";
import { mergeOwnership, type Subject, subjectAddress, subjectPrefix, subjectTeam } from "./subject.ts";
import type { DesiredTeam } from "./team.ts";
import type { AddressedUser, DesiredUser, Leaver } from "./user.ts";

/**
 * What is wanted: every roster file of a run taken together, its references resolved and its rules held.
 * Groups and references to role sets are gone from it; the places that led through them remain.
 */
export interface Roster {
  /** Account identifiers in the order of their first mention. */
  readonly accounts: readonly Located<string>[];
  /** In roster order: files by path, then place in the file. */
  readonly users: ReadonlyMap<EmailKey, DesiredUser>;
  /** In roster order, those whose `until` has come last. Nobody is both a user and a leaver. */
  readonly leavers: ReadonlyMap<EmailKey, Leaver>;
  readonly teams: readonly DesiredTeam[];
  readonly keys: readonly DesiredKey[];
  /** By their names: which roles each of them gives, and where it is defined. Whatever refers to them has these roles already. */
  readonly roleSets: ReadonlyMap<string, Located<RoleSet>>;
  readonly accept: readonly AcceptEntry[];
}

export const emptyRoster: Roster = {
  accounts: [],
  users: new Map(),
  leavers: new Map(),
  teams: [],
  keys: [],
  roleSets: new Map(),
  accept: [],
};

/** Tells one roster from another by what it asks for and in which order, wherever its lines are and whosever they are. */
export function rosterDigest({ accounts, users, leavers, teams, keys }: Roster): string {
  const parts = [accounts.map(({ value }) => value), [...users.values()], [...leavers.values()], teams, keys];
  const text = JSON.stringify(parts, (name, value: unknown) => (asideFields.has(name) ? undefined : value));
  return sha256(text).slice(0, 16);
}

/** Such fields ask for nothing: a note that changes makes no approved plan stale. */
const asideFields: ReadonlySet<string> = new Set(["place", "because", "alsoBy", "onRemovalAt", "ownership"]);

export function usersByAddress({ users }: Roster): ReadonlyMap<EmailKey, DesiredUser> {
  const former = [...users.values()].flatMap((user) => user.previously.map(({ value }) => [value, user] as const));
  return new Map([...former, ...users]);
}

/** In the order of the last applied roster. A user who moved to another file, account or address is not dropped. */
export function droppedUsers({ users, leavers }: Roster, { applied }: State): readonly AddressedUser[] {
  if (applied === undefined) return [];
  const former = new Set([...users.values()].flatMap(({ previously }) => previously.map(({ value }) => value)));
  const isNamed = (address: EmailKey) => users.has(address) || leavers.has(address) || former.has(address);
  return [...applied.people].flatMap(([address, person]) => (isNamed(address) ? [] : [person]));
}

/** Whether a text is a day of the calendar from 1900 on, written as in `2027-01-31`. Such texts sort as their days do. */
export function isDate(text: string): boolean {
  return (
    /^(?:19|[2-9]\d)\d{2}-\d{2}-\d{2}$/.test(text) && Number.isFinite(Date.parse(text)) && daysAfter(text, 0) === text
  );
}

export function daysAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
}

/** How many days lie between two dates: none on the same day, fewer than none where the second comes first. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);
}

/** Every address under which the service and the state may know somebody, their own first. */
export function knownAddresses(address: EmailKey, { users }: Roster): readonly EmailKey[] {
  return [address, ...(users.get(address)?.previously ?? []).map(({ value }) => value)];
}

export interface OwnedThing {
  readonly address?: EmailKey | undefined;
  readonly team?: TeamKey | undefined;
  readonly prefix?: string | undefined;
}

/** Whose a thing is. What the more precise entry says counts: the key's or the member's, then the team's, then the user's. */
export type OwnershipLookup = (about: OwnedThing) => Ownership | undefined;

export function indexOwnership({ users, leavers, teams, keys }: Roster): OwnershipLookup {
  const ofTeams = new Map(teams.map(({ key, ownership }) => [key, ownership]));
  const ofKeys = new Map(keys.map((key) => [key.prefix, key]));
  const ofMembers = new Map(
    teams.flatMap(({ key, members }) =>
      members.flatMap(({ address, ownership }) => (ownership ? [[membershipKeyOf(key, address), ownership]] : [])),
    ),
  );
  return ({ prefix, team, ...about }) => {
    const key = prefix === undefined ? undefined : ofKeys.get(prefix);
    const address = about.address ?? key?.owner?.value;
    return mergeOwnership(
      key?.ownership,
      team && address && ofMembers.get(membershipKeyOf(team, address)),
      team && ofTeams.get(team),
      address && (users.get(address) ?? leavers.get(address))?.ownership,
    );
  };
}

/** Whose a finding is: that of its subject; where it is about a key, also that of the only person or team that it concerns. */
export function findingOwnership(
  subject: Subject,
  concerns: readonly OwnedThing[],
  index: OwnershipLookup,
): Ownership | undefined {
  const prefix = subjectPrefix(subject);
  const only = prefix !== undefined && concerns.length === 1 ? concerns[0] : undefined;
  return index({
    address: subjectAddress(subject) ?? only?.address,
    team: subjectTeam(subject) ?? only?.team,
    prefix: prefix ?? only?.prefix,
  });
}

/** Who is to see to something: the owner that the roster declares, else the admin of its team, else the holder of its key. */
export function ownerLookup(roster: Roster): (subject: Subject, ownership?: Ownership) => string | undefined {
  const admins = new Map(roster.teams.map(({ key, admin }) => [key, admin?.value]));
  const holders = new Map(roster.keys.map(({ prefix, owner }) => [prefix, owner?.value]));
  return (subject, ownership) => {
    const team = subjectTeam(subject);
    const prefix = subjectPrefix(subject);
    return ownership?.owner ?? (team && admins.get(team)) ?? (prefix === undefined ? undefined : holders.get(prefix));
  };
}
