import type { EmailKey } from "./address.ts";

/** The name of one read of this run, such as `search 2`, `list page 3` or `account acc-1`. Deterministic. */
export type ReadName = string;

/** How something is known. Only what was observed in this run can drift. */
export type Fact<T> =
  | { readonly known: "observed"; readonly value: T; readonly by: ReadName }
  | { readonly known: "recorded"; readonly value: T; readonly at: string }
  | { readonly known: "declared"; readonly value: T; readonly place: Place }
  | { readonly known: "unknown"; readonly why: string };

export function observed<T>(value: T, by: ReadName): Fact<T> {
  return { known: "observed", value, by };
}

export function recorded<T>(value: T, at: string): Fact<T> {
  return { known: "recorded", value, at };
}

export function declared<T>(value: T, place: Place): Fact<T> {
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
  readonly name?: string;
  /** Whom the link is about, where the chain is about several people. */
  readonly person?: EmailKey;
}

/** What stands at the place. */
export type ReasonKind = (typeof reasonKinds)[number];

export const reasonKinds = [
  /** An entry of `users`. */
  "user",
  /** A former address of a user, under `previously`. */
  "former-address",
  /** An entry of `leavers`. */
  "leaver",
  /** The `from` of a user: a user from that day on. */
  "from",
  /** The `until` of a user: a leaver from that day on. */
  "until",
  /** An entry of `teams`. */
  "team",
  /** The `roles` of a team. */
  "team-roles",
  /** The `admin` of a team. */
  "admin",
  /** The `firstMember` of a team. */
  "first-member",
  /** The `onRemoval` of a team. */
  "on-removal",
  /** An entry of a team's `members` that names a user. */
  "member",
  /** An entry of a team's `members` that names a group. */
  "group",
  /** The line of one person in a group. */
  "group-member",
  /** The `roles` of an entry of a team's `members`. */
  "member-roles",
  /** The definition of a role set. */
  "role-set",
  /** The `ownKeyRoles` of a user. */
  "own-key-roles",
  /** An entry of `keys`. */
  "key",
  /** The `owner` of an entry of `keys`. */
  "key-owner",
  /** The `key` of a user or of a member: a prefix that a person knows. */
  "known-prefix",
  /** The `defaults` of a file. */
  "defaults",
  /** The `account` of a file. */
  "account",
  /** The `account` of the settings, or an alias under their `accounts`. */
  "settings-account",
] as const;

export function reasonAt(place: Place, as: ReasonKind, more: Pick<Reason, "name" | "person"> = {}): Reason {
  const { file, line, column } = place;
  return { file, line, column, as, ...more };
}

/** Whether two links stand at the same place as the same. */
export function isSameReason(one: Reason, other: Reason): boolean {
  return one.as === other.as && one.file === other.file && one.line === other.line && one.column === other.column;
}

/** Each link once, in the order of their first mention. */
export function distinctReasons(reasons: Iterable<Reason>): readonly Reason[] {
  const byText = new Map<string, Reason>();
  for (const reason of reasons) {
    const { file, line, column, as, name = "", person = "" } = reason;
    const text = JSON.stringify([file, line, column, as, name, person]);
    if (!byText.has(text)) byText.set(text, reason);
  }
  return [...byText.values()];
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

/** A value together with the place that declares it. */
export interface Located<T> {
  readonly value: T;
  readonly place: Place;
}
