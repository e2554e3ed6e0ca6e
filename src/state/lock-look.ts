import type { LockHolder } from "../ports/state-store.ts";
import { using } from "./durable-file.ts";
import { errorCode } from "./file-failure.ts";
import type { FileSystem } from "./file-system.ts";
import { type LockOwner, readOwner } from "./lock-owner.ts";
import { lockPaths, staleLockId } from "./lock-paths.ts";

/** A lock that somebody holds. */
export interface FoundHolder {
  readonly id: string;
  /** Absent where the lock does not say it in words that roster would have written. */
  readonly owner?: LockOwner;
  /** When the holder last gave a sign of life, in milliseconds by the file system's clock. */
  readonly seen: number;
}

/** Who holds a lock at this moment. */
export async function readLock(disk: FileSystem, lock: string): Promise<FoundHolder | "nobody"> {
  const names = await namesIn(disk, lock);
  const id = names.find((name) => /^[\w-]{1,64}$/u.test(name)) ?? names[0];
  if (id === undefined) return "nobody";
  if (id === staleLockId) return { id, seen: (await disk.look(lock)).modified };
  const { held, owner } = lockPaths(lock, id);
  const found = (await ifThere(disk.look(owner))) ?? (await ifThere(disk.look(held)));
  if (found === undefined) return "nobody";
  const text = new TextDecoder().decode(await ifThere(disk.read(owner)));
  const read = readOwner(text);
  return { id, seen: found.modified, ...(read?.id === id ? { owner: read } : {}) };
}

async function namesIn(disk: FileSystem, lock: string): Promise<readonly string[]> {
  try {
    return await disk.list(lock);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    if (errorCode(error) === "ENOTDIR") return [staleLockId];
    throw error;
  }
}

/** A holder in the words of every store, with its silence where the time could be learned. */
export function holderOf({ id, owner, seen }: FoundHolder, now: number | undefined): LockHolder {
  const silence = now === undefined ? {} : { silentFor: Math.max(0, now - seen) };
  if (owner === undefined) return { id, ...silence };
  const { who, pid, operation, since } = owner;
  return { id, who: `${who} (process ${pid})`, operation, since, ...silence };
}

/**
 * What time it is for the file system, in milliseconds: signs of life are told by its clock alone, since those of two
 * machines differ. Undefined where nothing can be written.
 */
export async function fileSystemTime(disk: FileSystem, lock: string, id: string): Promise<number | undefined> {
  const { now } = lockPaths(lock, id);
  try {
    await using(await disk.open(now, "create"), async () => undefined);
    const { modified } = await disk.look(now);
    await disk.remove(now);
    return modified;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

/** Undefined for what is not there. */
export async function ifThere<T>(step: Promise<T>): Promise<T | undefined> {
  try {
    return await step;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
