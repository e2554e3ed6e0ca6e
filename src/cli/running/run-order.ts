import type { RunEvent } from "../../model/event.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { State } from "../../model/state.ts";
import { type CommandError, invalidSetting } from "../stop.ts";

export interface SequenceFlags {
  readonly sequence?: string | undefined;
}

/** The place that a run names for itself among all applies; undefined where it names none. */
export function readSequence({ sequence }: SequenceFlags): Result<number | undefined, CommandError> {
  if (sequence === undefined) return success(undefined);
  const number = Number(sequence);
  if (/^\d+$/u.test(sequence) && Number.isSafeInteger(number)) return success(number);
  return problem(
    invalidSetting(
      "bad-sequence",
      `--sequence ${sequence} is not a whole number.`,
      "Pass a number that only grows, such as that of the pipeline's run.",
    ),
  );
}

/** What to remember of the place that a run names; nothing where it is known. */
export function sequenceEvents(
  sequence: number | undefined,
  { sequence: known }: State,
  at: string,
): readonly RunEvent[] {
  return sequence === undefined || sequence === known ? [] : [{ type: "sequenced", at, sequence }];
}

/** Whoever comes after a newer roster was applied would undo it: what to say then; undefined where the run is in order. */
export function supersededRun(sequence: number | undefined, { sequence: applied }: State): CommandError | undefined {
  if (sequence === undefined || applied === undefined || sequence >= applied) return undefined;
  const problem = {
    code: "stale",
    message: `this run is number ${sequence}, and number ${applied} was already applied: its roster is newer`,
    hint: "nothing was read or sent; let the newest run of the pipeline apply",
  };
  return { reason: "stale", problem };
}
