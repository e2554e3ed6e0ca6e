import { basename, dirname, join } from "node:path";
import { type FileSystem, using } from "../../files/file-system.ts";
import { type Failure, problem, type Result, success } from "../../model/result.ts";
import type { LockHolder } from "../../ports/state-store.ts";
import { notHeldBy } from "../lock-failures.ts";
import type { LocalSystem } from "../process-identity.ts";
import { attempt } from "./failure.ts";
import { holderOf, ifThere, lockPaths, readLock, readOwner, staleLockId } from "./lock-files.ts";

/** Breaks the lock of this id on a person's word, or says which id holds it. */
export async function breakLock(disk: FileSystem, lock: string, id: string): Promise<Result<LockHolder, Failure>> {
  const looked = await attempt("unlocked", lock, () => readLock(disk, lock));
  if (!looked.ok) return looked;
  const held = looked.value;
  if (held === "nobody" || held.id !== id)
    return problem(notHeldBy(lock, id, held === "nobody" ? held : holderOf(held, undefined)));
  const broken = await attempt("unlocked", lock, () => breakHeld(disk, lock, id));
  if (!broken.ok) return broken;
  return broken.value ? success(holderOf(held, undefined)) : problem(notHeldBy(lock, id, "nobody"));
}

/**
 * Ends one holding of a lock, and no other: false where it had ended already. Its run changes files by renaming them out
 * of, or into, its own directory alone; that is gone by this name at once, and for good before anybody else reads.
 */
export async function breakHeld(disk: FileSystem, lock: string, id: string): Promise<boolean> {
  const { held, gone } = lockPaths(lock, id);
  const broken = id === staleLockId ? await moveStaleLock(disk, lock, gone) : await moveAway(disk, held, gone);
  if (!broken) return false;
  await disk.removeTree(gone);
  await disk.removeEmpty(lock).catch(() => undefined);
  return true;
}

async function moveAway(disk: FileSystem, from: string, to: string): Promise<boolean> {
  return (await ifThere(disk.rename(from, to).then(() => true))) ?? false;
}

/** Onto a file a directory cannot be renamed: a lock that was taken in the meantime stays. */
async function moveStaleLock(disk: FileSystem, lock: string, to: string): Promise<boolean> {
  await disk.remove(to);
  await using(await disk.open(to, "create"), async () => undefined);
  return moveAway(disk, lock, to);
}

/**
 * Removes what former holders left, and what those left who died while they wanted the lock. To be done by who has taken
 * the lock, before anything is read: a former holder that is stopped in the middle of a rename cannot end it after this.
 */
export async function removeStaleFiles(system: LocalSystem, lock: string, id: string): Promise<void> {
  const { disk } = system;
  const directory = dirname(lock);
  const { owner } = lockPaths(lock, id);
  const names = (await disk.list(directory)).filter((name) => name.startsWith(`${basename(lock)}.`));
  if (names.length === 0) return;
  const now = (await disk.look(owner)).modified;
  for (const name of names) {
    const path = join(directory, name);
    if (name.endsWith(".gone") || (await isAbandoned(system, path, now))) await disk.removeTree(path);
  }
}

async function isAbandoned(system: LocalSystem, path: string, now: number): Promise<boolean> {
  const { disk } = system;
  const found = await ifThere(disk.look(path));
  if (found === undefined) return false;
  if (now - found.modified > longest) return true;
  if (found.kind !== "directory") return false;
  const id = (await ifThere(disk.list(path)))?.[0];
  const text = id === undefined ? undefined : await ifThere(disk.read(join(path, id, "owner.json")));
  const owner = readOwner(new TextDecoder().decode(text));
  return owner !== undefined && (await system.isProvablyDead(owner));
}

/** Nobody is on the way to a lock for this many milliseconds. */
const longest = 3_600_000;
