import { type Diagnostic, type Failure, isRefusedAccess, type Problem } from "../model/result.ts";

/** What ended a piece of work before it was done. `reason` says which kind of problem it is. */
export interface RosterError {
  readonly reason: ErrorReason;
  readonly diagnostics?: readonly Diagnostic[];
  readonly problem?: Problem;
}

export function invalidInput(diagnostics: readonly Diagnostic[]): RosterError {
  return { reason: "invalid", diagnostics };
}

/** A setting, variable or flag that is wrong. */
export function invalidSetting(code: string, message: string, hint?: string): RosterError {
  return invalidInput([{ code, severity: "error", message, ...(hint === undefined ? {} : { hint }) }]);
}

export function errorFromFailure(failure: Failure): RosterError {
  return { reason: reasonOf(failure), problem: failure };
}

function reasonOf(failure: Failure): ErrorReason {
  if (isRefusedAccess(failure)) return "access";
  return failure.code === "locked" ? "locked" : "failed";
}

/** Why a command ended before its work was done. */
export type ErrorReason = "invalid" | "access" | "locked" | "refused" | "stale" | "failed";
