import { StoreError } from "../log/store-error.ts";
import type { RunSummary } from "../log/summary.ts";
import { closestMatch } from "../model/address.ts";
import { definedFields } from "../model/collections.ts";
import type { Place } from "../model/fact.ts";
import type { Diagnostic, Failure, Problem } from "../model/failure.ts";
import type { Drift, DriftRecording, Plan, Tasks } from "../model/plan.ts";
import { isRefusedAccess, type Result } from "../model/result.ts";
import type { ReadSummary } from "../model/snapshot.ts";
import type { LogHead } from "../model/state.ts";

/** Why a piece of work ended before it was done. */
export type ErrorReason = "invalid" | "access" | "locked" | "refused" | "stale" | "aborted" | "failed";

/** What an apply came to. Single actions may have failed: `run.outcomes` has the outcome of each. */
export interface ApplyResult {
  /** As it stands after the run. */
  readonly plan: Plan;
  /** How the service was read, and when. */
  readonly reading?: ReadSummary | undefined;
  /** Absent where there was nothing to do. */
  readonly run?: RunSummary | undefined;
  /** Of a repair: what is left of the drift. */
  readonly found?: DriftFound | undefined;
  /** Of a saved plan. */
  readonly warnings?: readonly Diagnostic[] | undefined;
  /** Where the log ends, if something was recorded. */
  readonly head?: LogHead | undefined;
}

/** In what the service and the roster differ, and what was recorded of it. */
export interface DriftFound {
  readonly drift: Drift;
  /** What of it is left to people. */
  readonly tasks: Tasks;
  /** Whether it was recorded in the log. */
  readonly record: DriftRecording;
}

interface ErrorDetails {
  readonly problem?: Problem | undefined;
  readonly diagnostics?: readonly Diagnostic[] | undefined;
  readonly applied?: Partial<ApplyResult> | undefined;
}

/** Why something was not done: what is wrong, where, and what to do. It holds no secret. */
export class RosterError extends Error {
  override readonly name = "RosterError";
  /**
   * `invalid`: a roster, an option or a saved file is wrong. `access`: the service refused the key. `locked`: another run holds
   * the log. `refused`: guards or a person refused the plan. `stale`: something newer was applied. `aborted`: the signal ended the
   * work. `failed`: anything else.
   */
  readonly reason: ErrorReason;
  /** Stable, such as `unknown-key`. `roster explain CODE` tells more of each. */
  declare readonly code: string;
  /** What is wrong and why, in one sentence. */
  declare readonly message: string;
  /** What to do next. */
  declare readonly hint?: string;
  /** Where in the roster, if it is there. */
  declare readonly place?: Place;
  /** The request that failed, such as `POST /api/accounting/users/search`, or the place of a log. */
  declare readonly request?: string;
  /** The HTTP status, if there was an answer. */
  declare readonly status?: number;
  /** The service's own words, bounded. They are not made safe for any output. */
  declare readonly serviceSays?: string;
  /** The codes for `allow` that let this plan pass its guards. */
  declare readonly allow?: readonly string[];
  /** Everything that was found wrong, each with its place. */
  readonly diagnostics: readonly Diagnostic[];
  /** Of an apply: how far it came. */
  declare readonly applied?: Partial<ApplyResult>;
  readonly #problem: Problem | undefined;

  /** @internal */
  constructor(reason: ErrorReason, { problem, diagnostics = [], applied }: ErrorDetails) {
    const first: Pick<Diagnostic, "code" | "message" | "hint" | "place"> | undefined =
      problem ?? diagnostics.find(({ severity }) => severity === "error") ?? diagnostics[0];
    if (first === undefined) throw new Error("An error says nothing.");
    super(first.message);
    const { code, hint, place } = first;
    Object.assign(this, definedFields({ code, hint, place, ...problem, applied }));
    this.reason = reason;
    this.diagnostics = diagnostics;
    this.#problem = problem;
  }

  /** What ended the work, where that is more than the diagnostics. @internal */
  get problem(): Problem | undefined {
    return this.#problem;
  }

  /** The same error of an apply that came so far. @internal */
  after(applied: Partial<ApplyResult>): RosterError {
    const { problem, diagnostics } = this;
    const all = { ...applied, ...definedFields(this.applied ?? {}) };
    return new RosterError(this.reason, { problem, diagnostics, applied: all });
  }

  /** The same error as a program gets it. @internal */
  without(secrets: Redaction): RosterError {
    const { problem, diagnostics, applied } = this;
    return new RosterError(this.reason, secrets.redactAll({ problem, diagnostics, applied }));
  }

  /** Every field. Of an error, JSON has no message of its own accord. */
  toJSON(): object {
    return { ...this, message: this.message };
  }
}

export interface Redaction {
  /** The value with every text freed of secrets; the same value where none holds any. */
  redactAll<T>(value: T): T;
}

async function orWith<T>(work: () => Promise<T>, change: (error: RosterError) => RosterError): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw change(rosterError(error));
  }
}

/** Work of which a program sees no secret, also where it fails. */
export function withoutSecrets<T>(secrets: Redaction, work: () => Promise<T>): Promise<T> {
  return orWith(work, (error) => error.without(secrets));
}

/** Work of an apply that has come so far: an error says so. */
export function havingApplied<T>(applied: Partial<ApplyResult>, work: () => Promise<T>): Promise<T> {
  return orWith(work, (error) => error.after(applied));
}

export function invalidInput(diagnostics: readonly Diagnostic[]): RosterError {
  return new RosterError("invalid", { diagnostics });
}

/** A setting, variable, flag or option that is wrong. */
export function invalidSetting(code: string, message: string, hint?: string): RosterError {
  return invalidInput([{ code, severity: "error", message, ...definedFields({ hint }) }]);
}

/** A hint: what was perhaps meant, else how to write it. */
export function suggest(name: string, known: Iterable<string>, otherwise: string): string {
  const near = closestMatch(name, known);
  return near === undefined ? otherwise : `Did you mean ${near}?`;
}

/** A secret of the environment goes nowhere that a change to the checkout can name. `secret`: which, and what names its goal. */
export function secretStaysHome(secret: string, file: string, instead: string): RosterError {
  const message = `${secret} comes from ${file}. A change to the checkout can edit that file.`;
  const hint = `${instead}. Or move the settings out of the checkout and name them in ROSTER_CONFIG.`;
  return invalidSetting("untrusted", message, hint);
}

export function stopError(reason: ErrorReason, code: string, message: string, hint?: string): RosterError {
  return new RosterError(reason, { problem: { code, message, ...definedFields({ hint }) } });
}

export function errorFromFailure(failure: Failure): RosterError {
  const { code } = failure;
  const reason = code === "locked" || code === "aborted" ? code : isRefusedAccess(failure) ? "access" : "failed";
  return new RosterError(reason, { problem: failure });
}

/** The error that ended some work, to catch it. A defect is thrown on. */
export function rosterError(error: unknown): RosterError {
  if (error instanceof RosterError) return error;
  if (error instanceof StoreError) return errorFromFailure(error.failure);
  throw error;
}

/** The value, or the failure thrown. */
export function orThrow<Value>(result: Result<Value, Failure>): Value {
  if (result.ok) return result.value;
  throw errorFromFailure(result.error);
}

/** The work was ended by its signal before anything was changed. */
export function abortedBefore(): RosterError {
  return stopError("aborted", "aborted", "the signal was aborted, and nothing was changed");
}
