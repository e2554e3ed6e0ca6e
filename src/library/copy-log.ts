import { isUnusedState } from "../codec/state.ts";
import { copyLog } from "../log/copy.ts";
import { shellWord, stateFlag } from "../model/state.ts";
import { isoTime } from "../ports/clock.ts";
import { errorFromFailure, invalidSetting, orThrow, type RosterError, stopError } from "./error.ts";
import { type LockedLog, type Log, record, wasMoved } from "./log.ts";

/**
 * Copies a locked log to another store, reads it back, and ends it at the old place, which refuses every run from then on.
 * `keep`: the lineage of the log at the target, which goes on in the place of this one. Then nothing is copied.
 */
export async function copyLockedLog(lock: LockedLog, target: Log, keep: string | undefined): Promise<void> {
  const { state, log } = lock;
  const { moved } = state;
  if (moved !== undefined && moved.to !== target.address) throw errorFromFailure(wasMoved(log.address, moved));
  if (isUnusedState(state)) {
    const message = `There is no log at ${log.address}.`;
    throw invalidSetting("bad-flag-value", message, "Name the place of the log with --state.");
  }
  await (keep === undefined ? copyTo(target, lock) : endFor(keep, target, lock));
}

async function copyTo(target: Log, lock: LockedLog): Promise<void> {
  const { log, state, run } = lock;
  const { moved } = state;
  const command = { run, operation: "state copy", at: isoTime(log.clock) };
  const copied = await copyLog(log.store.kept, target.store.kept, command, moved);
  if (copied === "other")
    throw moved === undefined ? await occupied(target, lock) : errorFromFailure(wasMoved(log.address, moved));
  try {
    if (moved === undefined) await endLog(target, lock);
    await copied.finish();
  } finally {
    await copied.release();
  }
}

function endLog({ address: to }: Log, lock: LockedLog): Promise<void> {
  return record(lock, [{ type: "moved-to", at: isoTime(lock.log.clock), to }], "the log was not ended");
}

/** Of two logs of one service that ran beside each other, ends this one. Nothing of it is copied. */
async function endFor(keep: string, target: Log, lock: LockedLog): Promise<void> {
  const { state, log } = lock;
  const { lineage, service, moved } = orThrow(await target.store.read());
  if (moved !== undefined) throw errorFromFailure(wasMoved(target.address, moved));
  const [call] = state.open;
  const why =
    (lineage !== keep &&
      `--keep is \`${keep}\`, but the log at ${target.address} has ${lineage === "" ? "no events" : `the ID ${lineage}`}`) ||
    (service !== state.service && `the log at ${target.address} is about another service`) ||
    (call !== undefined && `${state.open.length} of the calls of this log have an unknown outcome`);
  const hint =
    call === undefined
      ? `Pass --keep with the ID of the log to keep. For its ID, run \`roster state show ${stateFlag(target.address)}\`.`
      : `Resolve these calls first: see \`roster state resolve ${stateFlag(log.address)}\`.`;
  if (why !== false) throw stopError("refused", "unwritable", why, hint);
  await endLog(target, lock);
}

/** Two logs of one service may have run beside each other. */
async function occupied(target: Log, { log, state: { service } }: LockedLog): Promise<RosterError> {
  const message = `the log cannot be copied to ${target.address}: there is a log already`;
  const other = await target.store.read();
  const isTwin =
    other.ok && other.value.moved === undefined && other.value.service === service && service !== undefined;
  const hint = isTwin
    ? `nothing was copied. Both logs are about ${service}. To keep the other log and end this one, run \`roster state copy ${shellWord(target.address)} --keep ${other.value.lineage} ${stateFlag(log.address)}\``
    : `nothing was copied. Choose an empty place, or look at the other log with \`roster state show ${stateFlag(target.address)}\``;
  return stopError("refused", "unwritable", message, hint);
}
