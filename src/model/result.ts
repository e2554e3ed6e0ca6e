import type { Place } from "./fact.ts";
import type { Failure } from "./recorded.ts";

/** A value, or the expected problem that stood in its way. Defects throw; expected problems are values. */
export type Result<T, E> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E };

export function success<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

export function problem<E>(error: E): { readonly ok: false; readonly error: E } {
  return { ok: false, error };
}

export interface Problem extends Omit<Failure, "code"> {
  readonly code: string;
  /** Where guards refuse a plan: the codes for `--allow`. */
  readonly allow?: readonly string[] | undefined;
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
  readonly message: string;
  readonly hint?: string | undefined;
  readonly place?: Place | undefined;
  /** The keys and indices that lead to `place` in its document, such as `users[2].email`. No output shows it. */
  readonly path?: string | undefined;
  /** The source line at `place`, as it stands in the file, and how many columns the fault covers. */
  readonly excerpt?: { readonly line: string; readonly length: number };
}
