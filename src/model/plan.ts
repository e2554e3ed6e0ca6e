import type { Action } from "./action.ts";
import type { FoldedAddress } from "./address.ts";
import type { Finding } from "./finding.ts";
import type { Allowance, GuardName } from "./guard.ts";

/** What `apply` would do, in an order that respects every dependency, and what nobody can do by a call. */
export interface Plan {
  /** Digest of what would be done: the same for the same change, whatever the time or the order of the reads. */
  readonly id: string;
  readonly service: string;
  readonly actions: readonly Action[];
  readonly findings: readonly Finding[];
  readonly calls: CallEstimate;
  /** What its guards forbid: calls about keys that only the run learns are judged by it. */
  readonly forbids?: ForbiddenTargets;
}

/** Sorted, so that the same is said in the same words. */
export interface ForbiddenTargets {
  /** Prefixes: of the key in use, of protected keys, and of keys of protected people. */
  readonly keys: readonly string[];
  readonly people: readonly FoldedAddress[];
}

export interface CallEstimate {
  /** Requests that reading for this plan took. */
  readonly reads: number;
  /** Writes that will be sent if every answer is as asked. */
  readonly writes: number;
  /** Writes that will be sent at the most. */
  readonly atMost: number;
}

/** Why the plan is not one that may be applied. */
export type PlanRefusal = InvalidSelection | GuardRefusal;

/** A selection, or another wish of this run, that cannot be honoured without harm: there is no plan. */
export interface InvalidSelection {
  readonly code: "selection-strands-team" | "selects-nothing";
  readonly message: string;
  readonly hint: string;
}

/** Guards that stop have something against the plan, which is shown and not applied. */
export interface GuardRefusal {
  readonly code: "guard";
  readonly message: string;
  readonly hint: string;
  readonly plan: Plan;
  /** Never empty. */
  readonly stops: readonly GuardViolation[];
}

/** One guard, and what it has against the plan. */
export interface GuardViolation {
  readonly guard: GuardName;
  /** With the numbers and the people. */
  readonly message: string;
  /** What a person says who has read the plan and wants it all the same. */
  readonly allow: Allowance;
}
