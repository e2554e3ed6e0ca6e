import type { EmailKey } from "./address.ts";

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

/**
 * One link of the chain by which the YAML asks for something. A chain begins with the link that speaks most for it and
 * goes on through groups and role sets to what the entry stands in and the defaults that it takes.
 */
export interface Reason extends Place {
  readonly as: ReasonKind;
  /** Of a group, a role set or a team: its name. Of a default or an account: its value. */
  readonly name?: string | undefined;
  /** Whom the link is about, where the chain is about several people. */
  readonly person?: EmailKey | undefined;
}

export type ReasonKind =
  | "user"
  | "former-address"
  | "leaver"
  | "from"
  | "until"
  | "team"
  | "team-roles"
  | "admin"
  | "first-member"
  | "on-removal"
  | "member"
  | "group"
  | "group-member"
  | "member-roles"
  | "role-set"
  | "own-key-roles"
  | "key"
  | "key-owner"
  | "known-prefix"
  | "defaults"
  | "account"
  | "settings-account";

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

/** A place in a roster file. Lines and columns count from 1, columns in UTF-16 units. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export function formatPlace(place: Place): string {
  return `${place.file}:${place.line}:${place.column}`;
}

export interface Located<T> {
  readonly value: T;
  readonly place: Place;
}
