import { dirname, join } from "node:path";
import { errorCode, type FileSystem, replaceFile, using, writeDurably } from "../../files/file-system.ts";
import { type Failure, problem, type Result, success } from "../../model/result.ts";
import { type Clock, stopwatch } from "../../ports/clock.ts";
import type { LockOptions } from "../../ports/log.ts";
import { type LocalSystem, leaseLost, lockedBy, lockedByMany, startHeartbeat } from "../lease.ts";
import {
  attempt,
  breakHeld,
  encodeOwner,
  type FoundHolder,
  fileSystemTime,
  holderOf,
  ifThere,
  type LockOwner,
  type LogFiles,
  lockPaths,
  readLock,
  removeStaleFiles,
} from "./lock-files.ts";

interface LockTaking extends LockOptions, HeartbeatOptions {}

/**
 * Takes a lock, or says who holds it. The lock of an owner who is provably dead, or silent for longer than wished, is
 * broken first; then it is anybody's. When it is taken, nobody who held it before can change anything any more.
 */
export async function takeLock(
  system: LocalSystem,
  files: LogFiles,
  taking: LockTaking,
): Promise<Result<HeldLock, Failure>> {
  const taken = await attempt("locked", files.lock, () => take(system, files, taking));
  return taken.ok ? taken.value : taken;
}

async function take(system: LocalSystem, files: LogFiles, taking: LockTaking): Promise<Result<HeldLock, Failure>> {
  const { disk } = system;
  const { lock } = files;
  const { owner } = taking;
  for (let round = 0; round < rounds; round += 1) {
    const held = await readLock(disk, lock);
    if (held === "nobody") {
      if (await enter(disk, lock, owner)) return begin(system, files, taking);
      continue;
    }
    const now = await fileSystemTime(disk, lock, owner.id);
    if (!(await isOver(system, held, now, taking))) return problem(lockedBy(lock, holderOf(held, now)));
    await breakHeld(disk, lock, held.id);
  }
  return problem(lockedByMany(lock));
}

/** A lock that changes hands this often while one looks is not to be had. */
const rounds = 8;

async function isOver(
  system: LocalSystem,
  held: FoundHolder,
  now: number | undefined,
  { breakStaleAfter }: LockOptions,
): Promise<boolean> {
  if (held.owner !== undefined && (await system.isProvablyDead(held.owner))) return true;
  return breakStaleAfter !== undefined && now !== undefined && now - held.seen > breakStaleAfter;
}

/** Whole or not at all: a directory cannot be renamed into the place of one that holds anything. */
async function enter(disk: FileSystem, lock: string, owner: LockOwner): Promise<boolean> {
  const { prepared, preparedOwner } = lockPaths(lock, owner.id);
  try {
    await disk.makeDirectory(dirname(preparedOwner));
    // Durable, since a lock that survives a crash without its owner's name is one for a person to break.
    await writeDurably(disk, preparedOwner, [encodeOwner(owner)]);
    // Not every system renames onto a directory that is there, even an empty one.
    await disk.removeEmpty(lock).catch(() => undefined);
    await disk.rename(prepared, lock);
    return true;
  } catch (error) {
    return await isTakenByOwner(disk, lock, owner, error);
  } finally {
    await disk.removeTree(prepared).catch(() => undefined);
  }
}

/**
 * Systems differ in what they call a directory that is in the way; and one that asks another machine may do a rename, lose
 * the answer, ask again, and hear that there is nothing to rename.
 */
async function isTakenByOwner(disk: FileSystem, lock: string, owner: LockOwner, error: unknown): Promise<boolean> {
  const held = await readLock(disk, lock);
  if (held !== "nobody") return held.id === owner.id;
  if (["ENOTEMPTY", "EEXIST", "ENOENT"].includes(errorCode(error) ?? "")) return false;
  throw error;
}

/** What former holders still had is removed before anything is read. */
async function begin(system: LocalSystem, files: LogFiles, taking: LockTaking): Promise<Result<HeldLock, Failure>> {
  const held = holdLock(system.disk, files.lock, taking, await system.disk.glance?.(files.lock));
  try {
    await removeStaleFiles(system, files.lock, taking.owner.id);
    await raiseFence(system.disk, files, held);
    return success(held);
  } catch (error) {
    const isOurs = await held.isHeld().catch(() => true);
    const lost = isOurs ? undefined : await held.lost();
    await held.release();
    if (lost !== undefined) return problem(lost);
    throw error;
  }
}

/** A lock that this process has taken. */
export interface HeldLock {
  /**
   * A path in the holder's own directory. A run changes a file next to it by a rename out of, or into, this
   * directory, which fails once the lock was broken or taken over.
   */
  own(name: string): string;
  /** Whether it is held at this moment. */
  isHeld(): Promise<boolean>;
  /** Who holds it now that this run does not, in words. */
  lost(): Promise<Failure>;
  /** Never fails: a lock that cannot be given back is left for the next run, which finds its owner gone. */
  release(): Promise<void>;
}

interface HeartbeatOptions {
  readonly owner: LockOwner;
  /** Milliseconds between two signs of life. */
  readonly signEvery: number;
}

/** Gives signs of life until it is released or lost. They do not keep the process alive. */
function holdLock(
  disk: FileSystem,
  lock: string,
  { owner, signEvery }: HeartbeatOptions,
  glance: ((path: string) => boolean) | undefined,
): HeldLock {
  const paths = lockPaths(lock, owner.id);
  const text = encodeOwner(owner);
  // What could not be written is written at the next beat: that the lock is lost is found before each write.
  const beating = startHeartbeat(signEvery, async () => {
    await sendHeartbeat(disk, paths.owner, text).catch(() => undefined);
    return "held";
  });
  return {
    own: (name) => join(paths.held, name),
    isHeld: async () => glance?.(paths.owner) ?? isThere(disk, paths.owner),
    async lost() {
      const held = await readLock(disk, lock).catch(() => "nobody" as const);
      return leaseLost(lock, held === "nobody" ? held : holderOf(held, undefined));
    },
    async release() {
      await beating.stop();
      await breakHeld(disk, lock, owner.id).catch(() => false);
    },
  };
}

/** Writes the last character once more, so that the file system notes the time of it. */
async function sendHeartbeat(disk: FileSystem, path: string, text: string): Promise<void> {
  await using(await disk.open(path, "amend"), async (file) => {
    await file.write(text.slice(-1), Buffer.byteLength(text) - 1);
    await file.datasync();
  });
}

/** Opened, and not merely looked at: a file system of another machine may answer a look from what it remembers. */
async function isThere(disk: FileSystem, path: string): Promise<boolean> {
  try {
    await using(await disk.open(path, "look"), async () => undefined);
    return true;
  } catch (error) {
    if (["ENOENT", "ESTALE", "ENOTDIR"].includes(errorCode(error) ?? "")) return false;
    throw error;
  }
}

/** A run goes on although its lock was broken or taken over. */
export class LockLostError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/**
 * Throws where the lock is not held. To be called once something is durable, before it is acted on. A process that was
 * stopped while it asked asks again, since others may have thought it dead in the meantime.
 */
export async function confirmHeld(lock: HeldLock, clock: Clock): Promise<void> {
  for (let elapsed: (() => number) | undefined; elapsed === undefined || elapsed() > overslept; ) {
    elapsed = stopwatch(clock);
    if (!(await lock.isHeld())) throw new LockLostError(await lock.lost());
  }
}

/** In milliseconds; less than any silence after which a lock may be taken over. */
const overslept = 30_000;

/** Counts the holders of a lock, for people to compare: that a former holder changes nothing does not rest on it. */
async function raiseFence(disk: FileSystem, { fence }: LogFiles, lock: HeldLock): Promise<void> {
  const next = ((await readFence(disk, fence)) ?? 0) + 1;
  await replaceFile(fence, [`${next}\n`], { disk, draft: lock.own("fence"), permissions: "owner" });
}

/** How often the lock was taken so far; undefined where that was never counted. */
export async function readFence(disk: FileSystem, path: string): Promise<number | undefined> {
  const text = new TextDecoder().decode(await ifThere(disk.read(path)));
  return /^[1-9]\d{0,14}\n$/u.test(text) ? Number(text) : undefined;
}
