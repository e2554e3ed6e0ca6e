import { type EmailKey, foldAddress } from "./address.ts";
import { definedFields } from "./collections.ts";
import * as t from "./declare.ts";
import { type Ownership, profileFieldNames, type RoleSet, type TeamKey } from "./values.ts";

/** The name of one read of this run, such as `search 2`, `list page 3` or `account acc-1`. Deterministic. */
export type ReadName = string;

/** How something is known. Only what was observed in this run can drift. */
export type Fact<T> =
  | { readonly known: "observed"; readonly value: T; readonly by: ReadName }
  | { readonly known: "recorded"; readonly value: T; readonly at: string }
  | { readonly known: "declared"; readonly value: T; readonly place: Place }
  | { readonly known: "unknown"; readonly why: string };

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

const placeFields = {
  file: t.string("The file as it was named on the command line or found below it."),
  line: t.integer({ minimum: 1, description: "Counts from 1." }),
  column: t.integer({ minimum: 1, description: "Counts from 1, in UTF-16 units." }),
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
  return t.anyOf(...waysToKnow(value), t.object("It is not known.", { known: t.literal("unknown"), why: t.string() }));
}

export function knownOf<T>(value: t.Schema<T>): t.Schema<Known<T>> {
  return t.anyOf(...waysToKnow(value));
}

function waysToKnow<T>(value: t.Schema<T>): readonly t.Schema<Known<T>>[] {
  const by = t.string("The read that showed it, such as `search 2`.");
  return [
    t.object("The service said so in this run.", { known: t.literal("observed"), value, by }),
    t.object("The state recorded it in an earlier run.", {
      known: t.literal("recorded"),
      value,
      at: t.string("ISO 8601."),
    }),
    t.object("The roster or a setting declares it.", { known: t.literal("declared"), value, place }),
  ];
}

export function reasonAt(place: Place, as: ReasonKind, more: Pick<Reason, "name" | "person"> = {}): Reason {
  const { file, line, column } = place;
  return { file, line, column, as, ...more };
}

export function isSameReason(one: Reason, other: Reason): boolean {
  return one.as === other.as && one.file === other.file && one.line === other.line && one.column === other.column;
}

export function distinctReasons(reasons: Iterable<Reason>): readonly Reason[] {
  const textOf = ({ file, line, column, as, name, person }: Reason) =>
    JSON.stringify([file, line, column, as, name, person]);
  return [...new Map([...reasons].map((one) => [textOf(one), one])).values()];
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
  ...profileFieldNames,
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

type SubjectNames = Readonly<Partial<Record<"address" | "team" | "prefix" | "role", string>>>;

/** The same in every version: fingerprints are made of them, and plan files and logs hold them. */
const subjectTexts = {
  user: ({ address }: SubjectNames) => `user ${address}`,
  team: ({ team }: SubjectNames) => `team ${team}`,
  additions: ({ team }: SubjectNames) => `additions to team ${team}`,
  key: ({ prefix }: SubjectNames) => `key ${prefix}`,
  member: ({ address, team }: SubjectNames) => `member ${address} of team ${team}`,
  "role-on-key": ({ role, prefix }: SubjectNames) => `${role} on key ${prefix}`,
} as const;

const anyNames = { address: "(?<address>.+?)", team: "(?<team>.+?)", prefix: "(?<prefix>.+?)", role: "(?<role>.+?)" };
const subjectPatterns = Object.entries(subjectTexts).map(
  ([kind, textOf]) => [kind, new RegExp(`^${textOf(anyNames)}$`, "su")] as const,
);

export function formatSubject(subject: Subject): string {
  if (subject.kind === "other") return subject.name;
  return subject.kind === "part"
    ? `${subject.part} of ${formatSubject(subject.of)}`
    : subjectTexts[subject.kind](subject);
}

/** Reads what `formatSubject` has written; formatted again, it is the same text. `maxParts` bounds the work. */
export function decodeSubject(text: string, maxParts = 4): Subject {
  const part = maxParts === 0 ? undefined : subjectParts.find((one) => text.startsWith(`${one} of `));
  const of = part && decodeSubject(text.slice(`${part} of `.length), maxParts - 1);
  if (part && of && of.kind !== "other") return partOf(part, of);
  for (const [kind, pattern] of subjectPatterns) {
    const { groups } = pattern.exec(text) ?? {};
    if (groups !== undefined) return { kind, ...groups } as Subject;
  }
  return { kind: "other", name: text };
}

export const subject = t.converted<Subject, string>(
  t.string("What it is about, such as `user ada@acme.example`."),
  formatSubject,
  decodeSubject,
);

export type Basis = t.Static<typeof basis>;
export const basis = t.described(
  t.extended({ about: subject }, factOf(t.string())),
  "A fact that an action or a finding rests on, such as that a user is `absent`.",
);

/** Why a fact about what this plan itself brings about is not known. */
export const createdByThisPlan = "this plan creates the team or the user";

/** The person, the team and the key that it is about; of a part, those of its thing. */
export function namesIn(subject: Subject): OwnedThing {
  if (subject.kind === "part") return namesIn(subject.of);
  return subject.kind === "other" ? {} : subject;
}

/** A user, a team, a member or a key, by all that is known of it. */
export interface OwnedThing {
  readonly address?: EmailKey | undefined;
  readonly team?: TeamKey | undefined;
  readonly prefix?: string | undefined;
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
