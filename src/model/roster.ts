import type { EmailKey } from "./address.ts";
import { multimap } from "./collections.ts";
import { type Located, mergeOwnership, type OwnedThing, type Place, type RoleEnding } from "./fact.ts";
import type { AcceptEntry } from "./finding.ts";
import { sha256 } from "./json.ts";
import { type DesiredKey, keyBelongsToTeam, type ObservedKey, shownOwnKey, shownTeam } from "./key.ts";
import type { State } from "./state.ts";
import {
  type DesiredMember,
  type DesiredTeam,
  disambiguatedTeamKey,
  foldName,
  membershipKeyOf,
  teamAliases,
  teamKeyOf,
} from "./team.ts";
import type { AddressedUser, DesiredUser, Leaver, ObservedUser } from "./user.ts";
import type { Ownership, RoleSet, TeamKey } from "./values.ts";

/** All roster files of a run. Groups and references to role sets are resolved; places that lead through them stay. */
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
export function droppedUsers(roster: Roster, { applied }: State): readonly AddressedUser[] {
  if (applied === undefined) return [];
  const users = usersByAddress(roster);
  return [...applied.people.values()].filter(({ address }) => !users.has(address) && !roster.leavers.has(address));
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

export type RosterIndex = ReturnType<typeof indexRoster>;

export interface HeldKey {
  readonly holder: Pick<ObservedUser, "address" | "keys">;
  readonly key: ObservedKey;
}

/**
 * How the roster leads to a key. `managed`: it says which roles the key has. `named`: it names the key, or the place in which
 * somebody holds it, and leaves its roles alone. `unclear`: the service does not show what key it is.
 */
export interface KeyInRoster {
  readonly is: "managed" | "named" | "unclear" | "unlisted";
  /** The team in which its holder has the key, by the roster. */
  readonly team?: TeamKey | undefined;
  /** Where it is managed, and where that stands. */
  readonly roles?: RoleSet | undefined;
  readonly endings?: readonly RoleEnding[] | undefined;
  readonly place?: Place | undefined;
  /** All that leads to it: of a user it is the own key. */
  readonly entries: readonly (DesiredKey | Leaver | DesiredMember | DesiredUser)[];
}

/** Under which names and keys a team of the roster may be found. */
export interface TeamInRoster {
  readonly team: DesiredTeam;
  /** Folded names under which keys may show it. */
  readonly names: ReadonlySet<string>;
  /** True where its account has another team of its name, so that the name alone does not tell which one is shown. */
  readonly isTwin: boolean;
  /** Keys under which the state may remember it: its own first, then those of its former names. */
  readonly recordKeys: readonly TeamKey[];
}

/** Leads from what the service shows to what the roster says of it. */
export function indexRoster(roster: Roster, state: State) {
  const users = usersByAddress(roster);
  const listed = new Map(roster.keys.map((key) => [key.prefix, key]));
  const byKey = new Map(roster.teams.map((team) => [team.key, team]));
  const inRoster = teamsInRoster(roster, state);
  const teams = inRoster.map((known) => {
    const [recorded] = known.recordKeys.flatMap((key) => state.teams.get(key)?.identifier ?? []);
    const members = new Map(known.team.members.map((member) => [member.address, member]));
    return { ...known, identifier: known.team.identifier?.value ?? recorded, members };
  });
  const byName = multimap(teams.flatMap((known) => [...known.names].map((name) => [name, known] as const)));
  const byIdentifier = new Map(teams.map((known) => [known.identifier, known]));

  const teamsShownBy = (key: ObservedKey): typeof teams => {
    const { identifier, name } = shownTeam(key) ?? {};
    const identified = identifier === undefined ? undefined : byIdentifier.get(identifier);
    const named = name === undefined ? [] : (byName.get(foldName(name)) ?? []);
    return [...(identified === undefined ? [] : [identified]), ...named].filter(
      (known) => keyBelongsToTeam(key, known) === "yes",
    );
  };

  /** The place that the person holds the key in, as the key shows it, a record knows it or the roster says it. */
  const placeOf = (key: ObservedKey, { address, account }: DesiredUser) => {
    const shown = teamsShownBy(key);
    const isHeldIn = ({ members, recordKeys }: (typeof teams)[number]) =>
      members.get(address)?.key?.value === key.prefix ||
      recordKeys.some((team) => state.memberships.get(membershipKeyOf(team, address))?.prefix === key.prefix);
    const known =
      shown.find(({ team }) => team.account === account) ??
      shown[0] ??
      (key.team === undefined ? teams.find((one) => one.members.has(address) && isHeldIn(one)) : undefined);
    const member = known?.members.get(address);
    return known === undefined || member === undefined ? undefined : { team: known.team, member };
  };

  const isOwnKey = ({ key, holder }: HeldKey, user: DesiredUser): boolean => {
    const record = state.users.get(user.address);
    const recorded = record?.createdTeam === undefined ? record?.key : undefined;
    return [shownOwnKey(holder)?.prefix, user.key?.value, recorded].includes(key.prefix);
  };

  return {
    /** The user that the roster means by the address, by a former one too. */
    userAt: (address: EmailKey) => users.get(address),
    isLeaver: (address: EmailKey) => roster.leavers.has(address),
    /** As a user or as a leaver. */
    isNamed: (address: EmailKey) => users.has(address) || roster.leavers.has(address),
    teamWithKey: (key: TeamKey) => byKey.get(key),
    /** In roster order. */
    teams: inRoster,
    /** By its name or a former one, where that is of one team alone, or by its identifier. */
    teamNamed(name: string) {
      const [one, another] = byName.get(foldName(name)) ?? [];
      return another === undefined ? (one ?? byIdentifier.get(name))?.team : undefined;
    },
    /** The team of the roster whose key it is. */
    teamOf: (key: ObservedKey) => teamsShownBy(key)[0]?.team,
    keyOf(held: HeldKey): KeyInRoster {
      const { key, holder } = held;
      const user = users.get(holder.address);
      const place = user && placeOf(key, user);
      const own = place === undefined && user !== undefined && isOwnKey(held, user) ? user : undefined;
      const [entry, leaver] = [listed.get(key.prefix), roster.leavers.get(holder.address)];
      const entries = [entry, leaver, place?.member, own].filter((one) => one !== undefined);
      const given =
        entry ??
        (leaver && { roles: [], place: leaver.place }) ??
        (place && givenToMember(place)) ??
        (own && givenTo(own));
      if (given !== undefined) {
        const { roles, endings, place: at } = given;
        const is = roles === undefined ? "named" : "managed";
        return { is, team: place?.team.key, roles, endings, place: at, entries };
      }
      const isUnclear = user !== undefined && key.team === undefined && key.kind === undefined;
      return { is: isUnclear ? "unclear" : "unlisted", entries };
    },
  };
}

/** Where the roster gives roles, and until when; without roles it leaves them alone. */
type Given = Pick<KeyInRoster, "roles" | "endings" | "place">;

function givenToMember({ team, member }: { readonly team: DesiredTeam; readonly member: DesiredMember }): Given {
  const { roles, endings = [], until, because } = member;
  const ends = until === undefined ? endings : [...endings, { roles: roles ?? [], until }];
  return { roles, endings: ends, place: because[0] ?? team.place };
}

function givenTo({ ownKeyRoles, place }: DesiredUser): Given {
  return ownKeyRoles === undefined ? { place } : { ...ownKeyRoles, roles: ownKeyRoles.value };
}

function teamsInRoster({ teams }: Roster, state: State): readonly TeamInRoster[] {
  const keys = new Set(teams.map(({ key }) => key));
  return teamAliases(teams).map(({ team, names, recordKeys }) => {
    const { account, name, identifier } = team;
    const plain = teamKeyOf(account, name);
    // The keys that this team had before a team of its name came into the roster, or while there was one.
    const before = identifier === undefined ? [] : [plain, disambiguatedTeamKey(account, name, identifier.value)];
    const former = before.filter((key) => {
      const known = state.teams.get(key)?.identifier ?? identifier?.value;
      return !keys.has(key) && known === identifier?.value;
    });
    return { team, names, isTwin: team.key !== plain, recordKeys: [...new Set([team.key, ...former, ...recordKeys])] };
  });
}
