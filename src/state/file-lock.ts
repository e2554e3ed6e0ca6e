import { link, open, readFile, rename, rm } from "node:fs/promises";
import type { Failure } from "../model/failure.ts";
import { problem, type Result, success } from "../model/result.ts";
import type { LockHolder } from "../ports/state-store.ts";
import { attempt, errorCode } from "./file-failure.ts";
import { type LockOwner, lockedBy, lockedBySomebody, notHeldBy, readOwner } from "./lock-owner.ts";
import { isProvablyDead } from "./process-identity.ts";

/** A lock that this process holds. */
export interface FileLock {
  /** Never fails: a lock that cannot be removed is left for the next run, which finds its owner gone. */
  release(): Promise<void>;
}

/**
 * Takes a lock, or says who holds it. The lock of an owner who is provably dead is taken over, by one taker only:
 * whoever wants it must first hold a guard named after that dead owner, and look again.
 */
export async function takeLock(file: string, owner: LockOwner): Promise<Result<FileLock, Failure>> {
  const taken = await attempt("locked", file, () => take(file, owner));
  return taken.ok ? taken.value : taken;
}

/** Who holds a lock, as far as its file tells. */
export function holderOf(file: string): Promise<Result<LockHolder | "nobody", Failure>> {
  return attempt("read", file, async () => {
    const held = await readHeld(file);
    if (held === "gone") return "nobody";
    if (held === "unreadable") return { id: "unreadable" };
    const { id, who, operation, since } = held;
    return { id, who, operation, since };
  });
}

/** Removes the lock of this id, or says which id holds it. */
export async function breakLock(file: string, id: string): Promise<Result<LockHolder, Failure>> {
  const held = await holderOf(file);
  if (!held.ok) return held;
  const holder = held.value;
  if (holder === "nobody" || holder.id !== id) return problem(notHeldBy(file, id, holder));
  const removed = await attempt("unlocked", file, () => rm(file, { force: true }));
  return removed.ok ? success(holder) : removed;
}

async function take(file: string, owner: LockOwner): Promise<Result<FileLock, Failure>> {
  for (let round = 0; round < rounds; round += 1) {
    if (await create(file, owner)) return success(lockAt(file, owner));
    const held = await readHeld(file);
    if (held === "gone") continue;
    if (held === "unreadable") return problem(lockedBySomebody(file));
    if (!(await isProvablyDead(held))) return problem(lockedBy(file, held));
    const over = await takeOver(file, held, owner);
    if (over !== "moved on") return over;
  }
  return problem(lockedBySomebody(file));
}

/** A lock that changes hands this often while one looks is not to be had. */
const rounds = 8;

async function takeOver(
  file: string,
  dead: LockOwner,
  owner: LockOwner,
): Promise<Result<FileLock, Failure> | "moved on"> {
  const guard = await take(`${file}.${dead.id}`, owner);
  if (!guard.ok) return guard;
  try {
    const held = await readHeld(file);
    if (typeof held === "string" || held.id !== dead.id) return "moved on";
    const written = await writeAside(file, owner);
    await rename(written, file);
    return success(lockAt(file, owner));
  } finally {
    await guard.value.release();
  }
}

/** Creates the lock whole or not at all, so that nobody ever reads half of it. */
async function create(file: string, owner: LockOwner): Promise<boolean> {
  const written = await writeAside(file, owner);
  try {
    await link(written, file);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === "EEXIST") return false;
    if (code === "EPERM" || code === "ENOTSUP" || code === "ENOSYS") return await createWithoutLink(file, owner);
    throw error;
  } finally {
    await rm(written, { force: true });
  }
}

/** Where the file system knows no links, a lock whose owner dies while writing it stays for a person to remove. */
async function createWithoutLink(file: string, owner: LockOwner): Promise<boolean> {
  try {
    await writeNew(file, owner);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

async function writeAside(file: string, owner: LockOwner): Promise<string> {
  const path = `${file}.${owner.id}.new`;
  await rm(path, { force: true });
  await writeNew(path, owner);
  return path;
}

async function writeNew(path: string, owner: LockOwner): Promise<void> {
  const handle = await open(path, "wx", 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(owner, null, 2)}\n`);
    // A crash must not leave an empty lock that nobody can tell the owner of.
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function readHeld(file: string): Promise<LockOwner | "gone" | "unreadable"> {
  try {
    return readOwner(await readFile(file, "utf8")) ?? "unreadable";
  } catch (error) {
    if (errorCode(error) === "ENOENT") return "gone";
    throw error;
  }
}

function lockAt(file: string, owner: LockOwner): FileLock {
  return {
    async release() {
      const held = await readHeld(file).catch(() => "unreadable" as const);
      if (typeof held !== "string" && held.id === owner.id) await rm(file, { force: true }).catch(() => undefined);
    },
  };
}
