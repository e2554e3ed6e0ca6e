import type { Failure } from "../model/failure.ts";
import { problem, type Result, success } from "../model/result.ts";

/** Why a log does not go on. A store throws it, and the log returns it at its door. */
export class StoreError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    const { message, hint } = failure;
    super(hint === undefined ? message : `${message} (${hint})`);
    this.failure = failure;
  }
}

/** `request`: what was asked for, such as a path. */
export function stateError(request: string, message: string, hint: string): StoreError {
  return new StoreError({ code: "state", message, request, hint });
}

/** A checkpoint is not written that nobody could read: the log has all of it. */
export function tooLarge(checkpoint: string): StoreError {
  return stateError(checkpoint, `the checkpoint at ${checkpoint} is too large`, "the log is complete without it");
}

/** What is told of work with a store: its value, or why there is none. */
export async function outcomeOf<T>(work: () => Promise<T>): Promise<Result<T, Failure>> {
  try {
    return success(await work());
  } catch (error) {
    if (error instanceof StoreError) return problem(error.failure);
    throw error;
  }
}

export function orThrow<T>(outcome: Result<T, Failure>): T {
  if (outcome.ok) return outcome.value;
  throw new StoreError(outcome.error);
}

/** What was taken before a step, such as a lock, is given back where the step fails. */
export async function orGiveBack<T>(giveBack: () => Promise<void>, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    await giveBack();
    throw error;
  }
}
