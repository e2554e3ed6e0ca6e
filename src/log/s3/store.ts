import { encodeJournalStart } from "../../codec/journal.ts";
import { decodeState, encodeState } from "../../codec/state.ts";
import { type Failure, problem, type Result, success } from "../../model/result.ts";
import { emptyState, type LockHolder, type State } from "../../model/state.ts";
import { isoTime } from "../../ports/clock.ts";
import type { LockOptions, RunInfo, StateSession, StateStore, StoreVerification } from "../../ports/state-store.ts";
import { applyEvents } from "../fold.ts";
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
import { groupCommit, journalledSession, openCallsPart, withLineage } from "../session.ts";
import type { S3Key, S3Place } from "./address.ts";
import { batchAt, fenceJournal, readJournal, type StoredJournal, untilUnchanged } from "./journal.ts";
import { type FoundLock, findLock, type RecordedHolder, type S3Lock, takeLock } from "./lock.ts";
import type { S3Ports } from "./objects.ts";
import { type S3Credentials, type S3Session, s3Exchange, s3Objects, type WriteCondition } from "./objects.ts";

/** `http`: of the origin of `place`. Closed with the store. */
interface S3StoreOptions extends S3Ports {
  readonly place: S3Place;
  readonly credentials: S3Credentials;
  readonly startBeats?: StartBeats;
}

/** Keeps the state in an object of a bucket, and next to it its lock and the events that came after it, an object a batch. */
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
  if (found.ok) return success(s3Session(parts, held, found.value));
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
  const { state, saved, over, size, journal } = found.value;
  const { shown } = parts.place.state;
  const { length } = journal.events;
  const part =
    over === "nothing" ? `${shown} does not exist yet` : `${shown} holds version ${saved.serial}, in ${size} bytes`;
  const after = `${shown}.journal holds ${length === 1 ? "1 event" : `${length} events`} that come after it`;
  return success({ state, parts: [part, ...(length === 0 ? [] : [after]), openCallsPart(state.open.length)] });
}

/** The state as its objects hold it. */
interface StoredState extends SavedState {
  readonly journal: StoredJournal;
  /** The saved state with its journal folded in. */
  readonly state: State;
}

interface SavedState {
  /** What the next write replaces. */
  readonly over: WriteCondition;
  readonly text: string;
  /** Its lineage is empty where nothing was ever saved. */
  readonly saved: State;
  /** In bytes. */
  readonly size: number;
}

async function findState(parts: S3Session): Promise<Result<StoredState, Failure>> {
  const found = await findSaved(parts);
  if (!found.ok) return found;
  const { saved, over } = found.value;
  const none: StoredJournal = { events: [], next: 1 };
  const journal = over === "nothing" ? success(none) : await readJournal(parts, saved);
  return journal.ok ? success(withJournal(found.value, journal.value)) : journal;
}

function withJournal(saved: SavedState, journal: StoredJournal): StoredState {
  return { ...saved, journal, state: applyEvents(saved.saved, journal.events) };
}

async function findSaved({ objects, place }: S3Session): Promise<Result<SavedState, Failure>> {
  const read = await objects.read(place.state);
  if (!read.ok) return read;
  if (read.value === "missing") return success({ over: "nothing", text: "", saved: emptyState(""), size: 0 });
  const { text, etag } = read.value;
  const saved = decodeState(text, place.state.shown);
  return saved.ok ? success({ over: { etag }, text, saved: saved.value, size: Buffer.byteLength(text) }) : saved;
}

/**
 * Lets a former holder of the lock write nothing any more: the version of the state that it knows is gone, and so is the number of its
 * next batch. What it wrote before that is in the state that is returned.
 */
async function fenceState(parts: S3Session): Promise<Result<StoredState, Failure>> {
  const fenced = await untilUnchanged(parts, parts.place.state.shown, () => rewriteState(parts));
  if (!fenced.ok) return fenced;
  const journal = await fenceJournal(parts, fenced.value.saved);
  return journal.ok ? success(withJournal(fenced.value, journal.value)) : journal;
}

/** Writes the same state with a space more, which is another version of the object. */
async function rewriteState(parts: S3Session): Promise<Result<SavedState | "changed", Failure>> {
  const { objects, place, randomness } = parts;
  const found = await findSaved(parts);
  if (!found.ok) return found;
  const { over, saved: former } = found.value;
  const saved = over === "nothing" ? { ...withLineage(former, randomness), serial: 1 } : former;
  const text = over === "nothing" ? encodeState(saved) : `${found.value.text} `;
  const written = await objects.write(place.state, text, over);
  if (!written.ok) return written;
  if (written.value === "changed") return success("changed");
  return success({ over: { etag: written.value.etag }, text, saved, size: Buffer.byteLength(text) });
}

/** Milliseconds for which a lock that was seen to be ours is taken for ours. */
const trust = 1000;
/** Milliseconds that no look takes: a run that needed them has slept, and the lock may have changed hands meanwhile. */
const slept = 60_000;

/** A locked state whose journal gets an object for each batch of events. Each write replaces the one before it, or nothing. */
function s3Session(parts: S3Session, lock: S3Lock, found: StoredState): StateSession {
  const { objects, place, randomness } = parts;
  const { journal } = found;
  const state = withLineage(found.state, randomness);
  let { saved, over } = found;
  let { next } = journal;
  let hasBegun = false;
  let lost: Failure | undefined;
  let last: Promise<void> = Promise.resolve();

  async function lookAgain(): Promise<Result<void, Failure>> {
    let seen = await lock.look();
    while (seen.ok && !lock.isLost() && lock.unseenFor() >= slept) seen = await lock.look();
    return seen;
  }

  async function tryPut(object: S3Key, text: string, before: WriteCondition): Promise<Result<WriteCondition, Failure>> {
    const written = lock.isLost() ? success("changed" as const) : await objects.write(object, text, before);
    if (!written.ok) return written;
    if (written.value === "changed") return problem(await lockTakenOver(parts, lock.id));
    const seen = lock.unseenFor() >= trust ? await lookAgain() : success(undefined);
    if (!seen.ok) return seen;
    return lock.isLost() ? problem(await lockTakenOver(parts, lock.id)) : success({ etag: written.value.etag });
  }

  /** Once a write has failed nothing is written any more, since nobody knows what is kept. */
  async function put(object: S3Key, text: string, before: WriteCondition): Promise<Result<WriteCondition, Failure>> {
    if (lost !== undefined) return problem(lost);
    const written = await tryPut(object, text, before);
    if (!written.ok) lost = written.error;
    return written;
  }

  async function save(version: State): Promise<Result<State, Failure>> {
    const numbered: State = { ...version, serial: Math.max(saved.serial, version.serial) + 1 };
    const written = await put(place.state, encodeState(numbered), over);
    if (!written.ok) return written;
    over = written.value;
    saved = numbered;
    next = 1;
    return success(numbered);
  }

  /** A journal comes after a saved state, and holds the events of one run alone. */
  async function beginJournal(): Promise<Result<string, Failure>> {
    if (over === "nothing" || journal.events.length > 0) {
      const begun = await save(state);
      if (!begun.ok) return begun;
    }
    return success(encodeJournalStart(saved));
  }

  async function addBatch(lines: string): Promise<Result<unknown, Failure>> {
    const start = hasBegun ? success("") : await beginJournal();
    if (!start.ok) return start;
    const written = await put(batchAt(place, saved, next), `${start.value}${lines}`, "nothing");
    next += 1;
    hasBegun = true;
    return written;
  }

  const commit = groupCommit(async (batch: readonly string[]) => {
    const added = await addBatch(batch.join(""));
    if (!added.ok) throw new Error(added.error.message, { cause: added.error });
  });

  const unfinished = journal.events.length === 0 ? undefined : { found: found.saved, events: journal.events };
  return journalledSession(
    { state, unfinished },
    {
      append(lines) {
        last = commit(lines);
        return last;
      },
      async save(version) {
        await last.catch(() => undefined);
        return save(version);
      },
      async release() {
        await last.catch(() => undefined);
        await lock.release();
      },
    },
  );
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
