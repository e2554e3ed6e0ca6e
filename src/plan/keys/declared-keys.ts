import type { EmailKey } from "../../model/address.ts";
import { declared, distinctReasons, type Located, type Reason, reasonAt, recorded } from "../../model/fact.ts";
import type { Leaver, RosterKey, RosterMember } from "../../model/roster.ts";
import { accountStatus, type ObservedKey } from "../../model/snapshot.ts";
import { keySubject, observedBasis, recordedBasis, unknownBasis } from "../../model/subject.ts";
import type { PlanContext } from "../context.ts";
import { type Concern, type FindingDraft, keyConcern } from "../finding-draft.ts";
import {
  type KnownKey,
  knownKey,
  showsTeam,
  type TeamIdentities,
  type TeamIdentity,
  type UserIdentities,
  type UserIdentity,
} from "../identities.ts";
import type { RecordedKeyHolder, UserKey } from "../snapshot-index.ts";

/** One place of the roster that names a key by its prefix. */
interface KeyDeclaration {
  readonly prefix: Located<string>;
  /** Absent under `keys`, where every kind of key may stand. */
  readonly kind?: { readonly is: "own" } | { readonly is: "team"; readonly identity: TeamIdentity };
  readonly owner?: DeclaredOwner;
  /** Where the declaration stands, for a finding about it. */
  readonly because: readonly Reason[];
  readonly concern: Concern;
}

interface DeclaredOwner {
  readonly email: string;
  /** Every address that means this person. */
  readonly addresses: readonly EmailKey[];
  /** Absent for leavers: their keys may be gone. */
  readonly person?: UserIdentity;
}

type DeclaredKey =
  | { readonly is: "known"; readonly key: KnownKey; readonly held?: UserKey }
  | { readonly is: "mistaken"; readonly mistake: DeclarationMistake };

type DeclarationMistake = Required<Pick<FindingDraft, "code" | "message" | "restsOn">>;

/** What reads and records say about a declared key. Where they say nothing, it is as the roster says. */
export function resolveDeclaredKey(declaration: KeyDeclaration, context: PlanContext): DeclaredKey {
  const { prefix, owner } = declaration;
  const shown = context.holders.shown(prefix.value);
  const records = context.holders.recorded(prefix.value);
  const others = shown.find(({ holder }) => !belongsToOwner(holder.address, owner));
  if (others !== undefined) return mistaken(observationDiffers(declaration, others));
  const [held] = shown;
  if (held !== undefined) return resolveObservedKey(declaration, held);
  const otherRecord = records.find(({ address }) => !belongsToOwner(address, owner));
  if (otherRecord !== undefined) return mistaken(recordDiffers(declaration, otherRecord, context));
  const [record] = isDifferentPerson(owner) ? [] : records;
  if (record !== undefined && !records.some(({ of }) => recordMatchesKind(of, declaration))) {
    return mistaken(recordDiffers(declaration, record, context));
  }
  // What we recorded of somebody's own place is judged with that place.
  const why = record !== undefined && declaration.kind !== undefined ? undefined : whyKeyMissing(declaration, context);
  if (why !== undefined) return mistaken(unknownKey(prefix.value, why));
  const { value, place } = prefix;
  return {
    is: "known",
    key: { value, prefix: record?.at === undefined ? declared(value, place) : recorded(value, record.at) },
  };
}

function mistaken(mistake: DeclarationMistake): DeclaredKey {
  return { is: "mistaken", mistake };
}

function belongsToOwner(address: EmailKey, owner: DeclaredOwner | undefined): boolean {
  return owner === undefined || owner.addresses.includes(address);
}

/** Our records are about somebody else who had the address before. */
function isDifferentPerson(owner: DeclaredOwner | undefined): boolean {
  return owner?.person?.is === "present" && owner.person.record === undefined;
}

function resolveObservedKey(declaration: KeyDeclaration, held: UserKey): DeclaredKey {
  const { key, holder } = held;
  if (accountStatus(key.status) === "deleted") {
    return mistaken(unknownKey(key.prefix, `the service shows it as a deleted key of ${holder.email}`));
  }
  if (!kindMayMatch(key, declaration)) return mistaken(observationDiffers(declaration, held));
  return { is: "known", key: knownKey(key, holder), held };
}

/** Whether the key may be of the declared kind. A read that does not tell the kind says nothing against it. */
function kindMayMatch(key: ObservedKey, { kind }: KeyDeclaration): boolean {
  switch (kind?.is) {
    case undefined:
      return true;
    case "team":
      return showsTeam(key, kind.identity) !== "no";
    case "own": {
      const word = key.kind?.trim().toLowerCase();
      return word !== "team" && word !== "project" && (key.team === undefined || key.team === "none");
    }
  }
}

function recordMatchesKind(of: RecordedKeyHolder["of"], { kind }: KeyDeclaration): boolean {
  switch (kind?.is) {
    case undefined:
      return true;
    case "own":
      return of === "own";
    case "team":
      return of !== "own" && kind.identity.recordKeys.includes(of);
  }
}

/** Why the key cannot be there, or nothing where it may be. */
function whyKeyMissing({ owner, kind }: KeyDeclaration, { snapshot, holders }: PlanContext): string | undefined {
  if (owner === undefined) {
    const allShown = snapshot.everyone.read === "complete" && snapshot.capabilities.keysOnUsers === "shown";
    return allShown ? "no user has it" : undefined;
  }
  switch (owner.person?.is) {
    case "absent":
      return `${owner.email} does not exist yet`;
    case "present": {
      const isShown = owner.person.observed.keys !== undefined && (kind === undefined || holders.shows(kind.is));
      return isShown ? `${owner.email} does not have it` : undefined;
    }
    case "blocked":
    case undefined:
      return undefined;
  }
}

function unknownKey(prefix: string, why: string): DeclarationMistake {
  return {
    code: "unknown-key",
    message: `The service does not know the key ${prefix}: ${why}. Correct the prefix (upper and lower case matter), or remove the key from the roster.`,
    restsOn: [unknownBasis(keySubject(prefix), why)],
  };
}

function observationDiffers(declaration: KeyDeclaration, { key, holder }: UserKey): DeclarationMistake {
  const whose = `${describeObservedKind(key, declaration)} of ${holder.email}`;
  return keyOwnerDiffers(declaration, `The service shows the key ${key.prefix} as ${whose}`, [
    observedBasis(keySubject(key.prefix), `key of ${holder.address}`, holder.by),
  ]);
}

function describeObservedKind({ team, kind }: ObservedKey, declaration: KeyDeclaration): string {
  if (declaration.kind === undefined) return "a key";
  if (team !== undefined && team !== "none") return `the key in team ${team.name ?? team.identifier}`;
  const word = kind?.trim().toLowerCase();
  if (word === "team" || word === "project") return `a ${word} key`;
  return team === "none" ? "a key of no team" : "a key";
}

function recordDiffers(
  declaration: KeyDeclaration,
  { address, of, at }: RecordedKeyHolder,
  context: PlanContext,
): DeclarationMistake {
  const { value } = declaration.prefix;
  const { users, teams } = context.state;
  const kind = of === "own" ? "the own key" : `the key in team ${teams.get(of)?.name ?? of}`;
  const whose = `${kind} of ${users.get(address)?.email ?? address}`;
  const [about, is] = [keySubject(value), `key of ${address}`];
  const basis =
    at === undefined ? unknownBasis(about, `the state says ${is}, without a time`) : recordedBasis(about, is, at);
  return keyOwnerDiffers(
    declaration,
    `The state has the key ${value} as ${whose}${at === undefined ? "" : ` (${at})`}`,
    [basis],
  );
}

function keyOwnerDiffers(
  { kind, owner }: KeyDeclaration,
  what: string,
  restsOn: DeclarationMistake["restsOn"],
): DeclarationMistake {
  const named = owner?.email ?? "nobody";
  const claim =
    kind === undefined
      ? `The roster gives it to ${named}`
      : `The roster names it as the ${kind.is === "own" ? "own key" : `key in team ${kind.identity.team.name}`} of ${named}`;
  return {
    code: "key-owner-differs",
    message: `${what}. ${claim}. The API cannot move keys. roster does not change its roles. Correct the owner or the prefix in the roster.`,
    restsOn,
  };
}

/** The prefix that a user's entry gives as their own key. */
export function ownKeyDeclaration(person: UserIdentity): KeyDeclaration | undefined {
  const { key, address, because } = person.user;
  if (key === undefined) return undefined;
  const reasons = [reasonAt(key.place, "known-prefix"), ...because.slice(0, 1)];
  return { prefix: key, kind: { is: "own" }, owner: ownerOf(person), because: reasons, concern: { address } };
}

/** The prefix that a member's entry gives as their key in the team. */
export function teamKeyDeclaration(
  { key, address, because }: RosterMember,
  identity: TeamIdentity,
  person: UserIdentity,
): KeyDeclaration | undefined {
  if (key === undefined) return undefined;
  const concern = { address, team: identity.team.key };
  const reasons = [reasonAt(key.place, "known-prefix"), ...because];
  return { prefix: key, kind: { is: "team", identity }, owner: ownerOf(person), because: reasons, concern };
}

/** An entry under `keys`. */
export function listedKeyDeclaration(
  entry: RosterKey,
  people: UserIdentities,
  { roster }: PlanContext,
): KeyDeclaration {
  const { prefix, place, owner, because } = entry;
  const located = { value: prefix, place };
  const concern = keyConcern(entry);
  if (owner === undefined) return { prefix: located, because: because.slice(0, 1), concern };
  const person = people.get(owner.value);
  const leaver = roster.leavers.get(owner.value);
  const addresses = leaver === undefined ? [owner.value] : leaverAddresses(leaver, roster.leavers);
  return {
    prefix: located,
    owner: person === undefined ? { email: leaver?.email ?? owner.value, addresses } : ownerOf(person),
    because: [...because.slice(0, 1), reasonAt(owner.place, "key-owner", { name: owner.value })],
    concern,
  };
}

function ownerOf(person: UserIdentity): DeclaredOwner {
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
export function findMistakenKeys(
  people: UserIdentities,
  teams: TeamIdentities,
  context: PlanContext,
): readonly FindingDraft[] {
  const found = new Map<string, FindingDraft>();
  for (const declaration of declarationsIn(people, teams, context)) {
    const judged = resolveDeclaredKey(declaration, context);
    if (judged.is !== "mistaken") continue;
    const { because, concern, prefix } = declaration;
    const subject = keySubject(prefix.value);
    const name = `${judged.mistake.code} ${prefix.value}`;
    const known = found.get(name);
    found.set(name, {
      subject,
      ...(known ?? judged.mistake),
      because: distinctReasons([...(known?.because ?? []), ...because]),
      concerns: [...(known?.concerns ?? []), concern],
    });
  }
  return [...found.values()];
}

function* declarationsIn(
  people: UserIdentities,
  teams: TeamIdentities,
  context: PlanContext,
): Iterable<KeyDeclaration> {
  const { roster } = context;
  for (const person of people.values()) {
    const own = ownKeyDeclaration(person);
    if (own !== undefined) yield own;
  }
  for (const identity of teams.values()) {
    for (const member of identity.team.members) {
      const person = people.get(member.address);
      const held = person === undefined ? undefined : teamKeyDeclaration(member, identity, person);
      if (held !== undefined) yield held;
    }
  }
  for (const entry of roster.keys) yield listedKeyDeclaration(entry, people, context);
  for (const leaver of roster.leavers.values()) yield* leaverDeclarations(leaver, context);
}

/** It is not known of which team a leaver's team key was: they may have held it in several. */
function* leaverDeclarations(leaver: Leaver, { roster }: PlanContext): Iterable<KeyDeclaration> {
  const { address, email, because } = leaver;
  const owner = { email, addresses: leaverAddresses(leaver, roster.leavers) };
  const about = { owner, concern: { address } };
  for (const prefix of [...(leaver.key === undefined ? [] : [leaver.key]), ...leaver.teamKeys]) {
    yield { prefix, because: [reasonAt(prefix.place, "known-prefix"), ...because], ...about };
  }
}
