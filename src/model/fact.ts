import { foldAddress } from "./address.ts";
import {
  anyOf,
  described,
  integer,
  type Keywords,
  list,
  literal,
  object,
  optional,
  readAs,
  type Schema,
  type Static,
  string,
  typed,
} from "./declare.ts";

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

const fromOne = (description: string): Keywords => ({ minimum: 1, description });
const placeFields = {
  file: string("The file as it was named on the command line or found below it."),
  line: integer(fromOne("Counts from 1.")),
  column: integer(fromOne("Counts from 1, in UTF-16 units.")),
};

export type Place = Static<typeof place>;
export const place = object("A place in a roster file, or in the settings file.", placeFields);

export const foldedAddress = readAs(string("The address folded for comparison."), foldAddress);

export type Reason = Static<typeof reason>;
export const reason = object(
  "One link of the chain by which the YAML asks for something: a place, and what stands there.",
  {
    ...placeFields,
    as: openEnum(reasonKinds, "The entry at this place:"),
    name: optional(string("The name of a group, a role set or a team; the value of a default or an account.")),
    person: optional(described(foldedAddress, "The person of this link, if the chain is about several people.")),
  },
);

/** It goes on through groups and role sets to what the entry stands in and the defaults that it takes. */
export const because = list(reason, "The chain by which the YAML asks for it. The first link speaks for it most.");

/** A word of which later versions may have others. */
export function openEnum<const T extends string>(words: readonly T[], description: string): Schema<T> {
  const known = words.map((word) => `\`${word}\``).join(", ");
  return typed<T>(string({ minLength: 1, description: `${description} ${known}. More may be added.` }));
}

export function factOf<T>(value: Schema<T>): Schema<Fact<T>> {
  const unknown = object("It is not known.", { known: literal("unknown"), why: string() });
  return typed<Fact<T>>(anyOf(...waysToKnow(value), unknown));
}

export function knownOf<T>(value: Schema<T>): Schema<Known<T>> {
  return typed<Known<T>>(anyOf(...waysToKnow(value)));
}

function waysToKnow(value: Schema<unknown>) {
  return [
    object("The service said so in this run.", {
      known: literal("observed"),
      value,
      by: string("The read that showed it, such as `search 2`."),
    }),
    object("The state recorded it in an earlier run.", { known: literal("recorded"), value, at: string("ISO 8601.") }),
    object("The roster or a setting declares it.", { known: literal("declared"), value, place }),
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
