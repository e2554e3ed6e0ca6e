import { foldAddress } from "./address.ts";
import * as t from "./declare.ts";

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

export const foldedAddress = t.readAs(t.string("The address folded for comparison."), foldAddress);

export type Reason = t.Static<typeof reason>;
export const reason = t.object(
  "One link of the chain by which the YAML asks for something: a place, and what stands there.",
  {
    ...placeFields,
    as: openEnum(reasonKinds, "The entry at this place:"),
    name: t.optional(t.string("The name of a group, a role set or a team; the value of a default or an account.")),
    person: t.optional(t.described(foldedAddress, "The person of this link, if the chain is about several people.")),
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
