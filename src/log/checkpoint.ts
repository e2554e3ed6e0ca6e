import { decodeState, encodeState } from "../codec/state.ts";
import { definedFields } from "../model/collections.ts";
import { type Failure, problem, type Result, success } from "../model/failure.ts";
import { sha256 } from "../model/json.ts";
import { emptyState, type LogHead, type State } from "../model/state.ts";
import type { LogBase, LoggedEvent, RosterLog } from "../ports/log.ts";
import { beginFold } from "./fold.ts";
import { damaged, emptyLog } from "./line.ts";

/** The fold of a log up to a position. A cache: the log alone says what is so. */
export interface Checkpoint {
  readonly state: State;
  readonly head: LogHead;
}

/** `digest`: as its text says it. Only an event of the log says whether a holder of the log has written it. */
export interface DecodedCheckpoint extends Checkpoint {
  readonly digest: string;
}

/** The head and the digest on a line of their own, then the state. */
export function encodeCheckpoint({ state, head }: Checkpoint): { readonly text: string; readonly digest: string } {
  const body = encodeState(state);
  const digest = sha256(body);
  return { text: `${JSON.stringify({ ...head, digest })}\n${body}`, digest };
}

/** Undefined for what is damaged, or was written by another version: then the log is read from its start. */
export function decodeCheckpoint(text: string): DecodedCheckpoint | undefined {
  const end = text.indexOf("\n");
  const [, position, hash, digest] =
    /^\{"position":(\d{1,15}),"hash":"([0-9a-f]{64})","digest":"([0-9a-f]{64})"\}$/u.exec(text.slice(0, end)) ?? [];
  const body = text.slice(end + 1);
  if (position === undefined || hash === undefined || digest === undefined || sha256(body) !== digest) return undefined;
  const state = decodeState(body, "");
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

export interface VerifiedLog {
  readonly head: LogHead;
  /** The position of its last checkpoint. */
  readonly checkpoint?: number;
  /** Where it was pruned: the last of the events that went. */
  readonly base?: LogBase;
}

/** Reads a log to its end, and folds the events up to its last checkpoint again: it must be what they add up to. */
export async function verifyLog(log: ReadableLog): Promise<Result<VerifiedLog, Failure>> {
  let end = emptyLog;
  let base: LogBase | undefined;
  let taken: { readonly at: number; readonly head: LogHead; readonly digest: string } | undefined;
  for await (const read of log.readEvents()) {
    if (!read.ok) return read;
    base ??= read.value.base;
    for (const { position, event } of read.value.events) {
      if (event.type === "checkpoint-taken") taken = { at: position, head: event.head, digest: event.digest };
      // An earlier checkpoint has people whom the pruned log does not have any more.
      if (event.type === "pruned" && event.digest === base?.digest) taken = undefined;
    }
    end = read.value.head;
  }
  const found = { head: end, ...definedFields({ base }) };
  if (taken === undefined) return success(found);
  const { at, head, digest } = taken;
  let isThere = false;
  const again = await foldWhere(log, ({ position, hash }) => {
    isThere ||= position === head.position && hash === head.hash;
    return position <= head.position;
  });
  if (!again.ok) return again;
  const state = { ...again.value.state, serial: head.position };
  if (isThere && encodeCheckpoint({ state, head }).digest === digest)
    return success({ ...found, checkpoint: head.position });
  return problem(damaged(log.address, at, "names another state than the events add up to"));
}

type ReadableLog = Pick<RosterLog, "address" | "readEvents">;

/** What some events of a log add up to. */
interface PartialFold {
  readonly state: State;
  /** The time of its first event; absent where it has none. */
  readonly from: string | undefined;
  /** The time before which it was pruned. */
  readonly pruned: string | undefined;
}

/** The clocks of machines differ: where times say which events count, one that counts may stand behind one that does not. */
export async function foldWhere(
  { readEvents }: Pick<RosterLog, "readEvents">,
  counts: (event: LoggedEvent) => boolean,
): Promise<Result<PartialFold, Failure>> {
  let fold = beginFold(emptyState(""));
  let from: string | undefined;
  let pruned: string | undefined;
  for await (const read of readEvents()) {
    if (!read.ok) return read;
    const { base, events } = read.value;
    if (base !== undefined) {
      fold = beginFold(base.state);
      pruned = base.before;
    }
    from ??= events[0]?.event.at;
    for (const logged of events) if (counts(logged)) fold.add(logged.event);
  }
  return success({ state: fold.state(), from, pruned });
}
