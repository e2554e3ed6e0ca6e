import type { Place } from "./fact.ts";

/** A value, or the expected problem that stood in its way. Defects throw; expected problems are values. */
export type Result<T, E> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E };

export function success<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

export function problem<E>(error: E): { readonly ok: false; readonly error: E } {
  return { ok: false, error };
}

/** What kind of problem stood in the way of a call to the account service or to the state store. */
export type FailureCode =
  /** 401: the service does not accept the key. Nothing after it can succeed. */
  | "unauthorized"
  /** 403: the key may not do this. */
  | "forbidden"
  /** 404 on a path identifier. */
  | "not-found"
  /** 409, or another answer that says the thing is already there. */
  | "conflict"
  /** Any other 4xx: the service understood the request and will refuse it again. */
  | "refused"
  /** 5xx, or an answer that asks to come back later: 408, 425, 429. */
  | "service-error"
  /** No answer could be had: resolution, connection, TLS, reset, time-out. */
  | "unreachable"
  /** An answer came, and it is not of a known shape. Never an empty list. */
  | "misunderstood"
  /** The reads do not prove what a call rests on, so that it was not sent. */
  | "stale"
  /** A redirect, which is never followed: the key stays home. */
  | "redirected"
  /** The run was aborted before the call was sent. */
  | "aborted"
  /** The state store or the audit trail could not be read or written, or it is not the one that is remembered. */
  | "state"
  /** The state is locked by another run. */
  | "locked";

/** An expected problem with a call: what, where, why and what to do next. */
export interface Failure {
  readonly code: FailureCode;
  /** One sentence without a trailing stop; never contains a key. */
  readonly message: string;
  /** The request, such as `POST /api/accounting/users/search`, or the file of a state store. */
  readonly request?: string;
  /** The HTTP status, where there was an answer. */
  readonly status?: number;
  /** The service's own words, bounded, not yet made safe for an output. */
  readonly serviceSays?: string;
  readonly hint?: string;
}

/** An error: what happened, where, why, and what to do next. */
export interface Problem extends Omit<Failure, "code"> {
  readonly code: string;
  /** Where guards refuse a plan: what to say after `--allow` for each of them. */
  readonly allow?: readonly string[];
}

/** After such a failure no further call of the run can succeed. */
export function stopsTheRun(failure: Failure): boolean {
  return failure.code === "unauthorized" || failure.code === "redirected";
}

/** The service refused our key or our permission (exit code 4). */
export function isRefusedAccess(failure: Failure): boolean {
  return failure.code === "unauthorized" || failure.code === "forbidden";
}

/** Something wrong with what the person wrote: a roster file, the settings, the command line. */
export interface Diagnostic {
  /** Stable and documented, such as `unknown-key`. */
  readonly code: string;
  readonly severity: "error" | "warning";
  /** What is wrong and why, in one sentence. */
  readonly message: string;
  /** What to do next, in one sentence. */
  readonly hint?: string;
  readonly place?: Place;
  /** The keys and indices that lead to `place` in its document, such as `users[2].email`. No output shows it. */
  readonly path?: string;
  /** The source line at `place`, as it stands in the file, and how many columns the fault covers. */
  readonly excerpt?: { readonly line: string; readonly length: number };
}
