import type { Failure } from "../model/failure.ts";
import { problem, type Result, success } from "../model/result.ts";
import type { LogHead, State } from "../model/state.ts";
import { positionOf } from "./lock-holder.ts";
import { copySource, decodeLines, emptyLog, encodeCopyMark, findEnd, readEvents } from "./log.ts";
import type { Lease, LogStore, RunInfo } from "./port.ts";

interface Copying {
  readonly from: LogStore;
  readonly to: LogStore;
  readonly command: RunInfo;
  /** Where the first log has ended: then only a copy that was broken off after that is finished. */
  readonly moved: State["moved"];
}

/** A whole copy, which no run uses before it is finished. */
export interface LogCopy {
  /** To be called once the first log has ended. */
  finish(): Promise<Result<void, Failure>>;
  release(): Promise<void>;
}

/**
 * Copies a log, line by line, to a place that holds nothing, or the beginning of the same log: a copy that was broken off. `other` where it
 * holds anything else. Nobody may add to the log meanwhile.
 */
export async function copyLog(copying: Copying): Promise<Result<LogCopy | "other", Failure>> {
  const { from, to, command } = copying;
  const lease = await to.lease(command, {});
  if (!lease.ok) return lease;
  const { checkpoint, release } = lease.value;
  const copied = await copyUnder(lease.value, copying);
  if (copied.ok && copied.value === "whole")
    return success({ finish: () => checkpoint(encodeCopyMark(from.address, "finished")), release });
  await release();
  return copied.ok ? success("other") : copied;
}

async function copyUnder(lease: Lease, { from, to, moved }: Copying): Promise<Result<"whole" | "other", Failure>> {
  const stored = await to.read("checkpoint");
  if (!stored.ok) return stored;
  const there = await endOf(to);
  if (!there.ok) return there;
  const { position, hash } = there.value;
  const whole = await findEnd(readEvents(from), position);
  if (!whole.ok) return whole;
  // Each line has the hash of the one before: what has one hash at a position is the same up to it.
  if (whole.value.hash !== hash) return success("other");
  if (moved !== undefined) return success(copySource(stored.value.checkpoint ?? "") === undefined ? "other" : "whole");
  const marked = await lease.checkpoint(encodeCopyMark(from.address, "unfinished"));
  const copied = marked.ok ? await copyLines(from, position, lease) : marked;
  const copy = copied.ok ? await endOf(to) : copied;
  if (!copy.ok) return copy;
  if (copy.value.hash === whole.value.head.hash) return success("whole");
  return problem({ code: "state", message: "the copy of the log reads back differently", request: to.address });
}

/** Of a part of a log, too: the event that names what a pruned log begins with may be missing. */
async function endOf(store: LogStore): Promise<Result<LogHead, Failure>> {
  const stored = await store.read("start");
  if (!stored.ok) return stored;
  const end = await findEnd(decodeLines(stored.value.lines, emptyLog, store.address));
  return end.ok ? success(end.value.head) : end;
}

/** Characters of a part, which is whole lines. */
const partLength = 1_000_000;

async function copyLines(from: LogStore, position: number, lease: Lease): Promise<Result<void, Failure>> {
  const stored = await from.read("start");
  if (!stored.ok) return stored;
  for await (const part of stored.value.lines) {
    if (!part.ok) return part;
    let waiting = "";
    for (const line of part.value.split(/(?<=\n)/u)) {
      if (positionOf(line) <= position) continue;
      waiting += line;
      if (waiting.length < partLength) continue;
      const copied = await lease.append(waiting);
      if (!copied.ok) return copied;
      waiting = "";
    }
    const copied = waiting === "" ? success(undefined) : await lease.append(waiting);
    if (!copied.ok) return copied;
  }
  return success(undefined);
}
