import type { Action, ActionId } from "./action.ts";
import type { Failure } from "./failure.ts";
import type { Finding } from "./finding.ts";

/** What came of applying a plan to a service in memory that was filled with what the plan's reads had shown. */
export interface Rehearsal {
  /** Nothing stands in `troubles`: every call was taken, and planning again finds nothing to do. */
  readonly converges: boolean;
  readonly troubles: readonly RehearsalIssue[];
  /** What only applying the plan brings to light, and does not block. */
  readonly notices: readonly Finding[];
  /** What a rehearsal cannot tell of the service, one sentence each. */
  readonly unshown: readonly string[];
  readonly calls: RehearsalCalls;
  /** Invitations that the calls sent. */
  readonly mails: number;
  /** The longest chain of actions of which each waits for the one before it, the first one first. */
  readonly criticalPath: readonly ActionId[];
  readonly time: RehearsalTime;
}

/** Requests of the apply, those that checked what it did among the reads. */
export interface RehearsalCalls {
  readonly createUser: number;
  readonly addMembers: number;
  readonly replaceRoles: number;
  readonly reads: number;
}

/** Milliseconds of a clock that moves by calls and waits alone. */
export interface RehearsalTime {
  /** What each call takes. */
  readonly latency: number;
  /** Reading for the plan, which an apply does first. */
  readonly planning: number;
  /** From the first call to the end of the last check. */
  readonly applying: number;
  readonly throttled: ThrottledTime;
}

/** The same where the service now and then asks to come back later. */
export interface ThrottledTime {
  /** One in so many writes is refused. */
  readonly oneIn: number;
  /** Milliseconds that the service asks for. */
  readonly pause: number;
  readonly applying: number;
}

/** Something that an apply would not bring about as the plan says. */
export type RehearsalIssue =
  | { readonly is: "failed" | "unknown"; readonly action: ActionId; readonly failure: Failure }
  | { readonly is: "skipped" | "stale"; readonly action: ActionId; readonly why: string }
  /** One person of an addition. */
  | { readonly is: "refused"; readonly action: ActionId; readonly person: string; readonly failure: Failure }
  /** A blocking finding that the plan does not foretell. */
  | { readonly is: "found"; readonly finding: Finding }
  /** Planning again asks for it. */
  | { readonly is: "remains"; readonly action: Action }
  /** The run ended early, or planning again came to no plan, or to one that guards refuse. */
  | { readonly is: "stopped" | "unplanned"; readonly why: string };
