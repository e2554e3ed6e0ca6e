import type { Place } from "../model/fact.ts";
import {
  type Diagnostic,
  type Failure,
  isRefusedAccess,
  type Problem,
  problem,
  type Result,
  success,
} from "../model/result.ts";

/** What ended a piece of work before it was done. `reason` says which kind of problem it is. @internal */
export interface RosterError {
  readonly reason: ErrorReason;
  readonly diagnostics?: readonly Diagnostic[];
  readonly problem?: Problem;
}

/** Why a command ended before its work was done. */
export type ErrorReason = "invalid" | "access" | "locked" | "refused" | "stale" | "aborted" | "failed";

/** @internal */
export function invalidInput(diagnostics: readonly Diagnostic[]): RosterError {
  return { reason: "invalid", diagnostics };
}

/** A setting, variable or flag that is wrong. @internal */
export function invalidSetting(code: string, message: string, hint?: string): RosterError {
  return invalidInput([{ code, severity: "error", message, ...(hint === undefined ? {} : { hint }) }]);
}

/** Why a piece of work ended, and what to do next. @internal */
export function stopError(reason: ErrorReason, code: string, message: string, hint?: string): RosterError {
  return { reason, problem: { code, message, ...(hint === undefined ? {} : { hint }) } };
}

/** @internal */
export function errorFromFailure(failure: Failure): RosterError {
  return { reason: reasonOf(failure), problem: failure };
}

function reasonOf(failure: Failure): ErrorReason {
  if (isRefusedAccess(failure)) return "access";
  return failure.code === "locked" || failure.code === "aborted" ? failure.code : "failed";
}

/** Why something was not done: what is wrong, where, and what to do. It can be thrown, and it holds no secret. */
export class LibraryError extends Error {
  override readonly name = "LibraryError";
  /**
   * `invalid`: a roster, an option or a saved file is wrong. `access`: the service refused the key. `locked`: another run holds
   * the state. `refused`: guards or a person refused the plan. `stale`: something newer was applied. `aborted`: the signal ended the
   * work. `failed`: anything else.
   */
  declare readonly reason: ErrorReason;
  /** Stable, such as `unknown-key`. `roster explain CODE` tells more of each. */
  declare readonly code: string;
  /** What is wrong and why, in one sentence. */
  declare readonly message: string;
  /** What to do next. */
  declare readonly hint?: string;
  /** Where in the roster, if it is there. */
  declare readonly place?: Place;
  /** The request that failed, such as `POST /api/accounting/users/search`, or the place of a state. */
  declare readonly request?: string;
  /** The HTTP status, if there was an answer. */
  declare readonly status?: number;
  /** The service's own words, bounded. They are not made safe for any output. */
  declare readonly serviceSays?: string;
  /** The codes for `allow` that let this plan pass its guards. */
  declare readonly allow?: readonly string[];
  /** Everything that was found wrong, each with its place. */
  declare readonly diagnostics: readonly Diagnostic[];

  /** @internal */
  constructor(fields: Omit<LibraryError, "name" | "toJSON">) {
    super(fields.message);
    Object.assign(this, fields);
  }

  /** Every field. Of an error, JSON has no message of its own accord. */
  toJSON(): object {
    return { ...this, message: this.message };
  }
}

/** An error as a program gets it. @internal */
export function libraryError(
  { reason, problem: found, diagnostics = [] }: RosterError,
  secrets: Redaction,
): LibraryError {
  const first = diagnostics.find(({ severity }) => severity === "error") ?? diagnostics[0];
  if (found !== undefined) return new LibraryError(secrets.redactAll({ ...found, reason, diagnostics }));
  if (first === undefined) throw new Error("An error says nothing.");
  const { code, message, hint, place } = first;
  const where = { ...(hint === undefined ? {} : { hint }), ...(place === undefined ? {} : { place }) };
  return new LibraryError(secrets.redactAll({ reason, code, message, ...where, diagnostics }));
}

/** Takes secrets out of a value. @internal */
export interface Redaction {
  /** A value of which every text is without them; the same value where none holds any. */
  redactAll<T>(value: T): T;
}

/** A result as a program gets it. @internal */
export function libraryResult<Value>(
  result: Result<Value, RosterError>,
  secrets: Redaction,
): Result<Value, LibraryError> {
  return result.ok ? success(secrets.redactAll(result.value)) : problem(libraryError(result.error, secrets));
}

/** The work was ended by its signal before anything was changed. @internal */
export const abortedBefore = stopError("aborted", "aborted", "the signal was aborted, and nothing was changed");
