import type { Validator } from "../codec/generated/log-event.js";
import { decodeState, encodeState } from "../codec/state.ts";
import type { EventOf } from "../model/event.ts";
import { sha256 } from "../model/json.ts";
import { emptyState, type LogHead, type State } from "../model/state.ts";
import { beginFold } from "./fold.ts";
import { damaged, decodeLines, decodeWhole, emptyLog, readEvents } from "./hash-chain.ts";
import type { LogBase, LoggedEvent, LogStore, ReadableLog, ReadEvents } from "./port.ts";
import { outcomeOf, stateError } from "./store-error.ts";

/** The fold of a log up to a position. A cache: the log alone says what is so. */
export interface Checkpoint {
  readonly state: State;
  readonly head: LogHead;
}

/** What the events of a log add up to: from its checkpoint on where an event behind it has its digest, else from the start. */
export async function foldStored(store: LogStore): Promise<Checkpoint> {
  const { address } = store;
  const { checkpoint, lines } = await store.read("checkpoint");
  if (checkpoint === undefined) return foldWhere(decodeWhole(lines, address));
  const source = copySource(checkpoint);
  if (source !== undefined) {
    const hint = `finish it with \`roster state copy ${address} --state ${source}\`, or go on with ${source}`;
    throw stateError(address, `the log at ${address} is an unfinished copy of ${source}`, hint);
  }
  const { validState } = await import("../codec/generated/state.js");
  const known = decodeCheckpoint(checkpoint, validState);
  if (known !== undefined) {
    let wasTaken = false;
    const watched = ({ event }: LoggedEvent) => {
      wasTaken ||=
        event.type === "checkpoint-taken" && event.digest === known.digest && event.head.hash === known.head.hash;
      return true;
    };
    const behind = await outcomeOf(() => foldWhere(decodeLines(lines, known.head, address), watched, known));
    if (behind.ok && wasTaken) return behind.value;
  }
  return foldWhere(readEvents(store));
}

/** The head and the digest on a line of their own, then the state. */
export function encodeCheckpoint({ state, head }: Checkpoint): { readonly text: string; readonly digest: string } {
  const body = encodeState(state);
  const digest = sha256(body);
  return { text: `${JSON.stringify({ ...head, digest })}\n${body}`, digest };
}

/**
 * Undefined for what is damaged, or was written by another version: then the log is read from its start. `digest`: as the text says it. Only
 * an event of the log says whether a holder of the log has written it.
 */
export function decodeCheckpoint(text: string, isValid: Validator) {
  const end = text.indexOf("\n");
  const [, position, hash, digest] =
    /^\{"position":(\d{1,15}),"hash":"([0-9a-f]{64})","digest":"([0-9a-f]{64})"\}$/u.exec(text.slice(0, end)) ?? [];
  const body = text.slice(end + 1);
  if (position === undefined || hash === undefined || digest === undefined || sha256(body) !== digest) return undefined;
  const state = decodeState(body, "", isValid);
  return state.ok ? { state: state.value, head: { position: Number(position), hash }, digest } : undefined;
}

/** What stands in the place of a checkpoint until a log is copied: nobody takes a part of it for the whole. */
export function encodeCopyMark(source: string, copy: "unfinished" | "finished"): string {
  return JSON.stringify({ position: 0, ...(copy === "unfinished" ? { copying: source } : { copied: source }) });
}

/** From where a log is being copied, where it is not finished. */
export function copySource(text: string): string | undefined {
  const [, source] = /^\{"position":0,"copying":("[^\n]*")\}$/u.exec(text) ?? [];
  return source === undefined ? undefined : String(JSON.parse(source));
}

/**
 * Reads a log to its end, and folds the events up to its last checkpoint again: it must be what they add up to. `checkpoint`: its position.
 * `base`: where the log was pruned, the last of the events that went.
 */
export async function verifyLog(log: ReadableLog) {
  let end = emptyLog;
  let base: LogBase | undefined;
  let taken: (EventOf<"checkpoint-taken"> & { readonly position: number }) | undefined;
  for await (const read of log.readEvents()) {
    base = read.base ?? base;
    for (const { position, event } of read.events) {
      if (event.type === "checkpoint-taken") taken = { ...event, position };
      // An earlier checkpoint has people that the pruned log does not have any more.
      if (event.type === "pruned" && event.digest === base?.digest) taken = undefined;
    }
    end = read.head;
  }
  if (taken === undefined) return { head: end, base, checkpoint: undefined };
  const { head, digest } = taken;
  let isThere = false;
  const { state } = await foldWhere(log.readEvents(), ({ position, hash }) => {
    isThere ||= position === head.position && hash === head.hash;
    return position <= head.position;
  });
  if (isThere && encodeCheckpoint({ state, head }).digest === digest)
    return { head: end, base, checkpoint: head.position };
  throw damaged(log.address, taken.position, "names another state than the events add up to");
}

const nothing: Checkpoint = { state: emptyState(""), head: emptyLog };

/**
 * What the events that count add up to, and where the log ends, whichever events count. `from` and `to`: the times of its first and last event, if it has one.
 * `pruned`: the time before which it was pruned. The clocks of machines differ: where times say which events count, one that counts may
 * stand behind one that does not.
 */
export async function foldWhere(
  log: AsyncIterable<ReadEvents>,
  counts: (event: LoggedEvent) => boolean = () => true,
  checkpoint = nothing,
) {
  let fold = beginFold(checkpoint.state);
  let end = checkpoint.head;
  let { serial } = checkpoint.state;
  let from: string | undefined;
  let to: string | undefined;
  let pruned: string | undefined;
  for await (const { base, events, head } of log) {
    if (base !== undefined) {
      fold = beginFold(base.state);
      serial = base.head.position;
      pruned = base.before;
    }
    from ??= events[0]?.event.at;
    to = events.at(-1)?.event.at ?? to;
    for (const logged of events) {
      if (!counts(logged)) continue;
      fold.add(logged.event);
      serial = logged.position;
    }
    end = head;
  }
  return { state: { ...fold.state(), serial }, head: end, from, to, pruned };
}
