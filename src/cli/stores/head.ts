import { errorFromFailure, invalidSetting, type RosterError, stopError } from "../../library/error.ts";
import { findEnd } from "../../log/log.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { formatHead, type LogHead } from "../../model/state.ts";
import type { LogBase, RosterLog } from "../../ports/log.ts";

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

/** Why a log does not go on from a head: it was restored from an older copy. Undefined where it does, or no head is expected. */
export async function headMissing(
  known: LogHead | undefined,
  store: RosterLog,
  exit: "failed" | "stale",
): Promise<RosterError | undefined> {
  if (known === undefined) return undefined;
  const found = await findEnd(store.readEvents(), known.position);
  if (!found.ok) return errorFromFailure(found.error);
  const { head, hash, base } = found.value;
  if (known.position === 0 || hash === known.hash) return undefined;
  if (base !== undefined && known.position < base.head.position) return headPruned(known, base);
  return stopError(
    exit,
    exit === "stale" ? "stale" : "state",
    `the log does not go on from the head ${formatHead(known)}: it ends with ${formatHead(head)}`,
    "it was restored from an older copy, or cut off: find the newer one before anything is applied",
  );
}

function headPruned(known: LogHead, { head, before }: LogBase): RosterError {
  return stopError(
    "failed",
    "state",
    `the log has no event at position ${known.position} any more: it was pruned up to position ${head.position}, before ${before}`,
    `check the export: \`roster audit verify --state file:EXPORT --expect-head ${formatHead(known)}\`, then this log with --expect-head ${formatHead(head)}`,
  );
}

/** Why a log does not say what was so at a time; undefined where it does. */
export function beforePrune(flag: string, time: number, before: string | undefined): RosterError | undefined {
  if (before === undefined || time >= Date.parse(before)) return undefined;
  return invalidSetting(
    "bad-flag-value",
    `${flag} is before ${before}, and the log was pruned up to then. It does not say what was so at that time.`,
    "Read the export of that prune: pass --state file:EXPORT.",
  );
}
