import { basename, dirname, join } from "node:path";
import { errorCode, type FileSystem, using, writeDurably } from "../../files/file-system.ts";
import { definedFields } from "../../model/collections.ts";
import type { Failure } from "../../model/failure.ts";
import type { LockHolder } from "../../model/state.ts";
import { type Clock, stopwatch } from "../../ports/clock.ts";
import type { LockOptions } from "../../ports/log.ts";
import {
  type LocalSystem,
  leaseLost,
  lockedBy,
  lockedByMany,
  lockField,
  lockFields,
  notHeldBy,
  overslept,
  type ProcessIdentity,
  parseLock,
  StoreError,
  startHeartbeat,
} from "../lock-holder.ts";
import { fileFailure, ifThere } from "./failure.ts";

/**
 * Where a lock and the runs that want it keep their files. The lock is a directory that holds nothing but the directory of
 * its holder, which is named by the holder's id: so one rename takes it whole or not at all, and one rename that names
 * the holder breaks this holding of it or none.
 *
 * That a former holder changes nothing rests on three things. A run replaces the checkpoint and its like only by
 * a rename out of, or into, its own directory. A run that breaks its lock renames that directory and removes it, and the
 * run that takes the lock next removes what is left of such directories before it reads: each change of a former holder was there
 * before, or fails. And what a run appends to the log it tells to be durable only if its directory is there
 * afterwards, so before anybody else has read; a log that its holder left open is copied, and the copy is continued.
 */
function lockPaths(lock: string, id: string) {
  return {
    /** The holder's own directory, while it holds the lock. */
    held: join(lock, id),
    owner: join(lock, id, "owner.json"),
    /** What is to become the lock. */
    prepared: `${lock}.${id}.new`,
    preparedOwner: join(`${lock}.${id}.new`, id, "owner.json"),
    /** What was the holder's own directory, on its way out. */
    gone: `${lock}.${id}.gone`,
    /** A file that is written only to learn what time it is for the file system. */
    now: `${lock}.${id}.now`,
  };
}

/** Who holds a lock, as the lock tells it. */
export type LockOwner = ProcessIdentity & Required<Pick<LockHolder, "id" | "who" | "operation" | "since">>;

/** A lock that this process has taken. It gives signs of life until it is released, which do not keep the process alive. */
export interface HeldLock {
  /**
   * A path in the holder's own directory. A run changes a file next to it by a rename out of, or into, this
   * directory, which fails once the lock was broken or taken over.
   */
  own(name: string): string;
  /** Throws where it is not held at this moment. To be called once something is durable, before it is acted on. */
  confirm(): Promise<void>;
  /** Why a step failed: the lost lock, where it comes from that; a run without it finds none of its own files any more. */
  explain(error: unknown, doing: string, path: string): Promise<Failure>;
  /** Never fails: a lock that cannot be given back is left for the next run, which finds its owner gone. */
  release(): Promise<void>;
}

interface LockTaking extends LockOptions {
  readonly system: LocalSystem;
  readonly clock: Clock;
  readonly owner: LockOwner;
  /** Milliseconds between two signs of life. */
  readonly signEvery: number;
}

/**
 * Takes a lock, or says who holds it. The lock of an owner who is provably dead, or silent for longer than wished, is
 * broken first; then it is anybody's. When it is taken, nobody who held it before can change anything any more.
 */
export async function takeLock(lock: string, taking: LockTaking): Promise<HeldLock> {
  const { system, owner, breakStaleAfter } = taking;
  const { disk } = system;
  for (let round = 0; round < rounds; round += 1) {
    const found = await readLock(disk, lock, owner.id);
    if (found === "nobody") {
      if (await enter(disk, lock, owner)) return begin(lock, taking);
      continue;
    }
    const { id, silentFor } = found.holder;
    const isDead = found.owner !== undefined && (await system.isProvablyDead(found.owner));
    const isSilent = breakStaleAfter !== undefined && silentFor !== undefined && silentFor > breakStaleAfter;
    if (!isDead && !isSilent) throw lockedBy(lock, found.holder);
    await breakHeld(disk, lock, id);
  }
  throw lockedByMany(lock);
}

/** A lock that changes hands this often while one looks is not to be had. */
const rounds = 8;

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
    // Systems differ in what they call a directory that is in the way; and one that asks another machine may do a rename, lose the
    // answer, ask again, and hear that there is nothing to rename.
    const held = await readLock(disk, lock);
    if (held !== "nobody") return held.holder.id === owner.id;
    if (["ENOTEMPTY", "EEXIST", "ENOENT"].includes(errorCode(error) ?? "")) return false;
    throw error;
  } finally {
    await disk.removeTree(prepared).catch(() => undefined);
  }
}

/** What former holders still had is removed before anything is read. */
async function begin(lock: string, taking: LockTaking): Promise<HeldLock> {
  const { system, owner } = taking;
  const held = holdLock(lock, taking, await system.disk.glance?.(lock));
  try {
    await removeStaleFiles(system.disk, lock, owner.id);
    return held;
  } catch (error) {
    const failure = await held.explain(error, "locked", lock);
    await held.release();
    throw new StoreError(failure);
  }
}

function holdLock(
  lock: string,
  { system: { disk }, clock, owner, signEvery }: LockTaking,
  glance: ((path: string) => boolean) | undefined,
): HeldLock {
  const paths = lockPaths(lock, owner.id);
  const text = encodeOwner(owner);
  // What could not be written is written at the next beat: that the lock is lost is found before each write.
  const endHeartbeat = startHeartbeat(signEvery, async () => {
    await sendHeartbeat(disk, paths.owner, text).catch(() => undefined);
    return "held";
  });
  const isHeld = async () => glance?.(paths.owner) ?? isThere(disk, paths.owner);

  async function lost(): Promise<StoreError> {
    const held = await readLock(disk, lock).catch(() => "nobody" as const);
    return leaseLost(lock, held === "nobody" ? held : held.holder);
  }

  return {
    own: (name) => join(paths.held, name),
    async confirm() {
      // A process that was stopped while it asked asks again, since others may have thought it dead in the meantime.
      for (let elapsed = Number.POSITIVE_INFINITY; elapsed > overslept; ) {
        const asked = stopwatch(clock);
        if (!(await isHeld())) throw await lost();
        elapsed = asked();
      }
    },
    async explain(error, doing, path) {
      const failure = fileFailure(error, doing, path);
      if (error instanceof StoreError || (await isHeld().catch(() => true))) return failure;
      return (await lost()).failure;
    },
    async release() {
      await endHeartbeat();
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

/** Who holds a lock at this moment. */
export async function readHolder(disk: FileSystem, lock: string, asker: string): Promise<LockHolder | "nobody"> {
  const held = await readLock(disk, lock, asker);
  return held === "nobody" ? held : held.holder;
}

interface FoundHolder {
  readonly holder: LockHolder;
  /** Undefined where the lock does not say it in words that roster would have written. */
  readonly owner: LockOwner | undefined;
}

/** `asker`: an id of the asking process alone, which learns for how long the holder was silent where the time can be learned. */
async function readLock(disk: FileSystem, lock: string, asker?: string): Promise<FoundHolder | "nobody"> {
  const names = (await ifThere(disk.list(lock))) ?? [];
  const id = names.find((name) => /^[\w-]{1,64}$/u.test(name)) ?? names[0];
  if (id === undefined) return "nobody";
  const paths = lockPaths(lock, id);
  const seen = (await ifThere(disk.look(paths.owner))) ?? (await ifThere(disk.look(paths.held)));
  if (seen === undefined) return "nobody";
  const owner = decodeOwner(await ifThere(disk.read(paths.owner)), id);
  const now = asker === undefined ? undefined : await fileSystemTime(disk, lock, asker);
  const silentFor = now === undefined ? undefined : Math.max(0, now - seen.modified);
  const { who, pid, operation, since } = owner ?? {};
  const name = who === undefined ? undefined : `${who} (process ${pid})`;
  return { holder: { id, ...definedFields({ who: name, operation, since, silentFor }) }, owner };
}

/**
 * What time it is for the file system, in milliseconds: signs of life are timed by its clock alone, since those of two
 * machines differ. Undefined where nothing can be written.
 */
async function fileSystemTime(disk: FileSystem, lock: string, id: string): Promise<number | undefined> {
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

function encodeOwner(owner: LockOwner): string {
  return `${JSON.stringify(owner, null, 2)}\n`;
}

/** Undefined for anything that roster would not have written. */
function decodeOwner(content: Uint8Array | undefined, id: string): LockOwner | undefined {
  const value = parseLock(new TextDecoder().decode(content));
  const texts = lockFields(value, ["id", "who", "host", "operation", "since"]);
  const pid: unknown = value && Reflect.get(value, "pid");
  if (value === undefined || texts?.id !== id) return undefined;
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid < 1) return undefined;
  const [boot, namespace, started] = ["boot", "namespace", "started"].map((name) => lockField(value, name));
  return { ...texts, pid, ...definedFields({ boot, namespace, started }) };
}

/** Breaks the lock of this id on a person's word, or says which id holds it. */
export async function breakLock(disk: FileSystem, lock: string, id: string): Promise<LockHolder> {
  const held = await readLock(disk, lock);
  const holder = held === "nobody" ? held : held.holder;
  if (holder === "nobody" || holder.id !== id) throw notHeldBy(lock, id, holder);
  if (await breakHeld(disk, lock, id)) return holder;
  throw notHeldBy(lock, id, "nobody");
}

/**
 * Ends one holding of a lock, and no other: false where it had ended already. Its run changes files by renaming them out
 * of, or into, its own directory alone; that is gone by this name at once, and for good before anybody else reads.
 */
async function breakHeld(disk: FileSystem, lock: string, id: string): Promise<boolean> {
  const { held, gone } = lockPaths(lock, id);
  const broken = await ifThere(disk.rename(held, gone).then(() => true));
  if (broken === undefined) return false;
  await disk.removeTree(gone);
  await disk.removeEmpty(lock).catch(() => undefined);
  return true;
}

/**
 * Removes what former holders left, and what those left long ago who died while they wanted the lock. To be done by who has taken
 * the lock, before anything is read: a former holder that is stopped in the middle of a rename cannot end it after this.
 */
async function removeStaleFiles(disk: FileSystem, lock: string, id: string): Promise<void> {
  const directory = dirname(lock);
  const { owner } = lockPaths(lock, id);
  const names = (await disk.list(directory)).filter((name) => name.startsWith(`${basename(lock)}.`));
  if (names.length === 0) return;
  const now = (await disk.look(owner)).modified;
  for (const name of names) {
    const path = join(directory, name);
    const found = await ifThere(disk.look(path));
    if (name.endsWith(".gone") || (found !== undefined && now - found.modified > longest)) await disk.removeTree(path);
  }
}

/** Nobody is on the way to a lock for this many milliseconds. */
const longest = 3_600_000;
