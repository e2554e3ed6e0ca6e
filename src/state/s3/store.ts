import { decodeState, encodeState } from "../../codec/state.ts";
import { type Failure, problem, type Result, success } from "../../model/result.ts";
import { emptyState, type LockHolder, type State } from "../../model/state.ts";
import { retry } from "../../network/retry-loop.ts";
import { isoTime } from "../../ports/clock.ts";
import type { LockOptions, RunInfo, StateSession, StateStore, StoreVerification } from "../../ports/state-store.ts";
import {
  lockedBy,
  lockedByMany,
  lockLost,
  notHeldBy,
  ownIdentity,
  ownName,
  type StartBeats,
  timerBeats,
} from "../lock.ts";
import { type LockedDocument, wholeStateSession, withLineage } from "../session.ts";
import type { S3Place } from "./address.ts";
import { type FoundLock, findLock, type RecordedHolder, type S3Lock, takeLock } from "./lock.ts";
import type { S3Ports } from "./objects.ts";
import { type S3Credentials, type S3Session, s3Exchange, s3Objects, type WriteCondition } from "./objects.ts";

/** `http`: of the origin of `place`. Closed with the store. */
interface S3StoreOptions extends S3Ports {
  readonly place: S3Place;
  readonly credentials: S3Credentials;
  readonly startBeats?: StartBeats;
}

/** Keeps the state in an object of a bucket, and its lock in another one next to it. */
export function s3Store(options: S3StoreOptions): StateStore {
  const { place, credentials, http, clock, randomness, startBeats = timerBeats } = options;
  const exchange = s3Exchange({ http, clock, randomness }, { region: place.region, credentials, content: "state" });
  const parts: S3Session = { place, exchange, objects: s3Objects(exchange), clock, randomness, startBeats };
  return {
    address: place.address,
    times: exchange.times,
    async read() {
      const found = await findState(parts);
      return found.ok ? success(found.value.state) : found;
    },
    lock: (run, lockOptions = {}) => lock(parts, run, lockOptions),
    async holder() {
      const found = await findLock(parts);
      return found.ok ? success(found.value.holder) : found;
    },
    unlock: (id) => unlock(parts, id),
    verify: () => verify(parts),
    close: () => http.close(),
  };
}

/** How often a lock may change hands while one looks. */
const maxLockAttempts = 4;

async function lock(parts: S3Session, run: RunInfo, lockOptions: LockOptions): Promise<Result<StateSession, Failure>> {
  for (let round = 0; round < maxLockAttempts; round += 1) {
    const found = await findLock(parts);
    if (!found.ok) return found;
    const { holder } = found.value;
    if (holder !== "nobody" && !isDead(holder, lockOptions)) return problem(lockedBy(parts.place.lock.shown, holder));
    const taken = await takeLock(parts, found.value, await ownHolder(parts, run.operation));
    if (!taken.ok) return taken;
    if (taken.value !== "changed") {
      const begun = await begin(parts, taken.value, found.value);
      return begun.ok ? success({ ...begun.value, times: parts.exchange.times }) : begun;
    }
  }
  return problem(lockedByMany(parts.place.lock.shown));
}

function isDead({ silentFor }: LockHolder, { breakStaleAfter }: LockOptions): boolean {
  return breakStaleAfter !== undefined && silentFor !== undefined && silentFor >= breakStaleAfter;
}

async function ownHolder({ clock, randomness }: S3Session, operation: string): Promise<RecordedHolder> {
  const { host } = await ownIdentity();
  return { id: randomness.identifier(), who: `${ownName()}@${host}`, operation, since: isoTime(clock) };
}

async function begin(parts: S3Session, held: S3Lock, before: FoundLock): Promise<Result<StateSession, Failure>> {
  const found = await (before.holder === "nobody" ? findState(parts) : fenceState(parts));
  if (found.ok)
    return success(
      wholeStateSession(withLineage(found.value.state, parts.randomness), lockedState(parts, held, found.value.over)),
    );
  await held.release();
  return found;
}

async function unlock(parts: S3Session, id: string): Promise<Result<LockHolder, Failure>> {
  const found = await findLock(parts);
  if (!found.ok) return found;
  const { holder } = found.value;
  if (holder === "nobody") return problem(notHeldBy(parts.place.lock.shown, id, "nobody"));
  if (holder.id !== id) return problem(notHeldBy(parts.place.lock.shown, id, holder));
  // The lock is taken over and given back, so that its run is fenced as by a run that takes it over.
  const taken = await takeLock(parts, found.value, await ownHolder(parts, "state unlock"));
  if (!taken.ok) return taken;
  if (taken.value === "changed") return problem(lockedByMany(parts.place.lock.shown));
  const fenced = await fenceState(parts);
  await taken.value.release();
  return fenced.ok ? success(holder) : fenced;
}

async function verify(parts: S3Session): Promise<Result<StoreVerification, Failure>> {
  const found = await findState(parts);
  if (!found.ok) return found;
  const { state, over, size } = found.value;
  const { shown } = parts.place.state;
  const part =
    over === "nothing" ? `${shown} does not exist yet` : `${shown} holds version ${state.serial}, in ${size} bytes`;
  return success({ state, parts: [part] });
}

/** The state as its object holds it. */
export interface FoundState {
  /** What the next write replaces. */
  readonly over: WriteCondition;
  /** Its lineage is empty where nothing was ever saved. */
  readonly state: State;
  /** In bytes. */
  readonly size: number;
}

async function findState({ objects, place }: S3Session): Promise<Result<FoundState, Failure>> {
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
async function fenceState(parts: S3Session): Promise<Result<FoundState, Failure>> {
  const { place, randomness, clock } = parts;
  const fenced = await retry(() => rewriteState(parts), {
    clock,
    pauseAfter: (written) =>
      written.ok && written.value === "changed" ? pause * (0.5 + randomness.fraction()) : undefined,
    isStillWanted: ({ elapsed }) => elapsed < patience,
  });
  if (!fenced.ok) return fenced;
  return fenced.value === "changed" ? problem(stillWritten(place.state.shown)) : success(fenced.value);
}

async function rewriteState(parts: S3Session): Promise<Result<FoundState | "changed", Failure>> {
  const { objects, place, randomness } = parts;
  const found = await findState(parts);
  if (!found.ok) return found;
  const former = withLineage(found.value.state, randomness);
  const state = { ...former, serial: former.serial + 1 };
  const text = encodeState(state);
  const written = await objects.write(place.state, text, found.value.over);
  if (!written.ok) return written;
  if (written.value === "changed") return success("changed");
  return success({ over: { etag: written.value.etag }, state, size: Buffer.byteLength(text) });
}

/** Milliseconds for which a lock that was seen to be ours is taken for ours. */
const trust = 1000;
/** Milliseconds that no look takes: a run that needed them has slept, and the lock may have changed hands meanwhile. */
const slept = 60_000;

/** The text that a session rewrites: each write replaces the one before it, or nothing. */
function lockedState(parts: S3Session, lock: S3Lock, first: WriteCondition): LockedDocument {
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
      // By reading, this run's text looks like the same text of a run that took the lock over.
      const seen = by === "reading" || lock.unseenFor() >= trust ? await lookAgain() : success(undefined);
      if (!seen.ok) return seen;
      return lock.isLost() ? problem(await lockTakenOver(parts, lock.id)) : success(undefined);
    },
    release: () => lock.release(),
  };
}

async function lockTakenOver(parts: S3Session, own: string): Promise<Failure> {
  const found = await findLock(parts);
  const { lock, state } = parts.place;
  const holder = found.ok ? found.value.holder : "nobody";
  if (holder === "nobody" || holder.id !== own) return lockLost(lock.shown, holder);
  return {
    code: "state",
    message: `the state at ${state.shown} was changed by another program without the lock`,
    request: state.shown,
    hint: "end that program and run again: the records are kept, and open calls are resolved by reading",
  };
}

function stillWritten(shown: string): Failure {
  return {
    code: "state",
    message: `the state could not be written at ${shown}: another program keeps writing it`,
    request: shown,
    hint: "end the run that writes it, and run again",
  };
}
