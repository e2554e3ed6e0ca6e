import { parseJson } from "../../codec/document.ts";
import { definedFields } from "../../model/collections.ts";
import { isObject, sha256 } from "../../model/json.ts";
import { elapsedSince, isoTime, momentOf } from "../../ports/clock.ts";
import { lockFields, startHeartbeat } from "../lock-holder.ts";
import type { LockHolder } from "../port.ts";
import { orGiveBack, outcomeOf, stateError } from "../store-error.ts";
import type { S3Session, WriteCondition } from "./objects.ts";

interface FoundLock {
  /** The version that a run replaces to take it. */
  readonly over: WriteCondition;
  /** The fence of its last holder. */
  readonly fence: number;
  readonly holder: LockHolder | "nobody";
}

export type S3Lock = ReturnType<typeof heldLock>;

export async function findLock({ objects, place }: S3Session): Promise<FoundLock> {
  const read = await objects.read(place.lock);
  if (read === "missing") return { over: "nothing", fence: 0, holder: "nobody" };
  const { text, etag, age: silentFor } = read;
  const over = { etag };
  const record = readLockRecord(text);
  // What nobody can read is held by somebody: its version is the one name it has.
  const { fence = 0, holder } = record ?? { holder: { id: sha256(etag).slice(0, 16) } };
  if (holder === undefined) return { over, fence, holder: "nobody" };
  return { over, fence, holder: { ...holder, ...definedFields({ silentFor, fence: record?.fence }) } };
}

/**
 * Puts this run in the place of what was found. `changed`: somebody else was faster. The lock is had only once the
 * service has shown that it keeps to conditions, and the lock is still there after that: some look-alikes of S3 look at
 * the condition and write in two steps, so that two who come at once both write.
 */
export async function takeLock(
  session: S3Session,
  found: FoundLock,
  holder: RecordedHolder,
): Promise<S3Lock | "changed"> {
  const { objects, place, clock } = session;
  const fence = found.fence + 1;
  const text = writeHeld(fence, holder, { number: 0, at: isoTime(clock) });
  const written = await objects.write(place.lock, text, found.over, "locked");
  if (written === "changed") return "changed";
  const lock = heldLock(session, fence, holder, written.etag);
  await orGiveBack(lock.release, async () => {
    await proveConditions(session, text);
    await lock.look();
  });
  if (!lock.isLost()) return lock;
  await lock.release();
  return "changed";
}

/** Milliseconds between two signs of life. */
const heartbeatInterval = 20_000;

function heldLock(session: S3Session, fence: number, holder: RecordedHolder, first: string) {
  const { objects, place, clock } = session;
  const held = { etag: first, lost: false, beats: 0, seenAt: momentOf(clock) };

  async function replace(text: string): Promise<void> {
    if (held.lost) return;
    const asked = momentOf(clock);
    const written = await outcomeOf(() => objects.write(place.lock, text, { etag: held.etag }));
    // What could not be asked is asked again at the next beat: meanwhile each write of the log takes the number behind the last one.
    if (!written.ok) return;
    if (written.value === "changed") {
      held.lost = true;
    } else {
      held.etag = written.value.etag;
      held.seenAt = asked;
    }
  }

  const endHeartbeat = startHeartbeat(
    heartbeatInterval,
    async () => {
      held.beats += 1;
      await replace(writeHeld(fence, holder, { number: held.beats, at: isoTime(clock) }));
      return held.lost ? "lost" : "held";
    },
    session.startBeats,
  );

  return {
    id: holder.id,
    /** True once it was seen to be in other hands. */
    isLost: () => held.lost,
    /** Milliseconds since it was last seen to be this run's. */
    unseenFor: () => elapsedSince(held.seenAt, clock),
    /** Looks again whether it is. */
    async look() {
      const asked = momentOf(clock);
      const { holder: now } = await findLock(session);
      held.lost ||= now === "nobody" || now.id !== holder.id;
      held.seenAt = asked;
    },
    /** Never fails: a lock that cannot be given back is found by the next run. */
    async release() {
      await endHeartbeat();
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

/** `beat` counts the writes of one holding: no two versions are the same text, and reading tells what a lost answer was about. */
export function writeHeld(fence: number, holder: RecordedHolder, beat: { number: number; at: string }): string {
  return `${JSON.stringify({ fence, holder, beat: beat.number, seenAt: beat.at }, null, 2)}\n`;
}

export function writeFree(fence: number, former: string): string {
  return `${JSON.stringify({ fence, free: true, former }, null, 2)}\n`;
}

/** Reads a lock; undefined for anything that roster would not have written. */
export function readLockRecord(text: string): LockRecord | undefined {
  const lock = parseJson(text);
  if (!isObject(lock)) return undefined;
  const { fence, free } = lock;
  if (typeof fence !== "number" || !Number.isSafeInteger(fence) || fence < 1) return undefined;
  if (free === true) return { fence };
  const holder = lockFields(lock["holder"], ["id", "who", "operation", "since"]);
  return holder && { fence, holder };
}

/** A version that no object ever has. */
const noVersion = { etag: `"${"0".repeat(32)}"` };

/**
 * Makes sure that the service refuses a write whose condition does not hold: some look-alikes of S3 write all the same,
 * and then no lock holds. What is tried is to write our lock over itself. Where that is not refused, it may hit the
 * lock of another run, but no run ever gets past this point there.
 */
async function proveConditions({ objects, place }: S3Session, text: string): Promise<void> {
  const { shown } = place.lock;
  for (const [over, header] of [["nothing", "If-None-Match"] as const, [noVersion, "If-Match"] as const]) {
    if (await objects.refuses(place.lock, text, over)) continue;
    const why = `the service ignores ${header} on writes, which locks need`;
    const hint = "use a service that supports conditional writes, or another kind of store";
    throw stateError(shown, `the log could not be locked at ${shown}: ${why}`, hint);
  }
}
