import { basename, dirname, join } from "node:path";
import { errorCode, type FileSystem, systemErrorCode, using } from "../../files/file-system.ts";
import { type Failure, problem, type Result, success } from "../../model/result.ts";
import { definedFields } from "../../model/role-set.ts";
import type { LockHolder } from "../../model/state.ts";
import { type LocalSystem, lockField, notHeldBy, type ProcessIdentity, parseLock } from "../lease.ts";

/** The files of one log. All are in one directory, so that one can take the place of another in one step. */
export interface LogFiles {
  readonly directory: string;
  readonly log: string;
  /** A line that says how many bytes of the log are in it, then the checkpoint. */
  readonly checkpoint: string;
  /** There from a holder's first line on until it gives its lease back in order. */
  readonly open: string;
  /** A directory, there while somebody holds it. */
  readonly lock: string;
  /** How often the lock was taken so far. */
  readonly fence: string;
}

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
 * What time it is for the file system, in milliseconds: signs of life are timed by its clock alone, since those of two
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

/** Who holds a lock, as the lock tells it. */
export type LockOwner = ProcessIdentity & Required<Pick<LockHolder, "id" | "who" | "operation" | "since">>;

export function encodeOwner(owner: LockOwner): string {
  return `${JSON.stringify(owner, null, 2)}\n`;
}

/** Reads an owner back; undefined for anything that roster would not have written. */
function readOwner(text: string): LockOwner | undefined {
  const value = parseLock(text);
  if (value === undefined) return undefined;
  const [id, who, host] = [lockField(value, "id"), lockField(value, "who"), lockField(value, "host")];
  const [operation, since, pid] = [lockField(value, "operation"), lockField(value, "since"), Reflect.get(value, "pid")];
  if (id === undefined || who === undefined || host === undefined) return undefined;
  if (operation === undefined || since === undefined || !isProcessNumber(pid)) return undefined;
  const [boot, namespace, started] = ["boot", "namespace", "started"].map((name) => lockField(value, name));
  return { id, who, host, pid, operation, since, ...definedFields({ boot, namespace, started }) };
}

function isProcessNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}

/**
 * Where a lock and the runs that want it keep their files. The lock is a directory that holds nothing but the directory of
 * its holder, which is named by the holder's id: so one rename takes it whole or not at all, and one rename that names
 * the holder breaks this holding of it or none.
 *
 * That a former holder changes nothing rests on three things. A run replaces the checkpoint, the fence and their like only by
 * a rename out of, or into, its own directory. A run that breaks its lock renames that directory and removes it, and the
 * run that takes the lock next removes what is left of such directories before it reads: each change of a former holder was there
 * before, or fails. And what a run appends to the log it tells to be durable only if its directory is there
 * afterwards, so before anybody else has read; a log that its holder left open is copied, and the copy is continued.
 */
interface LockPaths {
  /** The holder's own directory, while it holds the lock. */
  readonly held: string;
  readonly owner: string;
  /** What is to become the lock. */
  readonly prepared: string;
  readonly preparedOwner: string;
  /** What was the holder's own directory, on its way out. */
  readonly gone: string;
  /** A file that is written only to learn what time it is for the file system. */
  readonly now: string;
}

export function lockPaths(lock: string, id: string): LockPaths {
  return {
    held: join(lock, id),
    owner: join(lock, id, "owner.json"),
    prepared: `${lock}.${id}.new`,
    preparedOwner: join(`${lock}.${id}.new`, id, "owner.json"),
    gone: `${lock}.${id}.gone`,
    now: `${lock}.${id}.now`,
  };
}

/** The id of a lock in whose place there is a file. */
const staleLockId = "unreadable";

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

/**
 * Runs a step on a file. What the file system refuses becomes a failure that names the path and says what to do;
 * anything else is a defect and is thrown on.
 */
export async function attempt<T>(doing: string, path: string, step: () => Promise<T>): Promise<Result<T, Failure>> {
  try {
    return success(await step());
  } catch (error) {
    return problem(fileFailure(error, doing, path));
  }
}

/** `doing` completes the sentence "the log could not be …". */
export function fileFailure(error: unknown, doing: string, path: string): Failure {
  const code = systemErrorCode(error);
  const [why, hint] = explanations[code] ?? [`the system reports ${code}`, "check this path"];
  return { code: "state", message: `the log could not be ${doing} at ${path}: ${why}`, request: path, hint };
}

const access = "give this user access to the path, or name another place with --state";
const room = "free some space and run again: earlier records are kept";

const explanations: Readonly<Record<string, readonly [why: string, hint: string] | undefined>> = {
  EACCES: ["this user has no permission", access],
  EPERM: ["this user has no permission", access],
  EROFS: ["the file system is read-only", "name a place on a writable file system with --state"],
  ENOSPC: ["the disk is full", room],
  EDQUOT: ["the disk quota is used up", room],
  EIO: ["the disk fails", "repair the disk and run again: earlier records are kept"],
  EISDIR: ["it is a directory", "name a file in it, such as log.jsonl"],
  ENOTDIR: ["a part of the path is not a directory", "name a path whose directories can be created"],
  EFTYPE: ["it is a pipe, a device or the like", "name a regular file, or remove what is in its place"],
  EFBIG: [
    "it is larger than any checkpoint that roster writes",
    "check the file, and restore it from a copy if it is damaged",
  ],
  EEXIST: ["something else is at this path", "move away what is at this path"],
  ENOENT: ["a part of the path is missing", "create the directory, or repair the symbolic link"],
  ELOOP: [
    "its symbolic links form a loop, or a file of roster is a symbolic link",
    "replace the symbolic link with a file",
  ],
  ENAMETOOLONG: ["the path is too long", "name a shorter path with --state"],
};
