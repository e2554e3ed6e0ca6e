import type { PersonRef, TeamRef } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import {
  declared,
  type Fact,
  observed,
  type Place,
  type Reason,
  type ReasonKind,
  reasonAt,
  recorded,
  unknown,
} from "../../model/fact.ts";
import { multimap, roleSet } from "../../model/role-set.ts";
import { type Leaver, usersByAddress } from "../../model/roster.ts";
import {
  accountStatus,
  type ObservedTeam,
  type ObservedUser,
  type Presence,
  presenceLookup,
} from "../../model/snapshot.ts";
import type { RecordedUser, State } from "../../model/state.ts";
import { type Basis, userSubject } from "../../model/subject.ts";
import { disambiguatedTeamKey, foldName, shownOwnKey, type TeamKey, teamKeyOf } from "../../model/team.ts";
import type { PlanContext } from "../context.ts";
import { type KnownKey, type KnownTeam, knownKey, shownRef, showsTeam, type TeamIdentities } from "../identities.ts";
import { leaverAddresses } from "../keys.ts";
import type { KnownKeyUpdate } from "../roles.ts";
import { observedAccount, type UserKey } from "../snapshot-index.ts";
import { teamCandidates } from "../team-names.ts";

/** A leaver, and whether the service still has them: under their address, or as the recorded user under another one. */
export interface LocatedLeaver {
  readonly leaver: Leaver;
  readonly presence: Presence;
}

/** In the order of the roster. */
export function locateLeavers(context: PlanContext): readonly LocatedLeaver[] {
  const { roster, snapshot } = context;
  if (roster.leavers.size === 0) return [];
  const presenceOf = presenceLookup(snapshot);
  // A person who has one of these addresses is somebody that the roster names for their own sake.
  const named = new Set([...usersByAddress(roster).keys(), ...roster.leavers.keys()]);
  return [...roster.leavers.values()].map((leaver) => {
    const elsewhere = shownElsewhere(leaver, named, context);
    const presence = presenceOf(leaver.address);
    if (elsewhere === undefined) return { leaver, presence };
    const others = presence.is === "present" ? presence.users : [];
    return { leaver, presence: { is: "present", users: [elsewhere, ...others] } };
  });
}

/** The recorded user with another address by now, which is nobody's of the roster. */
function shownElsewhere(
  { address }: Leaver,
  named: ReadonlySet<EmailKey>,
  { state, facts }: PlanContext,
): ObservedUser | undefined {
  const identifier = state.users.get(address)?.identifier;
  const user = identifier === undefined ? undefined : facts.userIdentifiedBy(identifier);
  if (user === undefined || named.has(user.address) || accountStatus(user.status) === "deleted") return undefined;
  return user;
}

/** A leaver holds nothing: no roles on any of their keys. `teamOf`: for a plan that says which keys these are. */
export function desiredLeaverRoles(
  found: LocatedLeaver,
  context: PlanContext,
  teamOf: TeamOfKeyLookup = () => undefined,
): readonly KnownKeyUpdate[] {
  const { leaver } = found;
  const { address, because } = leaver;
  const restsOn = [leaverBasis(leaver)];
  return leaverKeys(found, context).map(({ key, holder, places }) => {
    const team = teamOf(key.value);
    return {
      is: "known",
      asks: "leaver",
      roles: roleSet([]),
      key,
      ...(team === undefined ? ownKeyMark(leaver, key.value, context) : { team }),
      holder,
      because: [...because, ...places],
      concern: { address },
      restsOn,
    };
  });
}

function ownKeyMark(leaver: Leaver, prefix: string, context: PlanContext): Pick<KnownKeyUpdate, "isOwn"> {
  return isOwnKeyOfLeaver(leaver, prefix, context) ? { isOwn: true } : {};
}

/** That somebody is a leaver, and from which day on: a plan of that day need not be right on the day before. */
export function leaverBasis({ address, since, place }: Leaver): Basis {
  const is = since === undefined ? "a leaver" : `a leaver since ${since}`;
  return { about: userSubject(address), fact: declared(is, place) };
}

/** A key of a leaver that may open something. */
interface LeaverKey {
  readonly key: KnownKey;
  readonly holder: PersonRef;
  /** Where the roster names it. */
  readonly places: readonly Reason[];
}

interface NamedPrefix {
  readonly prefix: string;
  readonly fact: Fact<string>;
  readonly reason?: Reason;
}

/**
 * Every key of a leaver: those that the service shows and has not switched off, then those that only records or the roster
 * name, as long as nothing shows that they are gone or somebody else's.
 */
function leaverKeys({ leaver, presence }: LocatedLeaver, context: PlanContext): readonly LeaverKey[] {
  if (presence.is === "absent") return [];
  const users: readonly ObservedUser[] = presence.is === "present" ? presence.users : [];
  const shown = users.flatMap((user) => observedKeys(user));
  const allShown = users.length > 0 && users.every(({ keys }) => keys !== undefined);
  const [first] = users;
  const holder = first === undefined ? recordedRef(leaver, context) : shownRef(first);
  const others = allShown ? [] : unobservedKeys(leaver.address, holder, context);
  const places = placesByPrefix(leaver.address, context);
  return [...shown, ...others].map((held) => ({ ...held, places: places.get(held.key.value) ?? [] }));
}

type LeaverKeyWithoutPlaces = Omit<LeaverKey, "places">;

function observedKeys(user: ObservedUser): readonly LeaverKeyWithoutPlaces[] {
  const open = (user.keys ?? []).filter(({ status }) => !isDisabledKey(status));
  return open.map((key) => ({ key: knownKey(key, user), holder: shownRef(user) }));
}

function isDisabledKey(status: string | undefined): boolean {
  const word = accountStatus(status);
  return word === "barred" || word === "deleted";
}

/** Keys whose holder the reads do not show with their keys. */
function unobservedKeys(address: EmailKey, holder: PersonRef, context: PlanContext): readonly LeaverKeyWithoutPlaces[] {
  const { state, facts } = context;
  const named = new Map<string, Fact<string>>();
  for (const { prefix, fact } of [...recordedPrefixes(address, state), ...declaredPrefixes(address, context)]) {
    if (named.has(prefix) || facts.keyPrefixed(prefix) !== undefined) continue;
    if (fact.known === "recorded" || !isRecordedOfAnother(prefix, address, context)) named.set(prefix, fact);
  }
  return [...named].map(([value, prefix]) => ({ key: { prefix, value }, holder }));
}

function isRecordedOfAnother(prefix: string, address: EmailKey, { holders, roster }: PlanContext): boolean {
  const leaver = roster.leavers.get(address);
  const theirs = leaver === undefined ? [address] : leaverAddresses(leaver, roster.leavers);
  return holders.recorded(prefix).some((record) => !theirs.includes(record.address));
}

function recordedRef({ address, email }: Leaver, { state }: PlanContext): PersonRef {
  const record = state.users.get(address);
  const at = knownSince(record);
  const identifier =
    record?.identifier === undefined || at === undefined
      ? unknown<string>("the service does not show this user")
      : recorded(record.identifier, at);
  return { address, email, identifier };
}

function recordedPrefixes(address: EmailKey, state: State): readonly NamedPrefix[] {
  const user = state.users.get(address);
  const at = knownSince(user);
  const own = user?.key === undefined || at === undefined ? [] : [{ prefix: user.key, fact: recorded(user.key, at) }];
  const inTeams = [...state.memberships.values()].flatMap((held) =>
    held.address === address && held.prefix !== undefined
      ? [{ prefix: held.prefix, fact: recorded(held.prefix, held.at) }]
      : [],
  );
  return [...own, ...inTeams];
}

function knownSince(user: RecordedUser | undefined): string | undefined {
  return user?.createdAt ?? user?.seenAt;
}

function declaredPrefixes(address: EmailKey, { roster }: PlanContext): readonly NamedPrefix[] {
  const leaver = roster.leavers.get(address);
  const own = [leaver?.key, ...(leaver?.teamKeys ?? [])].filter((one) => one !== undefined);
  const listed = roster.keys.flatMap(({ prefix, owner, place }) =>
    owner?.value === address ? [declaredPrefix(prefix, place, "key")] : [],
  );
  return [...own.map(({ value, place }) => declaredPrefix(value, place, "known-prefix")), ...listed];
}

function declaredPrefix(prefix: string, place: Place, as: ReasonKind): NamedPrefix {
  return { prefix, fact: declared(prefix, place), reason: reasonAt(place, as) };
}

function placesByPrefix(address: EmailKey, context: PlanContext): ReadonlyMap<string, readonly Reason[]> {
  const reasons = declaredPrefixes(address, context);
  return multimap(reasons.flatMap(({ prefix, reason }) => (reason === undefined ? [] : [[prefix, reason]])));
}

/** Whether a key of a leaver is known to be their own: as the service shows it, by our record of their creation, or by the roster. */
function isOwnKeyOfLeaver(
  { address, key: declaredKey }: Leaver,
  prefix: string,
  { facts, state }: PlanContext,
): boolean {
  const held = facts.keyPrefixed(prefix);
  if (held !== undefined && shownOwnKey(held.holder)?.prefix === prefix) return true;
  if (held !== undefined && held.key.team !== undefined && held.key.team !== "none") return false;
  const record = state.users.get(address);
  const isRecorded = record?.key === prefix && record.createdTeam === undefined && record.createdAt !== undefined;
  return isRecorded || declaredKey?.value === prefix;
}

/** The team whose key a prefix is, as the service shows it, or by record where it does not show the key; undefined where nobody can say. */
type TeamOfKeyLookup = (prefix: string) => TeamRef | undefined;

export function teamOfKeyLookup(teams: TeamIdentities, context: PlanContext): TeamOfKeyLookup {
  const known = [...teams.values()].filter((identity) => identity.is === "known");
  const byName = groupTeams(known, ({ names }) => [...names]);
  const byIdentifier = groupTeams(known, ({ identifier }) => [identifier]);
  const ofShown = (held: UserKey): TeamRef | undefined => {
    const { team } = held.key;
    if (team === undefined || team === "none") return undefined;
    const { identifier, name = "" } = team;
    const near = (identifier === undefined ? byName.get(foldName(name)) : byIdentifier.get(identifier)) ?? [];
    const [one, ...others] = near.filter((identity) => isKeyOfKnownTeam(identity, held, context));
    if (one === undefined) return teamShownByKey(held, team, { teams, context });
    return others.length === 0 ? one.ref : undefined;
  };
  const ofRecorded = recordedTeamLookup(known, context);
  return (prefix) => {
    const held = context.facts.keyPrefixed(prefix);
    return held === undefined ? ofRecorded(prefix) : ofShown(held);
  };
}

function groupTeams<Key>(
  known: readonly KnownTeam[],
  keysOf: (identity: KnownTeam) => readonly Key[],
): ReadonlyMap<Key, readonly KnownTeam[]> {
  return multimap(known.flatMap((identity) => keysOf(identity).map((key) => [key, identity] as const)));
}

/** A name alone does not tell teams of several accounts apart. */
function isKeyOfKnownTeam(identity: KnownTeam, { key, holder }: UserKey, { facts }: PlanContext): boolean {
  if (showsTeam(key, identity) !== "yes") return false;
  const account = observedAccount(holder, facts);
  const isSure = key.team !== "none" && key.team?.identifier !== undefined;
  return isSure || account === undefined || account === identity.team.account;
}

/** A team that the roster does not name, where enough of it is shown to tell it from every other. */
function teamShownByKey(
  { holder }: UserKey,
  { identifier, name }: ObservedTeam,
  { teams, context: { facts } }: { readonly teams: TeamIdentities; readonly context: PlanContext },
): TeamRef | undefined {
  const account = observedAccount(holder, facts);
  if (account === undefined || identifier === undefined || name === undefined) return undefined;
  const plain = teamKeyOf(account, name);
  const namesakes = teamCandidates(foldName(name), account, () => false, facts);
  const isTwin = teams.has(plain) || namesakes.length > 1;
  const team = isTwin ? disambiguatedTeamKey(account, name, identifier) : plain;
  return { team, name, account, identifier: observed(identifier, holder.by) };
}

function recordedTeamLookup(known: readonly KnownTeam[], { state }: PlanContext): TeamOfKeyLookup {
  const byRecord = groupTeams(known, ({ recordKeys }) => recordKeys);
  const memberships = [...state.memberships.values()];
  const teams = new Map(memberships.flatMap(({ prefix, team }) => (prefix === undefined ? [] : [[prefix, team]])));
  return (prefix) => {
    const team = teams.get(prefix);
    return team === undefined ? undefined : (byRecord.get(team)?.[0]?.ref ?? recordedTeamRef(team, state));
  };
}

function recordedTeamRef(key: TeamKey, { teams }: State): TeamRef | undefined {
  const record = teams.get(key);
  if (record?.identifier === undefined) return undefined;
  const { team, name, account, identifier, at } = record;
  return { team, name, account, identifier: recorded(identifier, at) };
}
