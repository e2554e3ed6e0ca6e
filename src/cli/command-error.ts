import { type Diagnostic, type Failure, isRefusedAccess } from "../model/result.ts";
import type { Problem } from "../report/outcome.ts";

/** What ends a command before its work is done: the reason decides the exit code, the rest is shown. */
export interface CommandError {
  readonly reason: ErrorReason;
  readonly diagnostics?: readonly Diagnostic[];
  readonly problem?: Problem;
}

export function invalidInput(diagnostics: readonly Diagnostic[]): CommandError {
  return { reason: "invalid", diagnostics };
}

/** A setting, variable or flag that is wrong. */
export function invalidSetting(code: string, message: string, hint?: string): CommandError {
  return invalidInput([{ code, severity: "error", message, ...(hint === undefined ? {} : { hint }) }]);
}

export function errorFromFailure(failure: Failure): CommandError {
  return { reason: reasonOf(failure), problem: failure };
}

function reasonOf(failure: Failure): ErrorReason {
  if (isRefusedAccess(failure)) return "access";
  return failure.code === "locked" ? "locked" : "failed";
}

/** Why a command ended before its work was done. */
export type ErrorReason = "invalid" | "access" | "locked" | "refused" | "stale" | "failed";
