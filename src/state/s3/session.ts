import { decodeState, encodeState } from "../../codec/state.ts";
import { type Failure, problem, type Result, success } from "../../model/result.ts";
import { emptyState, type State } from "../../model/state.ts";
import type { LockedDocument } from "../whole-state-session.ts";
import { type FoundLock, findLock, type S3Lock } from "./lock.ts";
import type { S3Session, WriteCondition } from "./objects.ts";

/** The state as its object holds it. */
export interface FoundState {
  /** What the next write replaces. */
  readonly over: WriteCondition;
  /** Its lineage is empty where nothing was ever saved. */
  readonly state: State;
  /** In bytes. */
  readonly size: number;
}

export async function findState({ objects, place }: S3Session): Promise<Result<FoundState, Failure>> {
  const read = await objects.read(place.state);
  if (!read.ok) return read;
  if (read.value === "missing") return success({ over: "nothing", state: emptyState(""), size: 0 });
  const { text, etag } = read.value;
  const state = decodeState(text, place.state.shown);
  return state.ok ? success({ over: { etag }, state: state.value, size: Buffer.byteLength(text) }) : state;
}

/** A run that lost its lock notices it within a second of writing on and on: until then it may win every race. */
const patience = 15_000;
const pause = 100;

/**
 * Writes the state anew, so that what its former holder still writes replaces nothing: the version that it knows of is
 * gone. What it wrote before that is in the state that is returned.
 */
export async function fenceState(parts: S3Session): Promise<Result<FoundState, Failure>> {
  const { objects, place, randomness, clock } = parts;
  const until = clock.now() + patience;
  while (clock.now() < until) {
    const found = await findState(parts);
    if (!found.ok) return found;
    const { state, over } = found.value;
    const lineage = state.lineage === "" ? randomness.identifier() : state.lineage;
    const anew = { ...state, lineage, serial: state.serial + 1 };
    const text = encodeState(anew);
    const written = await objects.write(place.state, text, over);
    if (!written.ok) return written;
    if (written.value !== "changed")
      return success({ over: { etag: written.value.etag }, state: anew, size: Buffer.byteLength(text) });
    await clock.wait(pause * (0.5 + randomness.fraction()));
  }
  return problem(stillWritten(place.state.shown));
}

/** Milliseconds for which a lock that was seen to be ours is taken for ours. */
const trust = 1000;
/** Milliseconds that no look takes: whoever needed them has slept, and the lock may have changed hands meanwhile. */
const slept = 60_000;

/** The text that a session rewrites: each write replaces the one before it, or nothing. */
export function lockedState(parts: S3Session, lock: S3Lock, first: WriteCondition): LockedDocument {
  const { objects, place } = parts;
  let over = first;

  async function lookAgain(): Promise<Result<void, Failure>> {
    let seen = await lock.look();
    while (seen.ok && !lock.isLost() && lock.unseenFor() >= slept) seen = await lock.look();
    return seen;
  }

  return {
    async put(text) {
      const written = lock.isLost() ? success("changed" as const) : await objects.write(place.state, text, over);
      if (!written.ok) return written;
      if (written.value === "changed") return problem(await lockTakenOver(parts, lock.id));
      const { etag, by } = written.value;
      over = { etag };
      // By reading, this run's text is not told from the same text of whoever took the lock over.
      const seen = by === "reading" || lock.unseenFor() >= trust ? await lookAgain() : success(undefined);
      if (!seen.ok) return seen;
      return lock.isLost() ? problem(await lockTakenOver(parts, lock.id)) : success(undefined);
    },
    release: () => lock.release(),
  };
}

async function lockTakenOver(parts: S3Session, own: string): Promise<Failure> {
  const found = await findLock(parts);
  const { shown } = parts.place.state;
  return {
    code: "state",
    message: `the state at ${shown} can no longer be written by this run: ${newHolder(found.ok ? found.value : undefined, own)}`,
    request: shown,
    hint: "run again: what was recorded before is kept, and what was under way is settled by reading",
  };
}

function newHolder(found: FoundLock | undefined, own: string): string {
  if (found === undefined) return "its lock was taken over or broken, or somebody else changed the state";
  if (found.holder === "nobody") return "its lock was broken";
  if (found.holder.id === own) return "somebody who does not hold its lock changed it";
  return `${found.holder.who ?? "somebody else"} took its lock over`;
}

function stillWritten(shown: string): Failure {
  return {
    code: "state",
    message: `the state could not be written at ${shown}: somebody else writes it all the time`,
    request: shown,
    hint: "end the run that writes it, and run again",
  };
}
