import { createHash } from "node:crypto";
import type { Failure } from "../../model/failure.ts";
import { type Result, success } from "../../model/result.ts";
import { isoTime } from "../../ports/clock.ts";
import type { LockHolder } from "../../ports/state-store.ts";
import { keepHeartbeat } from "./s3-heartbeat.ts";
import { type RecordedHolder, readLockRecord, writeFree, writeHeld } from "./s3-lock-text.ts";
import type { WriteCondition } from "./s3-objects.ts";
import type { S3Session } from "./s3-parts.ts";
import { proveConditions } from "./s3-prove-conditions.ts";

/** The lock as it was found. */
export interface FoundLock {
  /** What whoever takes it replaces. */
  readonly over: WriteCondition;
  /** The fence of its last holder. */
  readonly fence: number;
  readonly holder: LockHolder | "nobody";
}

/** A lock that this run holds. */
export interface S3Lock {
  readonly id: string;
  /** True once it was seen to be in other hands. */
  isLost(): boolean;
  /** Milliseconds since it was last seen to be this run's. */
  unseenFor(): number;
  /** Looks again whether it is. */
  look(): Promise<Result<void, Failure>>;
  /** Never fails: a lock that cannot be given back is found by the next run. */
  release(): Promise<void>;
}

export async function findLock({ objects, place }: S3Session): Promise<Result<FoundLock, Failure>> {
  const read = await objects.read(place.lock);
  if (!read.ok) return read;
  if (read.value === "missing") return success({ over: "nothing", fence: 0, holder: "nobody" });
  const { text, etag, age } = read.value;
  const record = readLockRecord(text);
  const over = { etag };
  const silent = age === undefined ? {} : { silentFor: age };
  // What nobody can read is held by somebody: its version is the one name it has.
  if (record === undefined) return success({ over, fence: 0, holder: { id: nameOf(etag), ...silent } });
  const { fence, holder } = record;
  return success({ over, fence, holder: holder === undefined ? "nobody" : { ...holder, ...silent, fence } });
}

function nameOf(etag: string): string {
  return createHash("sha256").update(etag).digest("hex").slice(0, 16);
}

/**
 * Puts this run in the place of what was found. `changed`: somebody else was faster. The lock is had only once the
 * service has shown that it keeps to conditions, and the lock is still there after that: some look-alikes of S3 look at
 * the condition and write in two steps, so that two who come at once both write.
 */
export async function takeLock(
  parts: S3Session,
  found: FoundLock,
  holder: RecordedHolder,
): Promise<Result<S3Lock | "changed", Failure>> {
  const { objects, place, clock } = parts;
  const fence = found.fence + 1;
  const text = writeHeld(fence, holder, { number: 0, at: isoTime(clock) });
  const written = await objects.write(place.lock, text, found.over, "locked");
  if (!written.ok) return written;
  if (written.value === "changed") return success("changed");
  const lock = heldLock(parts, { fence, holder, etag: written.value.etag });
  const proven = await proveConditions(parts, text);
  const seen = proven.ok ? await lock.look() : proven;
  if (seen.ok && !lock.isLost()) return success(lock);
  await lock.release();
  return seen.ok ? success("changed") : seen;
}

interface HeldS3Lock {
  readonly fence: number;
  readonly holder: RecordedHolder;
  readonly etag: string;
}

function heldLock(parts: S3Session, { fence, holder, etag: first }: HeldS3Lock): S3Lock {
  const { objects, place, clock } = parts;
  const held = { etag: first, lost: false, beats: 0, seenAt: clock.now() };

  async function replace(text: string): Promise<void> {
    if (held.lost) return;
    const asked = clock.now();
    const written = await objects.write(place.lock, text, { etag: held.etag });
    // What could not be asked is asked again at the next beat: meanwhile each write of the state is bound to the last one.
    if (!written.ok) return;
    if (written.value === "changed") {
      held.lost = true;
    } else {
      held.etag = written.value.etag;
      held.seenAt = asked;
    }
  }

  const beating = keepHeartbeat(parts.startBeats, () => {
    held.beats += 1;
    return replace(writeHeld(fence, holder, { number: held.beats, at: isoTime(clock) }));
  });

  return {
    id: holder.id,
    isLost: () => held.lost,
    unseenFor: () => clock.now() - held.seenAt,
    async look() {
      const asked = clock.now();
      const found = await findLock(parts);
      if (!found.ok) return found;
      const { holder: now } = found.value;
      held.lost ||= now === "nobody" || now.id !== holder.id;
      held.seenAt = asked;
      return success(undefined);
    },
    async release() {
      await beating.stop();
      await replace(writeFree(fence, holder.id));
    },
  };
}
