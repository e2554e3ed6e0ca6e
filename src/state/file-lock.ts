import { dirname } from "node:path";
import type { Failure } from "../model/failure.ts";
import { problem, type Result, success } from "../model/result.ts";
import type { LockOptions } from "../ports/state-store.ts";
import { writeWhole } from "./durable-file.ts";
import { attempt, errorCode } from "./file-failure.ts";
import type { FileSystem } from "./file-system.ts";
import { type HeartbeatOptions, type HeldLock, holdLock } from "./held-lock.ts";
import type { LocalSystem } from "./local-system.ts";
import { breakHeld, removeStaleFiles } from "./lock-breaking.ts";
import { lockedBy, lockedByMany } from "./lock-failures.ts";
import { raiseFence } from "./lock-fence.ts";
import { type FoundHolder, fileSystemTime, holderOf, readLock } from "./lock-look.ts";
import { encodeOwner, type LockOwner } from "./lock-owner.ts";
import { lockPaths } from "./lock-paths.ts";
import type { StateFiles } from "./state-files.ts";

export interface LockTaking extends LockOptions, HeartbeatOptions {}

/**
 * Takes a lock, or says who holds it. The lock of an owner who is provably dead, or silent for longer than wished, is
 * broken first; then it is anybody's. When it is taken, nobody who held it before can change anything any more.
 */
export async function takeLock(
  system: LocalSystem,
  files: StateFiles,
  taking: LockTaking,
): Promise<Result<HeldLock, Failure>> {
  const taken = await attempt("locked", files.lock, () => take(system, files, taking));
  return taken.ok ? taken.value : taken;
}

async function take(system: LocalSystem, files: StateFiles, taking: LockTaking): Promise<Result<HeldLock, Failure>> {
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
  { takeDeadAfter }: LockOptions,
): Promise<boolean> {
  if (held.owner !== undefined && (await system.isProvablyDead(held.owner))) return true;
  return takeDeadAfter !== undefined && now !== undefined && now - held.seen > takeDeadAfter;
}

/** Whole or not at all: a directory cannot be renamed into the place of one that holds anything. */
async function enter(disk: FileSystem, lock: string, owner: LockOwner): Promise<boolean> {
  const { prepared, preparedOwner } = lockPaths(lock, owner.id);
  try {
    await disk.makeDirectory(dirname(preparedOwner));
    // Durable, since a lock that survives a crash without its owner's name is one for a person to break.
    await writeWhole(disk, preparedOwner, encodeOwner(owner));
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
 * the answer, ask again, and be told that there is nothing to rename.
 */
async function isTakenByOwner(disk: FileSystem, lock: string, owner: LockOwner, error: unknown): Promise<boolean> {
  const held = await readLock(disk, lock);
  if (held !== "nobody") return held.id === owner.id;
  if (["ENOTEMPTY", "EEXIST", "ENOENT"].includes(errorCode(error) ?? "")) return false;
  throw error;
}

/** What former holders still had is removed before anything is read. */
async function begin(system: LocalSystem, files: StateFiles, taking: LockTaking): Promise<Result<HeldLock, Failure>> {
  const held = holdLock(system.disk, files.lock, taking);
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
