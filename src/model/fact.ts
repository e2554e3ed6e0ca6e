import { type EmailKey, foldAddress } from "./address.ts";
import { definedFields } from "./collections.ts";
import * as t from "./declare.ts";
import type { Ownership, RoleSet, TeamKey } from "./values.ts";

/** The name of one read of this run, such as `search 2`, `list page 3` or `account acc-1`. Deterministic. */
export type ReadName = string;

/** How something is known. Only what was observed in this run can drift. */
export type Fact<T> =
  | { readonly known: "observed"; readonly value: T; readonly by: ReadName }
  | { readonly known: "recorded"; readonly value: T; readonly at: string }
  | { readonly known: "declared"; readonly value: T; readonly place: Place }
  | { readonly known: "unknown"; readonly why: string };

/** What is known in some way. */
export type Known<T> = Exclude<Fact<T>, { readonly known: "unknown" }>;

export function observed<T>(value: T, by: ReadName): Known<T> {
  return { known: "observed", value, by };
}

export function recorded<T>(value: T, at: string): Known<T> {
  return { known: "recorded", value, at };
}

export function declared<T>(value: T, place: Place): Known<T> {
  return { known: "declared", value, place };
}

export function unknown<T>(why: string): Fact<T> {
  return { known: "unknown", why };
}

export function factValue<T>(fact: Fact<T>): T | undefined {
  return fact.known === "unknown" ? undefined : fact.value;
}

export const reasonKinds = [
  "user",
  "former-address",
  "leaver",
  "from",
  "until",
  "team",
  "team-roles",
  "admin",
  "first-member",
  "on-removal",
  "member",
  "group",
  "group-member",
  "member-roles",
  "role-set",
  "own-key-roles",
  "key",
  "key-owner",
  "known-prefix",
  "defaults",
  "account",
  "settings-account",
] as const;

export type ReasonKind = (typeof reasonKinds)[number];

const fromOne = (description: string): t.Keywords => ({ minimum: 1, description });
const placeFields = {
  file: t.string("The file as it was named on the command line or found below it."),
  line: t.integer(fromOne("Counts from 1.")),
  column: t.integer(fromOne("Counts from 1, in UTF-16 units.")),
};

export type Place = t.Static<typeof place>;
export const place = t.object("A place in a roster file, or in the settings file.", placeFields);

export const foldedAddress = t.converted(t.string("The address folded for comparison."), undefined, foldAddress);

export type Reason = t.Static<typeof reason>;
export const reason = t.object(
  "One link of the chain by which the YAML asks for something: a place, and what stands there.",
  {
    ...placeFields,
    as: openEnum(reasonKinds, "The entry at this place:"),
    name: t.optional(t.string("The name of a group, a role set or a team; the value of a default or an account.")),
    person: t.optional(foldedAddress, "The person of this link, if the chain is about several people."),
  },
);

/** It goes on through groups and role sets to what the entry stands in and the defaults that it takes. */
export const because = t.list(reason, "The chain by which the YAML asks for it. The first link speaks for it most.");

/** A word of which later versions may have others. */
export function openEnum<const T extends string>(words: readonly T[], description: string): t.Schema<T> {
  const known = words.map((word) => `\`${word}\``).join(", ");
  return t.typed<T>(t.string({ minLength: 1, description: `${description} ${known}. More may be added.` }));
}

export function factOf<T>(value: t.Schema<T>): t.Schema<Fact<T>> {
  const unknown = t.object("It is not known.", { known: t.literal("unknown"), why: t.string() });
  return t.typed<Fact<T>>(t.anyOf(...waysToKnow(value), unknown));
}

export function knownOf<T>(value: t.Schema<T>): t.Schema<Known<T>> {
  return t.typed<Known<T>>(t.anyOf(...waysToKnow(value)));
}

function waysToKnow(value: t.Schema<unknown>) {
  return [
    t.object("The service said so in this run.", {
      known: t.literal("observed"),
      value,
      by: t.string("The read that showed it, such as `search 2`."),
    }),
    t.object("The state recorded it in an earlier run.", {
      known: t.literal("recorded"),
      value,
      at: t.string("ISO 8601."),
    }),
    t.object("The roster or a setting declares it.", { known: t.literal("declared"), value, place }),
  ] as const;
}

export function reasonAt(place: Place, as: ReasonKind, more: Pick<Reason, "name" | "person"> = {}): Reason {
  const { file, line, column } = place;
  return { file, line, column, as, ...more };
}

export function isSameReason(one: Reason, other: Reason): boolean {
  return one.as === other.as && one.file === other.file && one.line === other.line && one.column === other.column;
}

export function distinctReasons(reasons: Iterable<Reason>): readonly Reason[] {
  const byText = [...reasons].map((one) => {
    const { file, line, column, as, name, person } = one;
    return [JSON.stringify([file, line, column, as, name, person]), one] as const;
  });
  return [...new Map(byText).values()];
}

export function formatPlace(place: Place): string {
  return `${place.file}:${place.line}:${place.column}`;
}

export interface Located<T> {
  readonly value: T;
  readonly place: Place;
}

/** Roles and the chain that gives them: where they are asked for, and the role sets. */
export interface DesiredRoles extends Located<RoleSet> {
  readonly because: readonly Reason[];
  readonly endings?: readonly RoleEnding[] | undefined;
}

/** Roles that count until a day, which is the first without them; it has not come yet. */
export interface RoleEnding {
  readonly roles: RoleSet;
  readonly until: Located<string>;
}

export type Subject =
  | { readonly kind: "user"; readonly address: EmailKey }
  | { readonly kind: "team"; readonly team: TeamKey }
  | { readonly kind: "member"; readonly address: EmailKey; readonly team: TeamKey }
  | { readonly kind: "additions"; readonly team: TeamKey }
  | { readonly kind: "key"; readonly prefix: string }
  | { readonly kind: "role-on-key"; readonly role: string; readonly prefix: string }
  /** One part of a thing, such as the roles of a key. */
  | { readonly kind: "part"; readonly part: SubjectPart; readonly of: Subject }
  /** Whatever is only named, such as `service https://s.example`, `roster` or `today`; and what a later version names. */
  | { readonly kind: "other"; readonly name: string };

const subjectParts = [
  "roles",
  "own key",
  "key",
  "identifier",
  "from",
  "until",
  "creation",
  "addition",
  "firstName",
  "lastName",
  "title",
  "externalIdentifier",
  "source",
] as const;

export type SubjectPart = (typeof subjectParts)[number];

export function userSubject(address: EmailKey): Subject {
  return { kind: "user", address };
}

export function teamSubject(team: TeamKey): Subject {
  return { kind: "team", team };
}

export function memberSubject(address: EmailKey, team: TeamKey): Subject {
  return { kind: "member", address, team };
}

export function keySubject(prefix: string): Subject {
  return { kind: "key", prefix };
}

export function serviceSubject(service: string): Subject {
  return { kind: "other", name: `service ${service}` };
}

export function partOf(part: SubjectPart, of: Subject): Subject {
  return { kind: "part", part, of };
}

/** Such as `user ada@acme.example`, `member ada@acme.example of team acc-1/data`, `roles of key 12pref1x121`. The same in every version. */
export function formatSubject(subject: Subject): string {
  switch (subject.kind) {
    case "user":
      return `user ${subject.address}`;
    case "team":
      return `team ${subject.team}`;
    case "member":
      return `member ${subject.address} of team ${subject.team}`;
    case "additions":
      return `additions to team ${subject.team}`;
    case "key":
      return `key ${subject.prefix}`;
    case "role-on-key":
      return `${subject.role} on key ${subject.prefix}`;
    case "part":
      return `${subject.part} of ${formatSubject(subject.of)}`;
    case "other":
      return subject.name;
  }
}

/** Reads the text of a plan file or a log, which `formatSubject` has written. Formatted again, it is the same text. */
export function decodeSubject(text: string): Subject {
  return readSubject(text, maxNestedParts);
}

/** Parts of parts that a text may name: whatever it holds, reading it takes bounded work. */
const maxNestedParts = 4;

function readSubject(text: string, parts: number): Subject {
  const part = parts === 0 ? undefined : subjectParts.find((one) => text.startsWith(`${one} of `));
  const of = part && readSubject(text.slice(`${part} of `.length), parts - 1);
  const subject = part && of && of.kind !== "other" ? partOf(part, of) : readThing(text);
  return subject !== undefined && formatSubject(subject) === text ? subject : { kind: "other", name: text };
}

function readThing(text: string): Subject | undefined {
  const [, kind, name = ""] = /^(user|team|additions to team|key) (.+)$/su.exec(text) ?? [];
  switch (kind) {
    case "user":
      return userSubject(name as EmailKey);
    case "team":
      return teamSubject(name as TeamKey);
    case "additions to team":
      return { kind: "additions", team: name as TeamKey };
    case "key":
      return keySubject(name);
  }
  const [, address, team] = /^member (.+?) of team (.+)$/su.exec(text) ?? [];
  if (address !== undefined) return memberSubject(address as EmailKey, team as TeamKey);
  const [, role, prefix] = /^(.+?) on key (.+)$/su.exec(text) ?? [];
  return role === undefined || prefix === undefined ? undefined : { kind: "role-on-key", role, prefix };
}

export const subject = t.converted<Subject, string>(
  t.string("What it is about, such as `user ada@acme.example`."),
  formatSubject,
  decodeSubject,
);

export interface Basis {
  readonly about: Subject;
  readonly fact: Fact<string>;
}

export const basis = t.described(
  t.converted<Basis, { readonly about: Subject } & Fact<string>>(
    t.extended({ about: subject }, factOf(t.string())),
    ({ about, fact }) => ({ about, ...fact }),
    ({ about, ...fact }) => ({ about, fact }),
  ),
  "A fact that an action or a finding rests on, such as that a user is `absent`.",
);

export function observedBasis(about: Subject, is: string, by: string): Basis {
  return { about, fact: observed(is, by) };
}

export function recordedBasis(about: Subject, is: string, at: string): Basis {
  return { about, fact: recorded(is, at) };
}

export function unknownBasis(about: Subject, why: string): Basis {
  return { about, fact: unknown(why) };
}

/** Why a fact about what this plan itself brings about is not known. */
export const createdByThisPlan = "this plan creates the team or the user";

export function subjectAddress(subject: Subject): EmailKey | undefined {
  const thing = wholeOf(subject);
  return "address" in thing ? thing.address : undefined;
}

export function subjectTeam(subject: Subject): TeamKey | undefined {
  const thing = wholeOf(subject);
  return "team" in thing ? thing.team : undefined;
}

export function subjectPrefix(subject: Subject): string | undefined {
  const thing = wholeOf(subject);
  return "prefix" in thing ? thing.prefix : undefined;
}

function wholeOf(subject: Subject): Exclude<Subject, { readonly kind: "part" }> {
  return subject.kind === "part" ? wholeOf(subject.of) : subject;
}

/** Field by field, what the first one says counts. */
export function mergeOwnership(...parts: readonly (Ownership | undefined)[]): Ownership | undefined {
  const said = [...new Set(parts.filter((one) => one !== undefined))];
  if (said.length < 2) return said[0];
  const first = (name: "owner" | "note") => said.find((one) => one[name] !== undefined)?.[name];
  return definedFields({ owner: first("owner"), note: first("note") });
}

/** What one says of a thing and the other does not say as well. */
export function withoutCommon(ownership: Ownership | undefined, other: Ownership | undefined): Ownership | undefined {
  if (ownership === undefined || other === undefined) return ownership;
  const { owner, note } = ownership;
  const rest = definedFields({
    owner: owner === other.owner ? undefined : owner,
    note: note === other.note ? undefined : note,
  });
  return Object.keys(rest).length === 0 ? undefined : rest;
}
