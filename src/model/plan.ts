import type { Action } from "./action.ts";
import type { Finding } from "./finding.ts";

/** What `apply` would do, in an order that respects every dependency, and what nobody can do by a call. */
export interface Plan {
  /** Digest of what would be done: the same for the same change, whatever the time or the order of the reads. */
  readonly id: string;
  readonly service: string;
  readonly actions: readonly Action[];
  readonly findings: readonly Finding[];
  readonly calls: Calls;
}

export interface Calls {
  /** Requests that reading for this plan took. */
  readonly reads: number;
  /** Writes that will be sent if every answer is as asked. */
  readonly writes: number;
  /** Writes that will be sent at the most. */
  readonly atMost: number;
}

/** A selection, or another wish of this run, that the plan cannot honour without harm. */
export interface PlanRefusal {
  readonly code: "selection-strands-team" | "selects-nothing";
  readonly message: string;
  readonly hint: string;
}
