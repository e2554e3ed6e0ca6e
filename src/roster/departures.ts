import type { FoldedAddress } from "../model/address.ts";
import { type Reason, reasonAt } from "../model/reason.ts";
import type { DiagnosticsCollector } from "./complaints.ts";
import type { SourceAddress, SourceValue, UserEntry } from "./draft.ts";
import type { ResolvedKey, ResolvedRoster, ResolvedTeam } from "./resolution.ts";
import { reportOffboardedKey, reportOffboardedReference, reportOffboardedUser } from "./tell-departed.ts";

/** A user whose `until` has come. */
export interface OffboardedUser {
  readonly user: UserEntry;
  /** The prefixes of their team keys that places in teams name. */
  readonly teamKeys: readonly SourceValue<string>[];
}

export interface OffboardedRoster extends ResolvedRoster {
  readonly departed: readonly OffboardedUser[];
}

/** Those who have gone, by each address under which they may be known. */
type OffboardedByAddress = ReadonlyMap<FoldedAddress, UserEntry>;

/**
 * Takes everybody whose `until` has come out of the places that the roster still gives them, and tells each of these.
 * Comes after the rules, so that a day that passes never makes a roster invalid.
 */
export function applyOffboarding(resolution: ResolvedRoster, log: DiagnosticsCollector): OffboardedRoster {
  const { draft, users, teams, keys, today } = resolution;
  const leaving = new Set(draft.users.filter(({ until }) => until !== undefined && until.value <= today));
  if (leaving.size === 0) return { ...resolution, departed: [] };
  const gone: OffboardedByAddress = new Map(
    [...leaving].flatMap((user) => userAddresses(user).map((address) => [address, user])),
  );
  const keysOf = memberKeyPrefixes(teams, gone);
  const departed = [...leaving].map((user) => ({ user, teamKeys: keysOf.get(user) ?? [] }));
  const prefixes = new Map(departed.flatMap((one) => knownPrefixes(one).map((prefix) => [prefix, one.user])));
  for (const one of departed) reportOffboardedUser(one.user, knownPrefixes(one), log);
  reportGroups(resolution, gone, log);
  return {
    ...resolution,
    users: users.filter((user) => !leaving.has(user.draft)),
    teams: teams.map((team) => withoutOffboarded(team, gone, log)),
    keys: keys.map((key) => withoutOffboardedRoles(key, { gone, prefixes }, log)),
    departed,
  };
}

function userAddresses({ email, previously }: UserEntry): readonly FoldedAddress[] {
  return [email, ...previously].map(({ address }) => address);
}

/** The prefixes that places in teams name as keys of those who have gone. */
function memberKeyPrefixes(
  teams: readonly ResolvedTeam[],
  gone: OffboardedByAddress,
): ReadonlyMap<UserEntry, readonly SourceValue<string>[]> {
  const found = new Map<UserEntry, SourceValue<string>[]>();
  for (const { members } of teams) {
    for (const { address, key } of members.values()) {
      const user = gone.get(address);
      if (user !== undefined && key !== undefined) found.set(user, [...(found.get(user) ?? []), key]);
    }
  }
  return found;
}

/** The prefixes of their keys that the roster names, each once. */
function knownPrefixes({ user, teamKeys }: OffboardedUser): readonly string[] {
  return [...new Set([user.key, ...teamKeys].flatMap((one) => one?.value ?? []))];
}

function reportGroups({ references }: ResolvedRoster, gone: OffboardedByAddress, log: DiagnosticsCollector): void {
  for (const { people } of references.groups.values()) {
    for (const person of people) unlessOffboarded(person, "group", gone, log);
  }
}

function withoutOffboarded(team: ResolvedTeam, gone: OffboardedByAddress, log: DiagnosticsCollector): ResolvedTeam {
  const { draft } = team;
  for (const member of draft.members) if (member.is === "user") unlessOffboarded(member.user, "member", gone, log);
  const admin = unlessOffboarded(draft.admin, "admin", gone, log);
  const founder = unlessOffboarded(draft.founder, "founder", gone, log);
  const members = new Map([...team.members].filter(([address]) => !gone.has(address)));
  return { ...team, members, draft: { ...draft, admin, founder } };
}

/** Whom a place names, unless they have gone, which is told. */
function unlessOffboarded(
  person: SourceAddress | undefined,
  where: "group" | "member" | "admin" | "founder",
  gone: OffboardedByAddress,
  log: DiagnosticsCollector,
): SourceAddress | undefined {
  const user = person && gone.get(person.address);
  if (person === undefined || user === undefined) return person;
  reportOffboardedReference(person, where, user, log);
  return undefined;
}

/** A listed key of somebody who has gone, by its owner or by its prefix, has no roles any more. */
function withoutOffboardedRoles(
  key: ResolvedKey,
  { gone, prefixes }: { readonly gone: OffboardedByAddress; readonly prefixes: ReadonlyMap<string, UserEntry> },
  log: DiagnosticsCollector,
): ResolvedKey {
  const { owner, prefix } = key.draft;
  const user = (owner && gone.get(owner.address)) ?? prefixes.get(prefix.value);
  if (user === undefined || key.roles.roles.length === 0) return key;
  reportOffboardedKey(key, user, log);
  return { ...key, roles: { ...key.roles, roles: [], through: untilReasons(user) } };
}

function untilReasons({ until }: UserEntry): readonly Reason[] {
  return until === undefined ? [] : [reasonAt(until.at.place, "until", { name: until.value })];
}
