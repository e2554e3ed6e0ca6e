import { multimap } from "../model/collections.ts";
import { declared, type Fact, factValue, type Reason, reasonAt, recorded } from "../model/fact.ts";
import { accountStatus, type DesiredKey, isDeleted, keyBelongsToTeam, shownOwnKey } from "../model/key.ts";
import type { TeamKey } from "../model/recorded.ts";
import { roleSet } from "../model/role-set.ts";
import { usersByAddress } from "../model/roster.ts";
import { type Presence, presenceLookup } from "../model/snapshot.ts";
import { type Basis, userSubject } from "../model/subject.ts";
import { disambiguatedTeamKey, foldName, teamKeyOf } from "../model/team.ts";
import type { Leaver, ObservedUser } from "../model/user.ts";
import type { PlanContext } from "./context.ts";
import { type KnownKey, type KnownTeam, knownKey, type TeamIdentities } from "./identities.ts";
import { leaverAddresses } from "./keys.ts";
import type { KnownKeyUpdate } from "./roles.ts";
import { observedAccount, type UserKey } from "./snapshot-index.ts";
import { teamCandidates } from "./team-names.ts";

/** Whether the service still has each leaver: under their address, or as the recorded user under another one. In the order of the roster. */
export function locateLeavers({ roster, snapshot, state, facts }: PlanContext): ReadonlyMap<Leaver, Presence> {
  const presenceOf = presenceLookup(snapshot);
  // A person who has one of these addresses is somebody that the roster names for their own sake.
  const named = new Set([...usersByAddress(roster).keys(), ...roster.leavers.keys()]);
  const locate = (leaver: Leaver): Presence => {
    const presence = presenceOf(leaver.address);
    const identifier = state.users.get(leaver.address)?.identifier;
    const elsewhere = identifier === undefined ? undefined : facts.userIdentifiedBy(identifier);
    if (elsewhere === undefined || named.has(elsewhere.address) || isDeleted(elsewhere)) return presence;
    const others = presence.is === "present" ? presence.users : [];
    return { is: "present", users: [elsewhere, ...others] };
  };
  return new Map([...roster.leavers.values()].map((leaver) => [leaver, locate(leaver)]));
}

/** That somebody is a leaver, and from which day on: a plan of that day need not be right on the day before. */
export function leaverBasis({ address, since, place }: Leaver): Basis {
  const is = since === undefined ? "a leaver" : `a leaver since ${since}`;
  return { about: userSubject(address), fact: declared(is, place) };
}

/** The keys of the roster's list, apart from those of leavers, which count as theirs: they have no roles, and may be gone. */
export function listedKeysInUse({ roster, facts }: PlanContext): readonly DesiredKey[] {
  return roster.keys.filter(({ prefix, owner }) => {
    if (owner === undefined || !roster.leavers.has(owner.value)) return true;
    const holder = facts.keyPrefixed(prefix)?.holder.address;
    return holder !== undefined && holder !== owner.value;
  });
}

/**
 * No roles on any key of a leaver: on those that the service shows and has not switched off, then on those that only records or the
 * roster name, as long as nothing shows that they are gone or somebody else's. `teamOf`: for a plan that says which keys these are.
 */
export function desiredLeaverRoles(
  leaver: Leaver,
  presence: Presence,
  context: PlanContext,
  teamOf: (prefix: string) => TeamKey | undefined = () => undefined,
): readonly KnownKeyUpdate[] {
  if (presence.is === "absent") return [];
  const { address, because } = leaver;
  const users = presence.is === "present" ? presence.users : [];
  const declaredKeys = declaredKeysOf(leaver, context);
  const places = multimap(declaredKeys.map(({ value, reason }) => [value, reason]));
  const isAllShown = users.length > 0 && users.every(({ keys }) => keys !== undefined);
  const keys = [
    ...users.flatMap(shownKeys),
    ...(isAllShown ? [] : unshownKeys(leaver, users[0], declaredKeys, context)),
  ];
  return keys.map(({ key, holder }) => {
    const team = teamOf(key.value);
    const isOwn = team === undefined && isOwnKeyOfLeaver(leaver, key.value, context);
    return {
      is: "known",
      asks: "leaver",
      roles: roleSet([]),
      key,
      ...(team === undefined ? {} : { team }),
      ...(isOwn ? { isOwn } : {}),
      holder,
      because: [...because, ...(places.get(key.value) ?? [])],
      concern: { address },
      restsOn: [leaverBasis(leaver)],
    };
  });
}

function shownKeys(user: ObservedUser): readonly Pick<KnownKeyUpdate, "key" | "holder">[] {
  const open = (user.keys ?? []).filter(({ status }) => !["barred", "deleted"].includes(accountStatus(status)));
  return open.map((key) => ({ key: knownKey(key, user), holder: user }));
}

/** The keys that the roster names as the leaver's. */
function declaredKeysOf(
  { address, key, teamKeys }: Leaver,
  { roster }: PlanContext,
): readonly (KnownKey & { readonly reason: Reason })[] {
  const own = [key, ...teamKeys].flatMap((one) => (one === undefined ? [] : [{ ...one, as: "known-prefix" } as const]));
  const listed = roster.keys.flatMap(({ prefix, owner, place }) =>
    owner?.value === address ? [{ value: prefix, place, as: "key" } as const] : [],
  );
  return [...own, ...listed].map(({ value, place, as }) => ({
    value,
    prefix: declared(value, place),
    reason: reasonAt(place, as),
  }));
}

/** Keys of a leaver that no read shows, by record first. */
function unshownKeys(
  leaver: Leaver,
  shown: ObservedUser | undefined,
  declaredKeys: readonly KnownKey[],
  { state, facts, roster }: PlanContext,
): readonly Pick<KnownKeyUpdate, "key" | "holder">[] {
  const { address } = leaver;
  const user = state.users.get(address);
  const at = user?.createdAt ?? user?.seenAt;
  const record = <T>(value: T | undefined) => (value === undefined || at === undefined ? [] : [recorded(value, at)]);
  const holder = shown ?? leaver;
  const inTeams = [...state.memberships.values()].flatMap((held) =>
    held.address === address && held.prefix !== undefined ? [recorded(held.prefix, held.at)] : [],
  );
  const theirs = leaverAddresses(leaver, roster.leavers);
  const isOfAnother = (prefix: string) => facts.recordedHolders(prefix).some((one) => !theirs.includes(one.address));
  const prefixes = new Map<string, Fact<string>>();
  for (const fact of [...record(user?.key), ...inTeams]) {
    const prefix = factValue(fact) ?? "";
    if (!prefixes.has(prefix)) prefixes.set(prefix, fact);
  }
  for (const { value, prefix } of declaredKeys) {
    if (!prefixes.has(value) && !isOfAnother(value)) prefixes.set(value, prefix);
  }
  return [...prefixes].flatMap(([value, prefix]) =>
    facts.keyPrefixed(value) === undefined ? [{ key: { prefix, value }, holder }] : [],
  );
}

/** Whether a key of a leaver is known to be their own: as the service shows it, by our record of their creation, or by the roster. */
function isOwnKeyOfLeaver({ address, key }: Leaver, prefix: string, { facts, state }: PlanContext): boolean {
  const held = facts.keyPrefixed(prefix);
  if (held !== undefined && shownOwnKey(held.holder)?.prefix === prefix) return true;
  if (held?.key.team !== undefined && held.key.team !== "none") return false;
  const record = state.users.get(address);
  const isRecorded = record?.key === prefix && record.createdTeam === undefined && record.createdAt !== undefined;
  return isRecorded || key?.value === prefix;
}

/** The team whose key a prefix is, as the service shows it, or by record where it does not show the key; undefined where nobody can say. */
export function teamOfKeyLookup(teams: TeamIdentities, context: PlanContext): (prefix: string) => TeamKey | undefined {
  const { facts, state } = context;
  const known = [...teams.values()].filter((identity) => identity.is === "known");
  const index = (keysOf: (identity: KnownTeam) => Iterable<string>) =>
    multimap(known.flatMap((identity) => [...keysOf(identity)].map((key) => [key, identity] as const)));
  const byName = index(({ names }) => names);
  const byIdentifier = index(({ identifier }) => [identifier]);
  const byRecord = index(({ recordKeys }) => recordKeys);
  const memberships = [...state.memberships.values()];
  const places = new Map(memberships.flatMap(({ prefix, team }) => (prefix === undefined ? [] : [[prefix, team]])));
  return (prefix) => {
    const held = facts.keyPrefixed(prefix);
    if (held === undefined) {
      const team = places.get(prefix);
      const [one] = (team && byRecord.get(team)) ?? [];
      return one === undefined && team !== undefined && state.teams.get(team)?.identifier !== undefined
        ? team
        : one?.team.key;
    }
    const { team } = held.key;
    if (team === undefined || team === "none") return undefined;
    const { identifier, name = "" } = team;
    const near = (identifier === undefined ? byName.get(foldName(name)) : byIdentifier.get(identifier)) ?? [];
    const [one, ...others] = near.filter((identity) => isKeyOfKnownTeam(identity, held, context));
    if (one === undefined) return teamShownByKey(held, teams, context);
    return others.length === 0 ? one.team.key : undefined;
  };
}

/** A name alone does not tell teams of several accounts apart. */
function isKeyOfKnownTeam(identity: KnownTeam, { key, holder }: UserKey, { facts }: PlanContext): boolean {
  if (keyBelongsToTeam(key, identity) !== "yes") return false;
  const account = observedAccount(holder, facts);
  const isSure = key.team !== "none" && key.team?.identifier !== undefined;
  return isSure || account === undefined || account === identity.team.account;
}

/** A team that the roster does not name, where enough of it is shown to tell it from every other. */
function teamShownByKey({ holder, key }: UserKey, teams: TeamIdentities, { facts }: PlanContext): TeamKey | undefined {
  const account = observedAccount(holder, facts);
  const { identifier, name } = key.team === undefined || key.team === "none" ? {} : key.team;
  if (account === undefined || identifier === undefined || name === undefined) return undefined;
  const plain = teamKeyOf(account, name);
  const isTwin = teams.has(plain) || teamCandidates(foldName(name), account, () => false, facts).length > 1;
  return isTwin ? disambiguatedTeamKey(account, name, identifier) : plain;
}
