import type { Place } from "./place.ts";

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

/** One fact that an action or a finding rests on, told as text: `{about: "user ada@acme.example", is: "absent"}`. */
export interface Basis {
  readonly about: string;
  readonly fact: Fact<string>;
}

/** Why a fact about what this plan itself brings about is not known. */
export const createdByThisPlan = "this plan makes the team or the person";
