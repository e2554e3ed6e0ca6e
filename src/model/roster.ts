import type { AcceptEntry } from "./accept.ts";
import type { EmailKey } from "./address.ts";
import { type Located, type Place, type Reason, reasonAt } from "./fact.ts";
import type { Profile } from "./recorded.ts";
import type { RoleSet } from "./role-set.ts";
import { sha256 } from "./sha256.ts";
import type { State } from "./state.ts";
import { mergeOwnership, type Ownership, type Subject, subjectAddress, subjectPrefix, subjectTeam } from "./subject.ts";
import { foldName, type TeamKey, teamKeyOf } from "./team.ts";

/**
 * What is wanted: every roster file of a run taken together, its references resolved and its rules held.
 * Groups and references to role sets are gone from it; the places that led through them remain.
 */
export interface Roster {
  /** Account identifiers in the order of their first mention. */
  readonly accounts: readonly Located<string>[];
  /** In roster order: files by path, then place in the file. */
  readonly users: ReadonlyMap<EmailKey, RosterUser>;
  /** In roster order, those whose `until` has come last. Nobody is both a user and a leaver. */
  readonly leavers: ReadonlyMap<EmailKey, Leaver>;
  /** In roster order. */
  readonly teams: readonly RosterTeam[];
  readonly keys: readonly RosterKey[];
  /** By their names: which roles each of them gives, and where it is defined. Whatever refers to them has these roles already. */
  readonly roleSets: ReadonlyMap<string, Located<RoleSet>>;
  /** What differs and may do so until a day. */
  readonly accept: readonly AcceptEntry[];
}

/** Names nobody. */
export const emptyRoster: Roster = {
  accounts: [],
  users: new Map(),
  leavers: new Map(),
  teams: [],
  keys: [],
  roleSets: new Map(),
  accept: [],
};

interface Owned {
  /** As its entry says it. */
  readonly ownership?: Ownership;
}

export interface RosterUser extends Profile, Owned {
  readonly address: EmailKey;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly account: string;
  /** Former addresses under which the service may know this person. */
  readonly previously: readonly Located<EmailKey>[];
  /** The exact roles of the key that is created with a user who creates no team. */
  readonly ownKeyRoles?: DesiredRoles;
  /** The prefix of the key created with the user, where a person knows it. */
  readonly key?: Located<string>;
  /** The first day on which this person is a user, as in `2027-01-31` (UTC); it has not come yet. */
  readonly from?: Located<string>;
  /** The date from which on this person is a leaver, as in `2027-01-31` (UTC); it has not come yet. */
  readonly until?: Located<string>;
  /** Addresses that are near this one and somebody else's all the same. */
  readonly distinctFrom: readonly Located<EmailKey>[];
  readonly place: Place;
  /** The entry, then the defaults and the account that it takes. */
  readonly because: readonly Reason[];
}

/** Roles and the chain that gives them: where they are asked for, and the role sets. */
export interface DesiredRoles extends Located<RoleSet> {
  readonly because: readonly Reason[];
  readonly endings?: readonly RoleEnding[];
}

/** Roles that count until a day, which is the first without them; it has not come yet. */
export interface RoleEnding {
  readonly roles: RoleSet;
  readonly until: Located<string>;
}

/**
 * Somebody who must hold nothing: no place in a team, no role on a key. Of a person whose `until` has come there is
 * one for each address under which the service may know them.
 */
export interface Leaver extends Owned {
  readonly address: EmailKey;
  /** As written. */
  readonly email: string;
  /** Where they were a user; for somebody listed under `leavers`, the account of the file, where it has one. */
  readonly account?: string;
  /** A date, as in `2026-11-20`. */
  readonly since?: string;
  /** Listed under `leavers`, or a user whose `until` has come. */
  readonly by: "leavers" | "until";
  /** The prefix of the key created with them, where the roster names it. */
  readonly key?: Located<string>;
  /** The prefixes of their team keys, where places in teams that no longer count name them. */
  readonly teamKeys: readonly Located<string>[];
  /** What makes them a leaver: the entry under `leavers`, or the `until`. */
  readonly place: Place;
  /** The entry under `leavers`, or the `until` and the user whose it is. */
  readonly because: readonly Reason[];
}

export interface RosterTeam extends Owned {
  readonly key: TeamKey;
  readonly name: string;
  readonly account: string;
  /** The service's own identifier, where a person knows it. */
  readonly identifier?: Located<string>;
  readonly previously: readonly Located<string>[];
  /** Used when the team is created, never compared. */
  readonly admin?: Located<EmailKey>;
  /** The new user with whom the team must be created. */
  readonly firstMember?: Located<EmailKey>;
  /** True where members whom the roster does not name are welcome. */
  readonly open: boolean;
  /** What becomes of a member too many: told alone, or their team key is given no roles as well. */
  readonly onRemoval: "report" | "revoke";
  readonly members: readonly RosterMember[];
  /** When the memberships ended of people whom the roster still names and who are members no more. */
  readonly ended?: ReadonlyMap<EmailKey, Located<string>>;
  /** From when on they are members who are none yet: their `from` or that of the membership has not come. */
  readonly upcoming?: ReadonlyMap<EmailKey, Located<string>>;
  readonly place: Place;
  /** The entry, then the account that it takes. */
  readonly because: readonly Reason[];
  /** Where `onRemoval` is written, where it is. */
  readonly onRemovalAt?: Reason;
}

export interface RosterMember extends Owned {
  readonly address: EmailKey;
  /** The exact roles of this member's team key; absent where the roster does not manage them. */
  readonly roles?: RoleSet;
  readonly endings?: readonly RoleEnding[];
  /** The first day on which they are no member any more; it has not come yet. */
  readonly until?: Located<string>;
  /** The prefix of this member's team key, where a person knows it. */
  readonly key?: Located<string>;
  /** The chain that makes this person a member with these roles: entry, group, roles, role set, team. */
  readonly because: readonly Reason[];
  /** Groups that make them a member as well, and have no say in the roles. */
  readonly alsoBy?: readonly Reason[];
}

/** Why the team key of somebody who is no member is given no roles; undefined where that is only reported. */
export function removalReason(
  { ended, onRemoval, onRemovalAt, because }: RosterTeam,
  address: EmailKey,
): Reason | undefined {
  const until = ended?.get(address);
  if (until !== undefined) return reasonAt(until.place, "until", { name: until.value });
  return onRemoval === "revoke" ? (onRemovalAt ?? because[0]) : undefined;
}

/** Whether a team takes the roles of anybody who is no member. */
export function removesRoles({ ended, onRemoval }: RosterTeam): boolean {
  return onRemoval === "revoke" || ended !== undefined;
}

/** A key managed by its prefix, such as a project key. */
export interface RosterKey extends Owned {
  readonly prefix: string;
  /** The user who holds it. */
  readonly owner?: Located<EmailKey>;
  readonly roles: RoleSet;
  readonly endings?: readonly RoleEnding[];
  readonly place: Place;
  /** The entry, then the role sets. */
  readonly because: readonly Reason[];
}

/** The names under which a team may be known, folded, and the keys under which a record may have it: its own first. */
interface TeamAliases {
  readonly names: ReadonlySet<string>;
  readonly recordKeys: readonly TeamKey[];
}

/** Another team's own name is nobody's former name. */
export function teamAliases(team: RosterTeam, own: ReadonlySet<TeamKey>): TeamAliases {
  const former = team.previously.map(({ value }) => ({ name: foldName(value), key: teamKeyOf(team.account, value) }));
  const free = former.filter(({ key }) => !own.has(key));
  return {
    names: new Set([foldName(team.name), ...free.map(({ name }) => name)]),
    recordKeys: [team.key, ...free.map(({ key }) => key)],
  };
}

/** The keys of the teams' own names. */
export function ownTeamKeys(teams: readonly RosterTeam[]): ReadonlySet<TeamKey> {
  return new Set(teams.map(({ account, name }) => teamKeyOf(account, name)));
}

/** Tells one roster from another by what it asks for and in which order, wherever its lines are and whosever they are. */
export function rosterDigest(roster: Roster): string {
  const { accounts, users, leavers, teams, keys } = roster;
  const parts = [
    accounts.map(({ value }) => value),
    ...[users.values(), leavers.values(), teams, keys].map(contentTexts),
  ];
  return sha256(JSON.stringify(parts)).slice(0, 16);
}

function contentTexts(things: Iterable<object>): readonly string[] {
  return [...things].map((thing) =>
    JSON.stringify(thing, (name, value: unknown) => (isAsideField(name) ? undefined : value)),
  );
}

/** Such fields ask for nothing: a note that changes makes no approved plan stale. */
const asideFields: ReadonlySet<string> = new Set(["place", "because", "alsoBy", "onRemovalAt", "ownership"]);

function isAsideField(name: string): boolean {
  return asideFields.has(name);
}

/** The users of the roster, also by their former addresses. */
export function usersByAddress({ users }: Roster): ReadonlyMap<EmailKey, RosterUser> {
  const former = [...users.values()].flatMap((user) => user.previously.map(({ value }) => [value, user] as const));
  return new Map([...former, ...users]);
}

/** Everybody whom the roster names, under a former address or as the owner of a key too, and where. */
export function namedPeople({ users, leavers, keys }: Roster): ReadonlyMap<EmailKey, Place> {
  const owners = keys.flatMap(({ owner }) => (owner === undefined ? [] : [[owner.value, owner.place] as const]));
  const former = [...users.values()].flatMap(({ previously, place }) =>
    previously.map(({ value }) => [value, place] as const),
  );
  const named = [...leavers.values(), ...users.values()].map(({ address, place }) => [address, place] as const);
  return new Map([...owners, ...former, ...named]);
}

/** Somebody whom the last applied roster named, and whom the roster does not name any more. */
export type DroppedUser = Pick<RosterUser, "address" | "email">;

/** In the order of the last applied roster. A user who moved to another file, account or address is not dropped. */
export function droppedUsers({ users, leavers }: Roster, { applied }: State): readonly DroppedUser[] {
  if (applied === undefined) return [];
  const former = new Set([...users.values()].flatMap(({ previously }) => previously.map(({ value }) => value)));
  const isNamed = (address: EmailKey) => users.has(address) || leavers.has(address) || former.has(address);
  return [...applied.people].flatMap(([address, { email }]) => (isNamed(address) ? [] : [{ address, email }]));
}

const millisecondsPerDay = 86_400_000;
const datePattern = /^(?:19|[2-9]\d)\d{2}-\d{2}-\d{2}$/;

/** Whether a text is a day of the calendar from 1900 on, written as in `2027-01-31`. Such texts sort as their days do. */
export function isDate(text: string): boolean {
  return datePattern.test(text) && normalizedDate(text) === text;
}

/** So many days after a date. */
export function daysAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * millisecondsPerDay).toISOString().slice(0, 10);
}

/** How many days lie between two dates: none on the same day, fewer than none where the second comes first. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / millisecondsPerDay);
}

/** What a date comes to, where days that a month has not got lead into the next. */
function normalizedDate(text: string): string | undefined {
  const [year, month, day] = text.split("-").map(Number);
  if (year === undefined || month === undefined || day === undefined) return undefined;
  return new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10);
}

/** Every address under which the service and the state may know somebody, their own first. */
export function knownAddresses(address: EmailKey, { users }: Roster): readonly EmailKey[] {
  return [address, ...(users.get(address)?.previously ?? []).map(({ value }) => value)];
}

/** A person, a team, a person's place in a team, or a key that the roster lists. */
export interface OwnedThing {
  readonly address?: EmailKey | undefined;
  readonly team?: TeamKey | undefined;
  readonly prefix?: string | undefined;
}

/** Whose the things of a roster are. What the more precise entry says counts: the key's or the member's, then the team's, then the user's. */
export interface OwnershipIndex {
  of(about: OwnedThing): Ownership | undefined;
}

/** Looks only at what it is asked about; a roster that says nothing of it is looked through once. */
export function indexOwnership(roster: Roster): OwnershipIndex {
  if (!saysOwnership(roster)) return ownsNothing;
  const teams = new Map(roster.teams.map((team) => [team.key, team]));
  const keys = new Map(roster.keys.map((key) => [key.prefix, key]));
  const members = new Map<TeamKey, ReadonlyMap<EmailKey, RosterMember>>();
  const membersOf = (team: TeamKey) => {
    const known = members.get(team) ?? new Map(teams.get(team)?.members.map((member) => [member.address, member]));
    members.set(team, known);
    return known;
  };
  return {
    of({ prefix, team, ...about }) {
      const key = prefix === undefined ? undefined : keys.get(prefix);
      const address = about.address ?? key?.owner?.value;
      return mergeOwnership(
        key?.ownership,
        ...(team === undefined
          ? []
          : [address === undefined ? undefined : membersOf(team).get(address)?.ownership, teams.get(team)?.ownership]),
        ...(address === undefined
          ? []
          : [roster.users.get(address)?.ownership ?? roster.leavers.get(address)?.ownership]),
      );
    },
  };
}

const ownsNothing: OwnershipIndex = { of: () => undefined };

function saysOwnership({ users, leavers, teams, keys }: Roster): boolean {
  for (const { ownership } of users.values()) if (ownership !== undefined) return true;
  for (const { ownership } of leavers.values()) if (ownership !== undefined) return true;
  if (keys.some(({ ownership }) => ownership !== undefined)) return true;
  return teams.some(
    ({ ownership, members }) => ownership !== undefined || members.some((member) => member.ownership !== undefined),
  );
}

/** Whose a finding is: that of its subject; where it is about a key, also that of the only person or team that it concerns. */
export function findingOwnership(
  subject: Subject,
  concerns: readonly OwnedThing[],
  index: OwnershipIndex,
): Ownership | undefined {
  const [only, ...others] = concerns;
  const address = subjectAddress(subject);
  const team = subjectTeam(subject);
  const prefix = subjectPrefix(subject);
  return index.of({
    ...(prefix === undefined || others.length > 0 ? {} : only),
    ...(address === undefined ? {} : { address }),
    ...(team === undefined ? {} : { team }),
    ...(prefix === undefined ? {} : { prefix }),
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
