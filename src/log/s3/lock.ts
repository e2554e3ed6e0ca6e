import { createHash } from "node:crypto";
import { type Failure, problem, type Result, success } from "../../model/result.ts";
import type { LockHolder } from "../../model/state.ts";
import { elapsedSince, isoTime, momentOf } from "../../ports/clock.ts";
import { lockField, objectOf, parseLock, startHeartbeat } from "../lease.ts";
import { condition, isDone, isOtherwise, type S3Session, type WriteCondition } from "./objects.ts";

/** The lock as it was found. */
export interface FoundLock {
  /** The version that a run replaces to take it. */
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

/** Milliseconds between two signs of life. */
const heartbeatInterval = 20_000;

interface HeldS3Lock {
  readonly fence: number;
  readonly holder: RecordedHolder;
  readonly etag: string;
}

function heldLock(parts: S3Session, { fence, holder, etag: first }: HeldS3Lock): S3Lock {
  const { objects, place, clock } = parts;
  const held = { etag: first, lost: false, beats: 0, seenAt: momentOf(clock) };

  async function replace(text: string): Promise<void> {
    if (held.lost) return;
    const asked = momentOf(clock);
    const written = await objects.write(place.lock, text, { etag: held.etag });
    // What could not be asked is asked again at the next beat: meanwhile each write of the log takes the number behind the last one.
    if (!written.ok) return;
    if (written.value === "changed") {
      held.lost = true;
    } else {
      held.etag = written.value.etag;
      held.seenAt = asked;
    }
  }

  async function beat(): Promise<"held" | "lost"> {
    held.beats += 1;
    await replace(writeHeld(fence, holder, { number: held.beats, at: isoTime(clock) }));
    return held.lost ? "lost" : "held";
  }

  const beating = startHeartbeat(heartbeatInterval, beat, parts.startBeats);

  return {
    id: holder.id,
    isLost: () => held.lost,
    unseenFor: () => elapsedSince(held.seenAt, clock),
    async look() {
      const asked = momentOf(clock);
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

/** What a lock's object says. It is never removed, so that each change of it can be bound to the one before. */
interface LockRecord {
  /** Counts the holders. */
  readonly fence: number;
  /** Absent: the lock is free. */
  readonly holder?: RecordedHolder;
}

export type RecordedHolder = Required<Pick<LockHolder, "id" | "who" | "operation" | "since">>;

/**
 * `beat` counts the writes of one holding, so that no two versions are the same text: what a lost answer was about
 * can then be told by reading.
 * @internal
 */
export function writeHeld(fence: number, holder: RecordedHolder, beat: { number: number; at: string }): string {
  return `${JSON.stringify({ fence, holder, beat: beat.number, seenAt: beat.at }, null, 2)}\n`;
}

/** @internal */
export function writeFree(fence: number, former: string): string {
  return `${JSON.stringify({ fence, free: true, former }, null, 2)}\n`;
}

/** Reads a lock; undefined for anything that roster would not have written. @internal */
export function readLockRecord(text: string): LockRecord | undefined {
  const value = parseLock(text);
  const fence = value === undefined ? undefined : Reflect.get(value, "fence");
  if (value === undefined || typeof fence !== "number" || !Number.isSafeInteger(fence) || fence < 1) return undefined;
  if (Reflect.get(value, "free") === true) return { fence };
  const held = objectOf(Reflect.get(value, "holder"));
  if (held === undefined) return undefined;
  const [id, who] = [lockField(held, "id"), lockField(held, "who")];
  const [operation, since] = [lockField(held, "operation"), lockField(held, "since")];
  if (id === undefined || who === undefined || operation === undefined || since === undefined) return undefined;
  return { fence, holder: { id, who, operation, since } };
}

/** A version that no object ever has. */
const noVersion = { etag: `"${"0".repeat(32)}"` };

/**
 * Makes sure that the service refuses a write whose condition does not hold: some look-alikes of S3 write all the same,
 * and then no lock holds. What is tried is to write our lock over itself. Where that is not refused, it may hit the
 * lock of another run, but no run ever gets past this point there.
 */
async function proveConditions(parts: S3Session, lock: string): Promise<Result<void, Failure>> {
  const created = await isRefused(parts, lock, "nothing");
  if (!created.ok) return created;
  return isRefused(parts, lock, noVersion);
}

async function isRefused(
  { exchange, place }: S3Session,
  text: string,
  over: WriteCondition,
): Promise<Result<void, Failure>> {
  const asked = { object: place.lock, doing: "locked" } as const;
  const headers = { "content-type": "application/json", ...condition(over) };
  const sent = await exchange.send({ ...asked, method: "PUT", headers, body: text });
  if (!sent.ok) return sent;
  const { answer } = sent.value;
  if (isOtherwise(answer)) return success(undefined);
  return problem(isDone(answer) ? conditionsIgnored(over, place.lock.shown) : exchange.refused(asked, answer));
}

function conditionsIgnored(over: WriteCondition, shown: string): Failure {
  const header = over === "nothing" ? "If-None-Match" : "If-Match";
  return {
    code: "state",
    message: `the log could not be locked at ${shown}: the service ignores ${header} on writes, which locks need`,
    request: shown,
    hint: "use a service that supports conditional writes, or another kind of store",
  };
}
