import { type FindingTexts, say } from "../codes/message.ts";
import type { EmailKey } from "../model/address.ts";
import { groupBy } from "../model/collections.ts";
import {
  type Basis,
  declared,
  distinctReasons,
  type Fact,
  formatSubject,
  type Known,
  keySubject,
  type Located,
  type OwnedThing,
  observed,
  partOf,
  type Reason,
  reasonAt,
  recorded,
  unknown,
} from "../model/fact.ts";
import {
  type DesiredKey,
  isDeleted,
  keyBelongsToTeam,
  type ObservedKey,
  shownOwnKey,
  shownTeam,
} from "../model/key.ts";
import type { State } from "../model/state.ts";
import type { DesiredMember } from "../model/team.ts";
import type { Leaver, ObservedUser } from "../model/user.ts";
import { formatRoles, type RoleSet } from "../model/values.ts";
import { type FindingDraft, keyConcern, type PlanContext } from "./context.ts";
import type { Identified, TeamIdentity } from "./identify-teams.ts";
import type { PresentUser, UserIdentity } from "./identify-users.ts";
import {
  kindOfKey,
  observedBasis,
  type RecordedKeyHolder,
  recordedBasis,
  type UserKey,
  unknownBasis,
} from "./snapshot-index.ts";

export interface KnownKey {
  readonly prefix: Known<string>;
  readonly roles?: Known<RoleSet> | undefined;
}

export function knownKey({ prefix, roles }: ObservedKey, { by }: ObservedUser): KnownKey {
  return { prefix: observed(prefix, by), roles: roles && observed(roles, by) };
}

/** A key known by prefix alone; its roles are shown where the holder's keys are. */
export function keyWithPrefix(prefix: Known<string>, holder: ObservedUser): KnownKey {
  const shown = holder.keys?.find((key) => key.prefix === prefix.value);
  return shown === undefined ? { prefix } : knownKey(shown, holder);
}

/** What a key carries, as far as it is known: as it is shown, else as we asked for it the last time. */
export function currentRoles({ prefix, roles }: KnownKey, { keys }: State): Fact<RoleSet> {
  if (roles !== undefined) return roles;
  const record = keys.get(prefix.value);
  if (record !== undefined) return recorded(record.setRoles, record.at);
  if (prefix.known === "observed") return unknown("the service does not show the roles of this key");
  return unknown(`the service does not show this key${prefix.known === "declared" ? ", only the roster does" : ""}`);
}

/** What a key carries before the plan, as what something rests on. */
export function rolesBasis(prefix: string, roles: Fact<RoleSet>): Basis {
  const fact = roles.known === "unknown" ? roles : { ...roles, value: formatRoles(roles.value) };
  return { about: partOf("roles", keySubject(prefix)), ...fact };
}

/** One place of the roster that names a key by its prefix. */
interface KeyDeclaration {
  readonly prefix: Located<string>;
  /** The owner's own key, or theirs in a team. Absent under `keys` and for leavers, where every kind of key may stand. */
  readonly of?: "own" | TeamIdentity;
  readonly owner?: {
    readonly email: string;
    /** Every address that means this person. */
    readonly addresses: readonly EmailKey[];
    /** Absent for leavers: their keys may be gone. */
    readonly person?: UserIdentity;
  };
  /** Where the declaration stands, for a finding about it. */
  readonly because: readonly Reason[];
  readonly concern: OwnedThing;
}

type DeclaredKey =
  | { readonly is: "known"; readonly key: KnownKey }
  | { readonly is: "mistaken"; readonly finding: FindingDraft };

/** What reads and records say about a declared key. Where they say nothing, it is as the roster says. */
export function resolveDeclaredKey(declaration: KeyDeclaration, context: PlanContext): DeclaredKey {
  const { prefix, of, owner } = declaration;
  const { value, place } = prefix;
  const isAnothers = (address: EmailKey) => owner !== undefined && !owner.addresses.includes(address);
  const shown = context.facts.keysPrefixed(value);
  const held = shown.find(({ holder }) => isAnothers(holder.address)) ?? shown[0];
  if (held !== undefined) {
    const { key, holder } = held;
    if (isAnothers(holder.address)) return shownOtherwise(declaration, held);
    if (isDeleted(key)) return unknownKey(declaration, `the service shows it as a deleted key of ${holder.email}`);
    return mayBeOfKind(key, of) ? { is: "known", key: knownKey(key, holder) } : shownOtherwise(declaration, held);
  }
  const records = context.facts.recordedHolders(value);
  // Our records are about somebody else who had the address before.
  const isNewcomer = owner?.person?.is === "present" && owner.person.record === undefined;
  const record = isNewcomer ? undefined : records[0];
  const isOfKind = records.some((one) => isRecordedOfKind(one, of));
  const other = records.find(({ address }) => isAnothers(address)) ?? (isOfKind ? undefined : record);
  if (other !== undefined) return recordedOtherwise(declaration, other, context);
  // What we recorded of somebody's own place is judged with that place.
  const why = record !== undefined && of !== undefined ? undefined : whyKeyMissing(declaration, context);
  if (why !== undefined) return unknownKey(declaration, why);
  const fact = record?.at === undefined ? declared(value, place) : recorded(value, record.at);
  return { is: "known", key: { prefix: fact } };
}

function mistaken({ prefix, because, concern }: KeyDeclaration, texts: FindingTexts, basis: Basis): DeclaredKey {
  const about = { subject: keySubject(prefix.value), because, concerns: [concern] };
  return { is: "mistaken", finding: { ...about, ...texts, restsOn: [basis] } };
}

function unknownKey(declaration: KeyDeclaration, why: string): DeclaredKey {
  const { value } = declaration.prefix;
  return mistaken(declaration, say("unknown-key", { prefix: value, why }), unknownBasis(keySubject(value), why));
}

function shownOtherwise(declaration: KeyDeclaration, { key, holder }: UserKey): DeclaredKey {
  const kind = declaration.of === undefined ? "a key" : formatObservedKind(key);
  const texts = say("key-owner-differs/shown", { ...claimOf(declaration), kind, holder: holder.email });
  return mistaken(declaration, texts, observedBasis(keySubject(key.prefix), `key of ${holder.address}`, holder.by));
}

function recordedOtherwise(
  declaration: KeyDeclaration,
  { address, of, at }: RecordedKeyHolder,
  { state: { users, teams } }: PlanContext,
): DeclaredKey {
  const kind = of === "own" ? "the own key" : `the key in team ${teams.get(of)?.name ?? of}`;
  const holder = users.get(address)?.email ?? address;
  const texts = say("key-owner-differs/recorded", { ...claimOf(declaration), kind, holder, at });
  const [about, is] = [keySubject(declaration.prefix.value), `key of ${address}`];
  const untimed = unknownBasis(about, `the state says ${is}, without a time`);
  return mistaken(declaration, texts, at === undefined ? untimed : recordedBasis(about, is, at));
}

function claimOf({ prefix, of, owner }: KeyDeclaration) {
  const as = of === undefined ? "a key" : of === "own" ? "the own key" : `the key in team ${of.team.name}`;
  return { prefix: prefix.value, as, owner: owner?.email ?? "nobody" };
}

/** A read that does not tell the kind says nothing against it. */
function mayBeOfKind(key: ObservedKey, of: KeyDeclaration["of"]): boolean {
  if (of === undefined) return true;
  return of === "own" ? kindOfKey(key) === "unclear" : keyBelongsToTeam(key, of) !== "no";
}

function isRecordedOfKind({ of }: RecordedKeyHolder, wanted: KeyDeclaration["of"]): boolean {
  if (wanted === undefined || wanted === "own") return wanted === undefined || of === "own";
  return of !== "own" && wanted.recordKeys.includes(of);
}

/** Why the key cannot be there, or nothing where it may be. */
function whyKeyMissing({ owner, of }: KeyDeclaration, { snapshot, facts }: PlanContext): string | undefined {
  if (owner === undefined) {
    const allShown = snapshot.everyone.read === "complete" && snapshot.capabilities.keysOnUsers === "shown";
    return allShown ? "no user has it" : undefined;
  }
  const { person, email } = owner;
  if (person?.is === "absent") return `${email} does not exist yet`;
  if (person?.is !== "present" || person.observed.keys === undefined) return undefined;
  const isShown = of === undefined || facts.shows(of === "own" ? "own" : "team");
  return isShown ? `${email} does not have it` : undefined;
}

function formatObservedKind(key: ObservedKey): string {
  const team = shownTeam(key);
  if (team !== undefined) return `the key in team ${team.name ?? team.identifier}`;
  const kind = kindOfKey(key);
  if (kind !== "unclear") return `a ${kind} key`;
  return key.team === "none" ? "a key of no team" : "a key";
}

/**
 * The key that was created with a user, where it is known which one that is. What the roster says about a key that the
 * person is shown with counts more than the kinds of their keys; where the roster is mistaken, no other key is guessed.
 */
export function resolveOwnKey(person: PresentUser, context: PlanContext): KnownKey | undefined {
  const { observed, record } = person;
  const declaration = ownKeyDeclaration(person);
  const resolved = declaration === undefined ? undefined : resolveDeclaredKey(declaration, context);
  if (resolved?.is === "mistaken") return undefined;
  if (resolved?.key.prefix.known === "observed") return resolved.key;
  const shown = shownOwnKey(observed);
  if (shown !== undefined) return knownKey(shown, observed);
  if (record?.key !== undefined && record.createdTeam === undefined && record.createdAt !== undefined)
    return keyWithPrefix(recorded(record.key, record.createdAt), observed);
  return resolved?.key;
}

function ownKeyDeclaration(person: UserIdentity): KeyDeclaration | undefined {
  const { key, address, because } = person.user;
  if (key === undefined) return undefined;
  return { ...knownPrefix(key, because.slice(0, 1)), of: "own", owner: ownerOf(person), concern: { address } };
}

export function teamKeyDeclaration(
  { key, address, because }: DesiredMember,
  identity: TeamIdentity,
  person: UserIdentity,
): KeyDeclaration | undefined {
  if (key === undefined) return undefined;
  const concern = { address, team: identity.team.key };
  return { ...knownPrefix(key, because), of: identity, owner: ownerOf(person), concern };
}

function knownPrefix(prefix: Located<string>, because: readonly Reason[]): Pick<KeyDeclaration, "prefix" | "because"> {
  return { prefix, because: [reasonAt(prefix.place, "known-prefix"), ...because] };
}

export function listedKeyDeclaration(entry: DesiredKey, { people, roster }: Identified): KeyDeclaration {
  const { prefix: value, place, owner } = entry;
  const because = entry.because.slice(0, 1);
  const listed = { prefix: { value, place }, concern: keyConcern(entry) };
  if (owner === undefined) return { ...listed, because };
  const person = people.get(owner.value);
  const leaver = roster.leavers.get(owner.value);
  const addresses = leaver === undefined ? [owner.value] : leaverAddresses(leaver, roster.leavers);
  return {
    ...listed,
    owner: person === undefined ? { email: leaver?.email ?? owner.value, addresses } : ownerOf(person),
    because: [...because, reasonAt(owner.place, "key-owner", { name: owner.value })],
  };
}

function ownerOf(person: UserIdentity): NonNullable<KeyDeclaration["owner"]> {
  const { address, email, previously } = person.user;
  return { email, addresses: [address, ...previously.map(({ value }) => value)], person };
}

/** Somebody whose `until` has come is one leaver for each of their addresses. */
export function leaverAddresses(leaver: Leaver, leavers: ReadonlyMap<EmailKey, Leaver>): readonly EmailKey[] {
  const { file, line, column } = leaver.place;
  const same = [...leavers.values()].filter(
    ({ place }) => place.file === file && place.line === line && place.column === column,
  );
  return same.map(({ address }) => address);
}

/** Each declared key that is not what the roster says: once, with every place that names it. */
export function findMistakenKeys(identified: Identified): readonly FindingDraft[] {
  const { people, teams } = identified;
  const { keys, leavers } = identified.roster;
  const declarations = [
    ...[...people.values()].flatMap((person) => ownKeyDeclaration(person) ?? []),
    ...[...teams.values()].flatMap((identity) =>
      identity.team.members.flatMap((member) => {
        const person = people.get(member.address);
        return person === undefined ? [] : (teamKeyDeclaration(member, identity, person) ?? []);
      }),
    ),
    ...keys.map((entry) => listedKeyDeclaration(entry, identified)),
    // It is not known of which team a leaver's team key was: they may have held it in several.
    ...[...leavers.values()].flatMap((leaver) => {
      const { address, email, key, teamKeys, because } = leaver;
      const about = { owner: { email, addresses: leaverAddresses(leaver, leavers) }, concern: { address } };
      return [key ?? [], teamKeys].flat().map((prefix) => ({ ...knownPrefix(prefix, because), ...about }));
    }),
  ];
  const mistaken = declarations.flatMap((declaration) => {
    const resolved = resolveDeclaredKey(declaration, identified);
    return resolved.is === "mistaken" ? [resolved.finding] : [];
  });
  const groups = groupBy(mistaken, ({ code, subject }) => `${code} ${formatSubject(subject)}`);
  return [...groups.values()].map((group) => ({
    ...group[0],
    because: distinctReasons(group.flatMap(({ because }) => because)),
    concerns: group.flatMap(({ concerns }) => concerns),
  }));
}
