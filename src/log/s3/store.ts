import { type Failure, problem, type Result, success } from "../../model/result.ts";
import type { LockHolder } from "../../model/state.ts";
import { isoTime } from "../../ports/clock.ts";
import type { Lease, LockOptions, RosterLog, RunInfo } from "../../ports/log.ts";
import {
  leaseLost,
  lockedBy,
  lockedByMany,
  notHeldBy,
  ownIdentity,
  ownName,
  type StartBeats,
  timerBeats,
} from "../lease.ts";
import { openLog } from "../log.ts";
import { batchAt, type S3Key, type S3Place } from "./address.ts";
import { findLock, type RecordedHolder, type S3Lock, takeLock } from "./lock.ts";
import { checkpointContent, fenceLog, type LogEnd, readLog } from "./log-objects.ts";
import {
  type S3Credentials,
  type S3Ports,
  type S3Session,
  s3Exchange,
  s3Objects,
  type WriteCondition,
} from "./objects.ts";

/** `http`: of the origin of `place`. Closed with the store. */
interface S3StoreOptions extends S3Ports {
  readonly place: S3Place;
  readonly credentials: S3Credentials;
  readonly startBeats?: StartBeats;
}

/**
 * Keeps a log in objects of a bucket: one a batch of lines, which are numbered from 1, written once and never freed. Beside them are a
 * checkpoint and a lock.
 */
export function s3Store(options: S3StoreOptions): RosterLog {
  const { place, credentials, http, clock, randomness, startBeats = timerBeats } = options;
  const exchange = s3Exchange({ http, clock, randomness }, { region: place.region, credentials });
  const parts: S3Session = { place, exchange, objects: s3Objects(exchange), clock, randomness, startBeats };
  let leased: S3Lease | undefined;
  return openLog(
    {
      address: place.address,
      times: exchange.times,
      async read(from) {
        const under = leased;
        const found = await readLog(parts, from);
        if (!found.ok) return found;
        const { stored, end } = found.value;
        under?.hasRead(end);
        return success(stored);
      },
      async lease(command, lockOptions) {
        const lease = await leaseLog(parts, command, lockOptions);
        if (lease.ok) leased = lease.value;
        return lease;
      },
      async holder() {
        const found = await findLock(parts);
        return found.ok ? success(found.value.holder) : found;
      },
      breakLease: (id) => breakLease(parts, id),
      close: () => http.close(),
    },
    options,
  );
}

/** How often a lock may change hands while one looks. */
const maxLockAttempts = 4;

async function leaseLog(
  parts: S3Session,
  command: RunInfo,
  lockOptions: LockOptions,
): Promise<Result<S3Lease, Failure>> {
  for (let round = 0; round < maxLockAttempts; round += 1) {
    const found = await findLock(parts);
    if (!found.ok) return found;
    const { holder } = found.value;
    if (holder !== "nobody" && !isDead(holder, lockOptions)) return problem(lockedBy(parts.place.lock.shown, holder));
    const taken = await takeLock(parts, found.value, await ownHolder(parts, command));
    if (!taken.ok) return taken;
    if (taken.value === "changed") continue;
    const fenced = holder === "nobody" ? success(undefined) : await fenceLog(parts);
    if (fenced.ok) return success(s3Lease(parts, taken.value));
    await taken.value.release();
    return fenced;
  }
  return problem(lockedByMany(parts.place.lock.shown));
}

function isDead({ silentFor }: LockHolder, { breakStaleAfter }: LockOptions): boolean {
  return breakStaleAfter !== undefined && silentFor !== undefined && silentFor >= breakStaleAfter;
}

async function ownHolder(
  { randomness }: S3Session,
  { operation, at }: Pick<RunInfo, "operation" | "at">,
): Promise<RecordedHolder> {
  const { host } = await ownIdentity();
  return { id: randomness.identifier(), who: `${ownName()}@${host}`, operation, since: at };
}

async function breakLease(parts: S3Session, id: string): Promise<Result<LockHolder, Failure>> {
  const { place, clock } = parts;
  const found = await findLock(parts);
  if (!found.ok) return found;
  const { holder } = found.value;
  if (holder === "nobody" || holder.id !== id) return problem(notHeldBy(place.lock.shown, id, holder));
  // The lock is taken over and given back, so that its command is fenced as by one that takes it over.
  const own = await ownHolder(parts, { operation: "state unlock", at: isoTime(clock) });
  const taken = await takeLock(parts, found.value, own);
  if (!taken.ok) return taken;
  if (taken.value === "changed") return problem(lockedByMany(place.lock.shown));
  const fenced = await fenceLog(parts);
  await taken.value.release();
  return fenced.ok ? success(holder) : fenced;
}

interface S3Lease extends Lease {
  /** Binds what is added to what was read under this lease. */
  hasRead(end: LogEnd): void;
}

/** Milliseconds for which a lock that was seen to be ours is taken for ours. */
const trust = 1000;
/** Milliseconds that no look takes: a run that needed them has slept, and the lock may have changed hands meanwhile. */
const slept = 60_000;

function s3Lease(parts: S3Session, lock: S3Lock): S3Lease {
  const { objects, place } = parts;
  let end: LogEnd | undefined;
  let hasAdded = false;
  let lost: Failure | undefined;

  function endAsRead(): LogEnd {
    if (end === undefined) throw new Error("a log is read before anything is added to it");
    return end;
  }

  async function write(object: S3Key, text: string, over: WriteCondition): Promise<Result<WriteCondition, Failure>> {
    const written = lock.isLost() ? success("changed" as const) : await objects.write(object, text, over);
    if (!written.ok) return written;
    if (written.value === "changed") return problem(await lockTakenOver(parts, lock.id));
    for (let most = trust; !lock.isLost() && lock.unseenFor() >= most; most = slept) {
      const seen = await lock.look();
      if (!seen.ok) return seen;
    }
    return lock.isLost() ? problem(await lockTakenOver(parts, lock.id)) : success(written.value);
  }

  return {
    hasRead(found) {
      // Behind the least that was read: another's batch, of which the reader may know nothing, is never passed over.
      if (!hasAdded && (end === undefined || found.batches < end.batches)) end = found;
    },
    async append(lines) {
      if (lost !== undefined) return problem(lost);
      const before = endAsRead();
      hasAdded = true;
      const batches = before.batches + 1;
      const written = await write(batchAt(place, batches), lines, "nothing");
      if (!written.ok) {
        lost = written.error;
        return written;
      }
      end = { ...before, batches };
      return success(undefined);
    },
    async checkpoint(text) {
      if (lost !== undefined) return problem(lost);
      const { batches, checkpointOver } = endAsRead();
      // A holder that lost its lock may still put one in the place of the last that it knew. It is true as well, since no batch ever
      // changes: whoever reads it reads more batches behind it.
      const written = await write(place.checkpoint, checkpointContent(batches, text), checkpointOver);
      if (!written.ok) return written;
      end = { batches, checkpointOver: written.value };
      return success(undefined);
    },
    release: () => lock.release(),
  };
}

async function lockTakenOver(parts: S3Session, own: string): Promise<Failure> {
  const found = await findLock(parts);
  const { lock, log } = parts.place;
  const holder = found.ok ? found.value.holder : "nobody";
  if (holder === "nobody" || holder.id !== own) return leaseLost(lock.shown, holder);
  return {
    code: "state",
    message: `the log at ${log.shown} was changed by another program without the lock`,
    request: log.shown,
    hint: "end that program and run again: the records are kept, and open calls are resolved by reading",
  };
}
