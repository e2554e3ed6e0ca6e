import { setImmediate } from "node:timers/promises";
import type { EventOf, LogEvent } from "../model/event.ts";
import type { ActionId } from "../model/plan.ts";
import type { State } from "../model/state.ts";
import { type Clock, isoTime, type Randomness } from "../ports/clock.ts";
import { type Checkpoint, encodeCheckpoint, foldStored } from "./checkpoint.ts";
import { beginFold, type StateFold } from "./fold.ts";
import { encodeBase, encodeLines, logVersion, readEvents } from "./hash-chain.ts";
import type { Lease, LogSession, LogStore, RosterLog, RunInfo } from "./port.ts";
import { orGiveBack, outcomeOf } from "./store-error.ts";

export interface LogPorts {
  readonly clock: Clock;
  readonly randomness: Pick<Randomness, "identifier">;
}

export function openLog(store: LogStore, ports: LogPorts): RosterLog {
  const { address, times } = store;
  return {
    address,
    times,
    read: () => outcomeOf(async () => (await foldStored(store)).state),
    head: () => outcomeOf(async () => (await foldStored(store)).head),
    readEvents: () => readEvents(store),
    lock: (command, options = {}) =>
      outcomeOf(async () => {
        const lease = await store.lease(command, options);
        const found = await orGiveBack(lease.release, () => foldStored(store));
        return { ...beginSession(lease, found, command, ports), times };
      }),
    holder: () => outcomeOf(() => store.holder()),
    breakLease: (id) => outcomeOf(() => store.breakLease(id)),
    close: () => store.close(),
    kept: store,
  };
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
  let allReturned: () => void = () => undefined;

  const commit = groupCommit(
    (texts: readonly string[]) => lease.append(texts.join("")),
    async () => {
      if (underWay.size > 0) {
        const returned = new Promise<void>((resolve) => {
          allReturned = resolve;
        });
        await Promise.race([returned, clock.wait(returnsWithin)]);
      }
      await setImmediate();
    },
  );

  function openingEvents(): readonly LogEvent[] {
    if (fold !== undefined) return [];
    const begun: LogEvent = { type: "log-started", at: info.at, version: logVersion, lineage: state.lineage };
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

  /** Nothing is added after a prune that failed. */
  let pruning: Promise<void> | undefined;

  async function append(events: readonly LogEvent[]): Promise<void> {
    if (events.length === 0) return;
    if (pruning !== undefined) await pruning;
    const all = [...openingEvents(), ...events];
    fold ??= beginFold(state);
    for (const event of all) {
      fold.add(event);
      if ("action" in event) underWay.delete(event.action);
      if (event.type === "run-started") plan = "aborted";
      if (event.type === "run-finished") plan = event.ended;
    }
    if (underWay.size === 0) allReturned();
    await write(all);
  }

  /** A checkpoint that cannot be written costs the next command some time, and nothing else. */
  async function end({ state: folded }: StateFold): Promise<State> {
    await last;
    const after = { ...folded(), serial: head.position };
    const { text, digest } = encodeCheckpoint({ state: after, head });
    const at = isoTime(clock);
    const kept = await outcomeOf(() => lease.checkpoint(text));
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
      pruning = lease.replaceBefore(base.head.position, encodeBase(base));
      last = pruning;
      await pruning;
      fold = beginFold(left);
      fold.add(event);
    },
    async close() {
      try {
        return await outcomeOf(async () => (fold === undefined ? state : end(fold)));
      } finally {
        await lease.release();
      }
    },
  };
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
