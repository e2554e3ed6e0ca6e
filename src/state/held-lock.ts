import { join } from "node:path";
import type { Failure } from "../model/failure.ts";
import { using } from "./durable-file.ts";
import { errorCode } from "./file-failure.ts";
import type { FileSystem } from "./file-system.ts";
import { breakHeld } from "./lock-breaking.ts";
import { lockLost } from "./lock-failures.ts";
import { holderOf, readLock } from "./lock-look.ts";
import { encodeOwner, type LockOwner } from "./lock-owner.ts";
import { lockPaths } from "./lock-paths.ts";

/** A lock that this process has taken. */
export interface HeldLock {
  /**
   * A path in the holder's own directory. Whoever changes a file beside it does so by a rename out of, or into, this
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

export interface HeartbeatOptions {
  readonly owner: LockOwner;
  /** Milliseconds between two signs of life. */
  readonly signEvery: number;
}

/** Gives signs of life until it is released or lost. They do not keep the process alive. */
export function holdLock(disk: FileSystem, lock: string, { owner, signEvery }: HeartbeatOptions): HeldLock {
  const paths = lockPaths(lock, owner.id);
  const text = encodeOwner(owner);
  let sign: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    sign = sign.then(() => sendHeartbeat(disk, paths.owner, text)).catch(() => undefined);
  }, signEvery);
  timer.unref();
  return {
    own: (name) => join(paths.held, name),
    isHeld: () => isThere(disk, paths.owner),
    async lost() {
      const held = await readLock(disk, lock).catch(() => "nobody" as const);
      return lockLost(lock, held === "nobody" ? held : holderOf(held, undefined));
    },
    async release() {
      clearInterval(timer);
      await sign;
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
