import { setImmediate } from "node:timers/promises";
import type { EventOf, LogEvent } from "../model/event.ts";
import { type Failure, problem, type Result, success } from "../model/failure.ts";
import type { ActionId } from "../model/plan.ts";
import { emptyState, type LogHead, type State } from "../model/state.ts";
import { type Clock, isoTime, type Randomness } from "../ports/clock.ts";
import type { Lease, LogBase, LogLines, LogSession, LogStore, ReadEvents, RosterLog, RunInfo } from "../ports/log.ts";
import {
  type Checkpoint,
  copySource,
  type DecodedCheckpoint,
  decodeCheckpoint,
  encodeCheckpoint,
} from "./checkpoint.ts";
import { beginFold, type StateFold } from "./fold.ts";
import { damaged, decodeLines, emptyLog, encodeBase, encodeLines, logVersion } from "./line.ts";

interface LogPorts {
  readonly clock: Clock;
  readonly randomness: Pick<Randomness, "identifier">;
}

export function openLog(store: LogStore, ports: LogPorts): RosterLog {
  const { address, times } = store;
  return {
    address,
    times,
    async read() {
      const found = await foldStored(store);
      return found.ok ? success(found.value.state) : found;
    },
    async head() {
      const found = await foldStored(store);
      return found.ok ? success(found.value.head) : found;
    },
    readEvents: () => readEvents(store),
    async lock(command, options = {}) {
      const lease = await store.lease(command, options);
      if (!lease.ok) return lease;
      const found = await foldStored(store);
      if (found.ok) return success({ ...beginSession(lease.value, found.value, command, ports), times });
      await lease.value.release();
      return found;
    },
    holder: () => store.holder(),
    close: () => store.close(),
    kept: store,
  };
}

export async function* readEvents(store: LogStore): AsyncGenerator<Result<ReadEvents, Failure>> {
  const stored = await store.read("start");
  if (stored.ok) yield* decodeWhole(stored.value.lines, store.address);
  else yield stored;
}

/** A pruned log must name what it begins with. */
async function* decodeWhole(lines: LogLines, address: string): AsyncGenerator<Result<ReadEvents, Failure>> {
  let base: LogBase | undefined;
  let isNamed = true;
  for await (const read of decodeLines(lines, emptyLog, address)) {
    yield read;
    if (!read.ok) return;
    if (read.value.base !== undefined) ({ base, isNamed } = { base: read.value.base, isNamed: false });
    isNamed ||= read.value.events.some(({ event }) => event.type === "pruned" && event.digest === base?.digest);
  }
  if (!isNamed)
    yield problem(damaged(address, base?.head.position ?? 0, "is a checkpoint that no event of the log names"));
}

/** Where a log ends, and the hash of its line at a position; undefined where it has none there. */
export async function findEnd(
  log: AsyncIterable<Result<ReadEvents, Failure>>,
  position = 0,
): Promise<
  Result<{ readonly head: LogHead; readonly hash?: string | undefined; readonly base?: LogBase | undefined }, Failure>
> {
  let head = emptyLog;
  let base: LogBase | undefined;
  let hash = position === 0 ? head.hash : undefined;
  for await (const read of log) {
    if (!read.ok) return read;
    base ??= read.value.base;
    hash ??= read.value.events[position - head.position - 1]?.hash;
    head = read.value.head;
    if (head.position === position) hash = head.hash;
  }
  return success({ head, hash, base });
}

const nothing: DecodedCheckpoint = { state: emptyState(""), head: emptyLog, digest: "" };

/** What the events of a log add up to: from its checkpoint on where an event behind it has its digest, else from the start. */
async function foldStored(store: LogStore): Promise<Result<Checkpoint, Failure>> {
  const stored = await store.read("checkpoint");
  if (!stored.ok) return stored;
  const { checkpoint, lines } = stored.value;
  if (checkpoint === undefined) return foldOnto(nothing, decodeWhole(lines, store.address));
  const source = copySource(checkpoint);
  if (source !== undefined) {
    const { address } = store;
    const hint = `finish it with \`roster state copy ${address} --state ${source}\`, or go on with ${source}`;
    const message = `the log at ${address} is an unfinished copy of ${source}`;
    return problem({ code: "state", message, request: address, hint });
  }
  const found = decodeCheckpoint(checkpoint);
  if (found !== undefined) {
    const behind = await foldOnto(found, decodeLines(lines, found.head, store.address));
    if (behind.ok && behind.value.wasTaken) return behind;
  }
  return foldOnto(nothing, readEvents(store));
}

/** `wasTaken`: an event names what the fold began with. */
async function foldOnto(
  from: DecodedCheckpoint,
  log: AsyncIterable<Result<ReadEvents, Failure>>,
): Promise<Result<Checkpoint & { readonly wasTaken: boolean }, Failure>> {
  let fold = beginFold(from.state);
  let { head } = from;
  let wasTaken = false;
  for await (const read of log) {
    if (!read.ok) return read;
    if (read.value.base !== undefined) fold = beginFold(read.value.base.state);
    for (const { event } of read.value.events) {
      fold.add(event);
      if (event.type !== "checkpoint-taken" || event.digest !== from.digest) continue;
      wasTaken ||= event.head.hash === from.head.hash;
    }
    head = read.value.head;
  }
  return success({ state: { ...fold.state(), serial: head.position }, head, wasTaken });
}

/** A leased log. Nothing is written where nothing is appended. */
function beginSession(
  lease: Lease,
  found: Checkpoint,
  { operation: command, ...info }: RunInfo,
  { clock, randomness }: LogPorts,
): LogSession {
  const isNew = found.head.position === 0;
  const state = isNew ? { ...found.state, lineage: randomness.identifier() } : found.state;
  /** What everything so far adds up to; undefined until something is appended. */
  let fold: StateFold | undefined;
  let { head } = found;
  let durable = head;
  let plan: EventOf<"command-ended">["plan"] = "none";
  let last: Promise<void> = Promise.resolve();
  /** Actions whose calls may have left, and of which nothing was heard since. */
  const underWay = new Set<ActionId>();

  const commit = groupCommit(
    async (texts: readonly string[]) => {
      const kept = await lease.append(texts.join(""));
      if (kept.ok) return;
      throw new LogLostError(kept.error);
    },
    async () => {
      if (underWay.size > 0) await clock.wait(returnsWithin);
      await setImmediate();
    },
  );

  function openingEvents(): readonly LogEvent[] {
    if (fold !== undefined) return [];
    const { lineage } = state;
    const begun: LogEvent = { type: "log-started", at: info.at, version: logVersion, lineage };
    return [...(isNew ? [begun] : []), { type: "command-started", command, ...info }];
  }

  function write(events: readonly LogEvent[]): Promise<void> {
    const encoded = encodeLines(events, head);
    head = encoded.head;
    last = commit(encoded.lines).then(() => {
      durable = encoded.head;
      for (const event of events) if (event.type === "intended") underWay.add(event.action);
    });
    return last;
  }

  async function append(events: readonly LogEvent[]): Promise<void> {
    if (events.length === 0) return;
    const all = [...openingEvents(), ...events];
    fold ??= beginFold(state);
    for (const event of all) {
      fold.add(event);
      if ("action" in event) underWay.delete(event.action);
      if (event.type === "run-started") plan = "aborted";
      if (event.type === "run-finished") plan = event.ended;
    }
    await write(all);
  }

  /** A checkpoint that cannot be written costs the next command some time, and nothing else. */
  async function end({ state: folded }: StateFold): Promise<State> {
    await last;
    const after = { ...folded(), serial: head.position };
    const { text, digest } = encodeCheckpoint({ state: after, head });
    const at = isoTime(clock);
    const kept = await lease.checkpoint(text);
    const taken: LogEvent = { type: "checkpoint-taken", at, head, digest };
    await write([{ type: "command-ended", at, plan }, ...(kept.ok ? [taken] : [])]);
    return { ...after, serial: head.position };
  }

  return {
    state,
    now: () => fold?.state() ?? state,
    head: () => durable,
    append,
    async prune({ event, base, state: left }) {
      await append([event]);
      const replaced = await lease.replaceBefore(base.head.position, encodeBase(base));
      if (!replaced.ok) throw new LogLostError(replaced.error);
      fold = beginFold(left);
      fold.add(event);
    },
    async close() {
      try {
        return success(fold === undefined ? state : await end(fold));
      } catch (error) {
        if (error instanceof LogLostError) return problem(error.failure);
        throw error;
      } finally {
        await lease.release();
      }
    },
    async abandon() {
      await last.catch(() => undefined);
      await lease.release();
    },
  };
}

/** Nothing can be added to the log any more. */
class LogLostError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    const { message, hint } = failure;
    super(hint === undefined ? message : `${message} (${hint})`);
    this.failure = failure;
  }
}

/** Milliseconds within which, one after the other, the calls that left together come back. */
const returnsWithin = 1;

/**
 * Parts that come while others are written, and until `more` has brought none, are written together, in their order, and share one
 * sync. Once a write has failed, every later one fails with the same error: what was written in part must not be continued.
 */
export function groupCommit<Part>(
  write: (parts: readonly Part[]) => Promise<void>,
  more: () => Promise<void> = setImmediate,
): (part: Part) => Promise<void> {
  let waiting: Part[] = [];
  let next: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();

  async function writeWaiting(): Promise<void> {
    for (let gathered = 0; waiting.length > gathered; ) {
      gathered = waiting.length;
      await more();
    }
    const batch = waiting;
    waiting = [];
    next = undefined;
    await write(batch);
  }

  return (part) => {
    waiting.push(part);
    if (next === undefined) {
      next = last.then(writeWaiting);
      last = next;
    }
    return next;
  };
}
