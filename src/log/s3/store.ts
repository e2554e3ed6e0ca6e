import { hostname } from "node:os";
import { ownName } from "../../files/own-name.ts";
import { isoTime } from "../../ports/clock.ts";
import { positionOf } from "../hash-chain.ts";
import { isStale, leaseLost, lockedBy, lockedByMany, notHeldBy, overslept, type StartBeats } from "../lock-holder.ts";
import { openLog } from "../log.ts";
import type { Lease, LockHolder, LockOptions, RosterLog, RunInfo } from "../port.ts";
import { orGiveBack, outcomeOf, type StoreError, stateError, tooLarge } from "../store-error.ts";
import { batchAt, type S3Key, type S3Place } from "./address.ts";
import { findLock, type RecordedHolder, type S3Lock, takeLock } from "./lock.ts";
import { checkpointContent, fence, fenceLog, type LogEnd, readLog } from "./log-objects.ts";
import {
  largestObject,
  type S3Credentials,
  type S3Ports,
  type S3Session,
  s3Objects,
  type WriteCondition,
} from "./objects.ts";

/** `http`: of the origin of `place`. Closed with the store. */
interface S3StoreOptions extends S3Ports {
  readonly place: S3Place;
  readonly credentials: S3Credentials;
  readonly startBeats?: StartBeats;
}

/** One object a batch of lines: numbered from 1, written once and never freed. Beside them are a checkpoint and a lock. */
export function s3Store(options: S3StoreOptions): RosterLog {
  const { place, credentials, http, clock, randomness, startBeats } = options;
  const objects = s3Objects(options, { region: place.region, credentials });
  const session: S3Session = { place, objects, clock, randomness, startBeats };
  let leased: S3Lease | undefined;
  return openLog(
    {
      address: place.address,
      times: objects.times,
      read(from) {
        const under = leased;
        return readLog(session, from, (end) => under?.hasRead(end));
      },
      async lease(command, wishes) {
        leased = await leaseLog(session, command, wishes);
        return leased;
      },
      holder: async () => (await findLock(session)).holder,
      breakLease: (id) => breakLease(session, id),
      close: () => http.close(),
    },
    options,
  );
}

/** How often a lock may change hands while one looks. */
const maxLockAttempts = 4;

async function leaseLog(session: S3Session, command: RunInfo, { breakStaleAfter }: LockOptions): Promise<S3Lease> {
  const { shown } = session.place.lock;
  for (let round = 0; round < maxLockAttempts; round += 1) {
    const found = await findLock(session);
    const { holder } = found;
    if (holder !== "nobody" && !isStale(holder, breakStaleAfter)) throw lockedBy(shown, holder, session.place.address);
    const lock = await takeLock(session, found, ownHolder(session, command));
    if (lock === "changed") continue;
    if (holder !== "nobody") await orGiveBack(lock.release, () => fenceLog(session));
    return s3Lease(session, lock);
  }
  throw lockedByMany(shown);
}

function ownHolder({ randomness }: S3Session, { operation, at }: Pick<RunInfo, "operation" | "at">): RecordedHolder {
  return { id: randomness.identifier(), who: `${ownName()}@${hostname()}`, operation, since: at };
}

/** The lock is taken over and given back, so that its command is fenced as by one that takes it over. */
async function breakLease(session: S3Session, id: string): Promise<LockHolder> {
  const { place, clock } = session;
  const found = await findLock(session);
  const { holder } = found;
  if (holder === "nobody" || holder.id !== id) throw notHeldBy(place.lock.shown, id, holder, place.address);
  const lock = await takeLock(session, found, ownHolder(session, { operation: "state unlock", at: isoTime(clock) }));
  if (lock === "changed") throw lockedByMany(place.lock.shown);
  await orGiveBack(lock.release, () => fenceLog(session));
  await lock.release();
  return holder;
}

interface S3Lease extends Lease {
  /** Binds what is added to what was read under this lease. */
  hasRead(end: LogEnd): void;
}

/** Milliseconds for which a lock that was seen to be ours is taken for ours. */
const trust = 1000;

function s3Lease(session: S3Session, lock: S3Lock): S3Lease {
  const { objects, place } = session;
  let end: LogEnd | undefined;
  let hasAdded = false;

  function endAsRead(): LogEnd {
    if (end === undefined) throw new Error("a log is read before anything is added to it");
    return end;
  }

  async function write(object: S3Key, text: string, over: WriteCondition): Promise<WriteCondition> {
    const written = lock.isLost() ? "changed" : await objects.write(object, text, over);
    for (let most = trust; written !== "changed" && !lock.isLost() && lock.unseenFor() >= most; most = overslept)
      await lock.look();
    if (written === "changed" || lock.isLost()) throw await lockTakenOver(session, lock.id);
    return written;
  }

  async function writeCheckpoint(known: Omit<LogEnd, "checkpointOver">, text: string): Promise<void> {
    const content = checkpointContent(known, text);
    if (Buffer.byteLength(content) > largestObject) throw tooLarge(place.checkpoint.shown);
    end = { ...known, checkpointOver: await write(place.checkpoint, content, endAsRead().checkpointOver) };
  }

  /** The line comes first; from then on, nobody needs what stands before it. */
  async function replaceBatches(position: number, line: string): Promise<void> {
    const { batches, first } = endAsRead();
    await writeCheckpoint({ batches: 0, first }, "");
    let isReplaced = false;
    for (let number = batches; number > 0; number -= 1) {
      const object = batchAt(place, number);
      const found = await objects.read(object);
      if (found === "missing") throw await lockTakenOver(session, lock.id);
      const lines = found.text.split(/(?<=\n)/u);
      if (found.text === fence || positionOf(found.text) > position) continue;
      const behind = lines.filter((one) => positionOf(one) > position);
      await write(object, isReplaced ? fence : `${line}\n${behind.join("")}`, { etag: found.etag });
      if (!isReplaced) await writeCheckpoint({ batches: 0, first: number }, "");
      isReplaced = true;
    }
    end = { ...endAsRead(), batches };
  }

  return {
    hasRead(found) {
      // Behind the least that was read: another's batch, of which the reader may know nothing, is never passed over.
      if (!hasAdded && (end === undefined || found.batches < end.batches)) end = found;
    },
    async append(lines) {
      hasAdded = true;
      const before = endAsRead();
      const batches = before.batches + 1;
      await write(batchAt(place, batches), lines, "nothing");
      end = { ...before, batches };
    },
    replaceBefore: replaceBatches,
    async checkpoint(text) {
      // A holder that lost its lock may still put one in the place of the last that it knew. It is true as well, since no batch ever
      // changes: whoever reads it reads more batches behind it.
      const { batches, first } = endAsRead();
      await writeCheckpoint({ batches, first }, text);
    },
    release: () => lock.release(),
  };
}

async function lockTakenOver(session: S3Session, own: string): Promise<StoreError> {
  const found = await outcomeOf(() => findLock(session));
  const { lock, log } = session.place;
  const holder = found.ok ? found.value.holder : "nobody";
  if (holder === "nobody" || holder.id !== own) return leaseLost(lock.shown, holder);
  return stateError(
    log.shown,
    `the log at ${log.shown} was changed by another program without the lock`,
    "end that program and run again: the records are kept, and open calls are resolved by reading",
  );
}
