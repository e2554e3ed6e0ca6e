import { errorFromFailure, invalidSetting, type RosterError, stopError } from "../../library/error.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { formatHead, type LogHead } from "../../model/state.ts";
import type { ReadEvents, RosterLog } from "../../ports/log.ts";

export interface HeadFlags {
  readonly expectHead?: string | undefined;
}

/** The head that a log must go on from, as an apply has printed it: `412:9f86d081…`. */
export function readExpectedHead({ expectHead }: HeadFlags): Result<LogHead | undefined, RosterError> {
  if (expectHead === undefined) return success(undefined);
  const [, position, hash] = /^(\d{1,15}):([0-9a-f]{64})$/u.exec(expectHead) ?? [];
  if (position !== undefined && hash !== undefined) return success({ position: Number(position), hash });
  return problem(
    invalidSetting(
      "bad-flag-value",
      "--expect-head is not the head of a log.",
      "Write it as `roster apply` prints it: a position, a colon and 64 hexadecimal digits.",
    ),
  );
}

/** Why a log does not go on from a head; undefined where it does. */
export function headMissing(
  known: LogHead,
  { events, head }: ReadEvents,
  exit: "failed" | "stale",
): RosterError | undefined {
  if (known.position === 0 || events[known.position - 1]?.hash === known.hash) return undefined;
  return stopError(
    exit,
    exit === "stale" ? "stale" : "state",
    `the log does not go on from the head ${formatHead(known)}: it ends with ${formatHead(head)}`,
    "it was restored from an older copy, or cut off: find the newer one before anything is applied",
  );
}

/** Why nothing may be applied with this log: it was restored from an older copy. */
export async function olderLog(store: RosterLog, known: LogHead | undefined): Promise<RosterError | undefined> {
  if (known === undefined) return undefined;
  const read = await store.readEvents();
  return read.ok ? headMissing(known, read.value, "stale") : errorFromFailure(read.error);
}
