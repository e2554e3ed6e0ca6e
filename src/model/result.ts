import type { Failure } from "./failure.ts";

/** A value, or the expected problem that stood in its way. Defects throw; expected problems are values. */
export type Result<T, E> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E };

export function success<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

export function problem<E>(error: E): { readonly ok: false; readonly error: E } {
  return { ok: false, error };
}

/** The service refused our key or our permission (exit code 4). */
export function isRefusedAccess(failure: Failure): boolean {
  return failure.code === "unauthorized" || failure.code === "forbidden";
}
