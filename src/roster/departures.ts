import type { FoldedAddress } from "../model/address.ts";
import { type Reason, reasonAt } from "../model/reason.ts";
import type { Complaints } from "./complaints.ts";
import type { DraftUser, Written, WrittenAddress } from "./draft.ts";
import type { Resolution, ResolvedKey, ResolvedTeam } from "./resolution.ts";
import { tellKey, tellPlace, tellUser } from "./tell-departed.ts";

/** A user whose `until` has come. */
export interface Departed {
  readonly user: DraftUser;
  /** The prefixes of their team keys that places in teams name. */
  readonly teamKeys: readonly Written<string>[];
}

export interface AfterDepartures extends Resolution {
  readonly departed: readonly Departed[];
}

/** Those who have gone, by each address under which they may be known. */
type Gone = ReadonlyMap<FoldedAddress, DraftUser>;

/**
 * Takes everybody whose `until` has come out of the places that the roster still gives them, and tells each of these.
 * Comes after the rules, so that a day that passes never makes a roster invalid.
 */
export function takeLeave(resolution: Resolution, log: Complaints): AfterDepartures {
  const { draft, users, teams, keys, today } = resolution;
  const leaving = new Set(draft.users.filter(({ until }) => until !== undefined && until.value <= today));
  if (leaving.size === 0) return { ...resolution, departed: [] };
  const gone: Gone = new Map([...leaving].flatMap((user) => addressesOf(user).map((address) => [address, user])));
  const keysOf = teamKeys(teams, gone);
  const departed = [...leaving].map((user) => ({ user, teamKeys: keysOf.get(user) ?? [] }));
  const prefixes = new Map(departed.flatMap((one) => prefixesOf(one).map((prefix) => [prefix, one.user])));
  for (const one of departed) tellUser(one.user, prefixesOf(one), log);
  tellGroups(resolution, gone, log);
  return {
    ...resolution,
    users: users.filter((user) => !leaving.has(user.draft)),
    teams: teams.map((team) => withoutGone(team, gone, log)),
    keys: keys.map((key) => withoutRoles(key, { gone, prefixes }, log)),
    departed,
  };
}

function addressesOf({ email, previously }: DraftUser): readonly FoldedAddress[] {
  return [email, ...previously].map(({ address }) => address);
}

/** The prefixes that places in teams name as keys of those who have gone. */
function teamKeys(teams: readonly ResolvedTeam[], gone: Gone): ReadonlyMap<DraftUser, readonly Written<string>[]> {
  const found = new Map<DraftUser, Written<string>[]>();
  for (const { members } of teams) {
    for (const { address, key } of members.values()) {
      const user = gone.get(address);
      if (user !== undefined && key !== undefined) found.set(user, [...(found.get(user) ?? []), key]);
    }
  }
  return found;
}

/** The prefixes of their keys that the roster names, each once. */
function prefixesOf({ user, teamKeys }: Departed): readonly string[] {
  return [...new Set([user.key, ...teamKeys].flatMap((one) => one?.value ?? []))];
}

function tellGroups({ references }: Resolution, gone: Gone, log: Complaints): void {
  for (const { people } of references.groups.values()) {
    for (const person of people) staying(person, "group", gone, log);
  }
}

function withoutGone(team: ResolvedTeam, gone: Gone, log: Complaints): ResolvedTeam {
  const { draft } = team;
  for (const member of draft.members) if (member.is === "user") staying(member.user, "member", gone, log);
  const admin = staying(draft.admin, "admin", gone, log);
  const founder = staying(draft.founder, "founder", gone, log);
  const members = new Map([...team.members].filter(([address]) => !gone.has(address)));
  return { ...team, members, draft: { ...draft, admin, founder } };
}

/** Whom a place names, unless they have gone, which is told. */
function staying(
  person: WrittenAddress | undefined,
  where: "group" | "member" | "admin" | "founder",
  gone: Gone,
  log: Complaints,
): WrittenAddress | undefined {
  const user = person && gone.get(person.address);
  if (person === undefined || user === undefined) return person;
  tellPlace(person, where, user, log);
  return undefined;
}

/** A listed key of somebody who has gone, by its owner or by its prefix, has no roles any more. */
function withoutRoles(
  key: ResolvedKey,
  { gone, prefixes }: { readonly gone: Gone; readonly prefixes: ReadonlyMap<string, DraftUser> },
  log: Complaints,
): ResolvedKey {
  const { owner, prefix } = key.draft;
  const user = (owner && gone.get(owner.address)) ?? prefixes.get(prefix.value);
  if (user === undefined || key.roles.roles.length === 0) return key;
  tellKey(key, user, log);
  return { ...key, roles: { ...key.roles, roles: [], through: untilOf(user) } };
}

function untilOf({ until }: DraftUser): readonly Reason[] {
  return until === undefined ? [] : [reasonAt(until.at.place, "until", { name: until.value })];
}
