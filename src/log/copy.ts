import type { LogHead, State } from "../model/state.ts";
import { copySource, encodeCopyMark } from "./checkpoint.ts";
import { decodeLines, emptyLog, findEnd, positionOf, readEvents } from "./hash-chain.ts";
import type { Lease, LogStore, RunInfo } from "./port.ts";
import { orGiveBack, StoreError } from "./store-error.ts";

/** A whole copy, which no run uses before it is finished. */
export interface LogCopy {
  /** To be called once the first log has ended. */
  finish(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Copies a log, line by line, to a place that holds nothing, or the beginning of the same log: a copy that was broken off. `other` where it
 * holds anything else. Nobody may add to the log meanwhile. `moved`: where the first log has ended: then only a copy that was broken off after
 * that is finished.
 */
export async function copyLog(
  from: LogStore,
  to: LogStore,
  command: RunInfo,
  moved: State["moved"],
): Promise<LogCopy | "other"> {
  const lease = await to.lease(command, {});
  const { checkpoint, release } = lease;
  const copied = await orGiveBack(release, () => copyUnder(lease, from, to, moved));
  if (copied === "whole") return { finish: () => checkpoint(encodeCopyMark(from.address, "finished")), release };
  await release();
  return copied;
}

async function copyUnder(lease: Lease, from: LogStore, to: LogStore, moved: State["moved"]) {
  const { checkpoint = "" } = await to.read("checkpoint");
  const { position, hash } = await endOf(to);
  const whole = await findEnd(readEvents(from), position);
  // Each line has the hash of the one before: what has one hash at a position is the same up to it.
  if (whole.hash !== hash) return "other";
  if (moved !== undefined) return copySource(checkpoint) === undefined ? "other" : "whole";
  await lease.checkpoint(encodeCopyMark(from.address, "unfinished"));
  await copyLines(from, position, lease);
  const copy = await endOf(to);
  if (copy.hash === whole.head.hash) return "whole";
  throw new StoreError({ code: "state", message: "the copy of the log reads back differently", request: to.address });
}

/** Of a part of a log, too: the event that names what a pruned log begins with may be missing. */
async function endOf(store: LogStore): Promise<LogHead> {
  const { lines } = await store.read("start");
  return (await findEnd(decodeLines(lines, emptyLog, store.address))).head;
}

/** Characters of a part, which is whole lines. */
const partLength = 1_000_000;

async function copyLines(from: LogStore, position: number, lease: Lease): Promise<void> {
  const { lines } = await from.read("start");
  for await (const part of lines) {
    let waiting = "";
    for (const line of part.split(/(?<=\n)/u)) {
      if (positionOf(line) <= position) continue;
      waiting += line;
      if (waiting.length < partLength) continue;
      await lease.append(waiting);
      waiting = "";
    }
    if (waiting !== "") await lease.append(waiting);
  }
}
