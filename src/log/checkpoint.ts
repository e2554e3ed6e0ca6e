import { decodeState, encodeState } from "../codec/state.ts";
import { type Failure, problem, type Result, success } from "../model/result.ts";
import { emptyState, type LogHead, type State } from "../model/state.ts";
import type { LoggedEvent } from "../ports/log.ts";
import { applyEvents } from "./fold.ts";
import { damaged, sha256 } from "./line.ts";

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

/** Folds the events up to the last checkpoint again: its position, where it was what they add up to. Undefined where none was taken. */
export function findCheckpoint(events: readonly LoggedEvent[], address: string): Result<number | undefined, Failure> {
  const taken = events.findLast(({ event }) => event.type === "checkpoint-taken");
  if (taken?.event.type !== "checkpoint-taken") return success(undefined);
  const { head, digest } = taken.event;
  const { position, hash } = head;
  const before = events.slice(0, position);
  const state = applyEvents(
    emptyState(""),
    before.map(({ event }) => event),
  );
  const again = encodeCheckpoint({ state: { ...state, serial: position }, head });
  const isSame = again.digest === digest && before.at(-1)?.hash === hash;
  return isSame
    ? success(position)
    : problem(damaged(address, taken.position, "names another state than the events add up to"));
}
