import { isUtf8 } from "node:buffer";
import { basename, dirname, join, resolve } from "node:path";
import { parseJson } from "../../codec/document.ts";
import { restoreHint } from "../../codec/state.ts";
import {
  errorCode,
  type FileSystem,
  largestRead,
  makeDirectory,
  type OpenFile,
  replaceFile,
  syncDirectory,
  systemErrorCode,
  using,
  writeDurably,
} from "../../files/file-system.ts";
import { ownName } from "../../files/own-name.ts";
import { definedFields } from "../../model/collections.ts";
import { isObject } from "../../model/json.ts";
import { type Clock, type Randomness, stopwatch } from "../../ports/clock.ts";
import {
  isStale,
  type LocalSystem,
  leaseLost,
  lockedBy,
  lockedByMany,
  lockField,
  lockFields,
  notHeldBy,
  overslept,
  type ProcessIdentity,
  startHeartbeat,
  thisMachine,
} from "../lock-holder.ts";
import { openLog } from "../log.ts";
import type { Lease, LockHolder, RosterLog, StoredLog } from "../port.ts";
import { orGiveBack, outcomeOf, StoreError, stateError, tooLarge } from "../store-error.ts";

interface FileStoreOptions {
  /** Where the log is kept; its checkpoint and its lock are next to it. */
  readonly path: string;
  readonly randomness: Randomness;
  readonly clock: Clock;
  /** Milliseconds between two signs of life of the lock's holder. */
  readonly signEvery?: number;
  readonly system?: LocalSystem | undefined;
}

export function fileStore(options: FileStoreOptions): RosterLog {
  const { path, randomness, clock, signEvery = 15_000, system = thisMachine } = options;
  const address = `file:${path}`;
  const onFiles = async <T>(work: (place: FilePlace) => Promise<T>) => {
    const log = await findLog(system.disk, resolve(path));
    return work({ address, system, disk: system.disk, clock, signEvery, ...filesAt(log) });
  };
  return openLog(
    {
      address,
      read: (from) => onFiles((place) => readLog(place, from)),
      lease: ({ operation, at }, { breakStaleAfter }) =>
        onFiles(async (place) => {
          const { disk, directory, lock, log } = place;
          await onDisk("written", directory, () => makeDirectory(disk, directory));
          const process = await system.identity();
          const who = `${ownName()}@${process.host}`;
          const owner = { ...process, id: randomness.identifier(), who, operation, since: at };
          const held = await onDisk("locked", lock, () => takeLock(place, owner, breakStaleAfter));
          await orGiveBack(held.release, () => onDisk("written", log, () => takeOverLog(held)));
          return fileLease(held);
        }),
      holder: () => onFiles((place) => onDisk("read", place.lock, () => readLock(place, randomness.identifier()))),
      breakLease: (id) => onFiles((place) => onDisk("unlocked", place.lock, () => breakLock(place, id))),
      close: async () => undefined,
    },
    options,
  );
}

function fileLease(lock: HeldLock): Lease {
  const { place } = lock;
  const { disk } = place;
  let opened: OpenFile | undefined;
  /** Where the log ends. Nobody else writes to this file. */
  let end = 0;
  let lost: StoreError | undefined;

  async function open(): Promise<OpenFile> {
    if (opened !== undefined) return opened;
    opened = await openForAppend(lock);
    lock.expectLog();
    end = await opened.size();
    return opened;
  }

  /** Nobody knows what is in a log that could not be written; a checkpoint can be done without. */
  async function changing(path: string, work: () => Promise<void>): Promise<void> {
    if (lost !== undefined) throw lost;
    try {
      await work();
    } catch (error) {
      const explained = await lock.explain(error, "written", path);
      if (path === place.log) lost = explained;
      throw explained;
    }
  }

  return {
    append: (lines) =>
      changing(place.log, async () => {
        const file = await open();
        // Asked before for the sake of what is read later, and after for the sake of the calls that follow.
        await lock.confirm();
        await file.write(lines, end);
        end += Buffer.byteLength(lines);
        await file.datasync();
        await lock.confirm();
      }),
    replaceBefore: (position, line) =>
      changing(place.log, async () => {
        const from = await open();
        await lock.confirm();
        await replaceLines(lock, from, position, line);
        opened = await disk.open(place.log, "amend");
        end = await opened.size();
        await from.close();
        await lock.confirm();
      }),
    checkpoint: (text) =>
      changing(place.checkpoint, async () => {
        const header = `{"bytes":${(await opened?.size()) ?? 0}}\n`;
        if (header.length + Buffer.byteLength(text) > largestRead) throw tooLarge(place.checkpoint);
        const draft = lock.own("checkpoint");
        await replaceFile(place.checkpoint, [header, text], { disk, draft, permissions: "owner" });
      }),
    async release() {
      await opened?.close().catch(() => undefined);
      // What failed may have left a part of a line: the next holder takes the log over as from one that died.
      if (opened !== undefined && lost === undefined)
        await disk.rename(place.open, lock.own("open")).catch(() => undefined);
      await lock.release();
    },
  };
}

interface FilePlace extends ReturnType<typeof filesAt> {
  readonly address: string;
  readonly system: LocalSystem;
  readonly disk: FileSystem;
  readonly clock: Clock;
  readonly signEvery: number;
}

/** All are in one directory, so that one can take the place of another in one step. */
function filesAt(log: string) {
  return {
    directory: dirname(log),
    log,
    /** A line that says how many bytes of the log are in it, then the checkpoint. */
    checkpoint: `${log}.checkpoint`,
    /** There from a holder's first line on until it gives its lease back in order. */
    open: `${log}.open`,
    /** A directory, there while somebody holds it. */
    lock: `${log}.lock`,
  };
}

/** A symbolic link is followed once, here: every path to a log leads to the same lock, and the link itself is never replaced by a file. */
async function findLog(disk: FileSystem, path: string): Promise<string> {
  const found = await onDisk("found", path, () => ifThere(disk.look(path)));
  switch (found?.kind) {
    case "link":
      return findLog(disk, await onDisk("found", path, () => disk.resolve(path)));
    case "directory":
      throw notAFile(path, "is a directory", "name a file in it, such as log.jsonl");
    case "other":
      throw notAFile(path, "is not a file", "name a file");
    case "file":
    case undefined:
      return path;
  }
}

function notAFile(path: string, what: string, hint: string): StoreError {
  return stateError(path, `the log cannot be stored at ${path}: it ${what}`, hint);
}

/** Reads the lines behind the checkpoint, or all. The checkpoint is read first: what comes after it is never taken away again. */
async function readLog(place: FilePlace, from: "checkpoint" | "start"): Promise<StoredLog> {
  const { bytes, text } = await readCheckpoint(place);
  return from === "start"
    ? { lines: readLines(place, 0, bytes) }
    : { checkpoint: text, lines: readLines(place, bytes, bytes) };
}

/** One that cannot be read, for whatever reason, is none: the log is read from its start then. */
async function readCheckpoint(place: FilePlace): Promise<{ readonly bytes: number; readonly text?: string }> {
  const { disk, checkpoint } = place;
  const read = await outcomeOf(() => onDisk("read", checkpoint, () => disk.read(checkpoint)));
  const content = read.ok && isUtf8(read.value) ? Buffer.from(read.value).toString("utf8") : "";
  const [header, bytes] = /^\{"bytes":(\d{1,15})\}\n/u.exec(content) ?? [];
  return header === undefined ? { bytes: 0 } : { bytes: Number(bytes), text: content.slice(header.length) };
}

/** `least`: how long the log is at least, in bytes. */
async function* readLines(place: FilePlace, begin: number, least: number): AsyncGenerator<string> {
  const { disk, log } = place;
  try {
    const file = await ifThere(disk.open(log, "look"));
    try {
      if (((await file?.size()) ?? 0) < least) throw stateError(log, cutOff, restoreHint);
      if (file === undefined) return;
      for await (const lines of wholeLines(file, begin)) {
        if (!isUtf8(lines)) throw stateError(log, "the log is damaged: it is not UTF-8", restoreHint);
        yield lines.toString("utf8");
      }
    } finally {
      await file?.close();
    }
  } catch (error) {
    throw fileError(error, "read", log);
  }
}

/** Bytes that are read at once. */
const chunk = 8 * 1024 * 1024;

/** What a file holds from a place on. A last line that was cut short while it was written was never told to be durable. */
async function* wholeLines(file: OpenFile, begin: number): AsyncGenerator<Buffer> {
  const end = await file.size();
  let rest: Uint8Array = Buffer.alloc(0);
  for (let place = begin; place < end; ) {
    const part = await file.readAt(place, Math.min(chunk, end - place));
    if (part.length === 0) return;
    place += part.length;
    const known = Buffer.concat([rest, part]);
    const whole = known.lastIndexOf("\n") + 1;
    if (whole > 0) yield known.subarray(0, whole);
    rest = known.subarray(whole);
  }
}

const cutOff = "the end of the log is missing: its checkpoint was written for a longer log";

/**
 * Prepares the log for the holder of its lock, before anything is read. Where a former holder has not given its lease back, it may still
 * be writing: the whole lines go to a new file that takes the place of the log, and what is written to the former one is nobody's. A last
 * line that was cut short goes in the same way.
 */
async function takeOverLog(lock: HeldLock): Promise<void> {
  const { disk, log, open } = lock.place;
  const former = await ifThere(disk.open(log, "look"));
  if (former === undefined) return;
  const isOpen = (await ifThere(disk.look(open))) !== undefined;
  await using(former, async () => {
    const size = await former.size();
    const isWhole = size === 0 || (await former.readAt(size - 1, 1))[0] === 0x0a;
    if (isWhole && !isOpen) return;
    await using(await createOwn(lock, "log"), async (copy) => {
      for await (const lines of wholeLines(former, 0)) await copy.write(lines);
      await copy.sync();
    });
    await putLog(lock);
  });
}

/** Opens the log for the lines of its holder, and makes it where it is missing. The mark comes first: a holder that dies leaves it. */
async function openForAppend(lock: HeldLock): Promise<OpenFile> {
  const { disk, log, open } = lock.place;
  await using(await createOwn(lock, "open"), async () => undefined);
  await disk.rename(lock.own("open"), open);
  if ((await ifThere(disk.look(log))) !== undefined) return disk.open(log, "amend");
  const file = await createOwn(lock, "log");
  await orGiveBack(
    () => file.close(),
    () => putLog(lock),
  );
  return file;
}

/** Puts a new file with one line, and the lines of `from` that stand behind a position, in the place of the log. */
async function replaceLines(lock: HeldLock, from: OpenFile, position: number, line: string): Promise<void> {
  const { disk, directory, checkpoint } = lock.place;
  // It says where in the file the lines behind it are.
  await disk.remove(checkpoint);
  await syncDirectory(disk, directory);
  const next = `{"position":${position + 1},`;
  let isBehind = false;
  await using(await createOwn(lock, "log"), async (draft) => {
    await draft.write(`${line}\n`);
    for await (const lines of wholeLines(from, 0)) {
      const begin = lines.indexOf(`\n${next}`) + 1;
      const isHere = begin > 0 || lines.indexOf(next) === 0;
      if (isBehind || isHere) await draft.write(isBehind ? lines : lines.subarray(begin));
      isBehind ||= isHere;
    }
    await draft.sync();
  });
  await putLog(lock);
}

/** A new file in the holder's own directory. What has the name already goes. */
async function createOwn({ place: { disk }, own }: HeldLock, name: string): Promise<OpenFile> {
  await disk.remove(own(name));
  return disk.open(own(name), "create");
}

async function putLog({ place: { disk, directory, log }, own }: HeldLock): Promise<void> {
  await disk.rename(own("log"), log);
  await syncDirectory(disk, directory);
}

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

function logDeleted(log: string): StoreError {
  return stateError(
    log,
    "the log of this run is not there any more: roster cannot record results, so it starts no more calls",
    "save the printed prefixes; restore the log from a backup, or run `roster state rebuild` to read the service",
  );
}

type LockOwner = ProcessIdentity & Required<Pick<LockHolder, "id" | "who" | "operation" | "since">>;

/** A lock that this process has taken. It gives signs of life until it is released, which do not keep the process alive. */
type HeldLock = Awaited<ReturnType<typeof begin>>;

/**
 * Takes a lock, or says who holds it. The lock of an owner who is provably dead, or silent for longer than wished, is
 * broken first; then it is anybody's. When it is taken, nobody who held it before can change anything any more.
 */
async function takeLock(place: FilePlace, owner: LockOwner, breakStaleAfter: number | undefined): Promise<HeldLock> {
  const { address, lock } = place;
  for (let round = 0; round < rounds; round += 1) {
    const holder = await readLock(place, owner.id);
    if (holder === "nobody") {
      if (await enter(place, owner)) return begin(place, owner);
      continue;
    }
    if (!isStale(holder, breakStaleAfter)) throw lockedBy(lock, holder, address);
    await breakHeld(place, holder.id);
  }
  throw lockedByMany(lock);
}

/** A lock that changes hands this often while one looks is not to be had. */
const rounds = 8;

/** Whole or not at all: a directory cannot be renamed into the place of one that holds anything. */
async function enter(place: FilePlace, owner: LockOwner): Promise<boolean> {
  const { disk, lock } = place;
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
    const holder = await readLock(place);
    if (holder !== "nobody") return holder.id === owner.id;
    if (["ENOTEMPTY", "EEXIST", "ENOENT"].includes(errorCode(error) ?? "")) return false;
    throw error;
  } finally {
    await disk.removeTree(prepared).catch(() => undefined);
  }
}

/** What former holders still had is removed before anything is read. */
async function begin(place: FilePlace, owner: LockOwner) {
  const { disk, clock, lock, signEvery } = place;
  const paths = lockPaths(lock, owner.id);
  const text = encodeOwner(owner);
  const glance = await disk.glance?.(lock);
  // What could not be written is written at the next beat: that the lock is lost is found before each write.
  const endHeartbeat = startHeartbeat(signEvery, async () => {
    await sendHeartbeat(disk, paths.owner, text).catch(() => undefined);
    return "held";
  });
  const isHeld = async () => glance?.(paths.owner) ?? isThere(disk, paths.owner);

  let isLogExpected = false;

  async function lost(): Promise<StoreError> {
    const holder = await readLock(place).catch(() => "nobody" as const);
    const isLogThere = await isThere(disk, place.log).catch(() => true);
    const isDeleted = isLogExpected && !isLogThere;
    return holder === "nobody" && isDeleted ? logDeleted(place.log) : leaseLost(lock, holder);
  }

  const held = {
    place,
    /**
     * A path in the holder's own directory. A run changes a file next to it by a rename out of, or into, this
     * directory, which fails once the lock was broken or taken over.
     */
    own: (name: string) => join(paths.held, name),
    /** From now on the log is there, unless somebody deletes it. */
    expectLog() {
      isLogExpected = true;
    },
    /** Throws where it is not held at this moment. To be called once something is durable, before it is acted on. */
    async confirm() {
      // A process that was stopped while it asked asks again, since others may have thought it dead in the meantime.
      for (let elapsed = Number.POSITIVE_INFINITY; elapsed > overslept; ) {
        const asked = stopwatch(clock);
        if (!(await isHeld())) throw await lost();
        elapsed = asked();
      }
    },
    /** Why a step failed: the lost lock, where it comes from that; a run without it finds none of its own files any more. */
    async explain(error: unknown, doing: string, path: string) {
      const explained = fileError(error, doing, path);
      return error instanceof StoreError || (await isHeld().catch(() => true)) ? explained : lost();
    },
    /** Never fails: a lock that cannot be given back is left for the next run, which finds its owner gone. */
    async release() {
      await endHeartbeat();
      await breakHeld(place, owner.id).catch(() => false);
    },
  };
  try {
    await removeStaleFiles(place, owner.id);
    return held;
  } catch (error) {
    const explained = await held.explain(error, "locked", lock);
    await held.release();
    throw explained;
  }
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

/** `asker`: an id of the asking process alone, which learns for how long the holder was silent where the time can be learned. */
async function readLock(place: FilePlace, asker?: string): Promise<LockHolder | "nobody"> {
  const { disk, lock, system } = place;
  const names = (await ifThere(disk.list(lock))) ?? [];
  const id = names.find((name) => /^[\w-]{1,64}$/u.test(name)) ?? names[0];
  if (id === undefined) return "nobody";
  const paths = lockPaths(lock, id);
  const seen = (await ifThere(disk.look(paths.owner))) ?? (await ifThere(disk.look(paths.held)));
  if (seen === undefined) return "nobody";
  const owner = decodeOwner(await ifThere(disk.read(paths.owner)), id);
  const now = asker === undefined ? undefined : await fileSystemTime(place, asker);
  const silentFor = now === undefined ? undefined : Math.max(0, now - seen.modified);
  const { who, pid, operation, since } = owner ?? {};
  const name = who === undefined ? undefined : `${who} (process ${pid})`;
  const hasEnded = owner !== undefined && (await system.isProvablyDead(owner)) ? true : undefined;
  return { id, ...definedFields({ who: name, operation, since, silentFor, hasEnded }) };
}

/** Signs of life are timed by the file system's clock alone, since those of two machines differ. Undefined where nothing can be written. */
async function fileSystemTime({ disk, lock }: FilePlace, id: string): Promise<number | undefined> {
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
  const value = parseJson(new TextDecoder().decode(content));
  const texts = lockFields(value, ["id", "who", "host", "operation", "since"]);
  if (!isObject(value) || texts?.id !== id) return undefined;
  const { pid } = value;
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid < 1) return undefined;
  const [boot, namespace, started] = ["boot", "namespace", "started"].map((name) => lockField(value, name));
  return { ...texts, pid, ...definedFields({ boot, namespace, started }) };
}

/** Breaks the lock of this id on a person's word, or says which id holds it. */
async function breakLock(place: FilePlace, id: string): Promise<LockHolder> {
  const { address, lock } = place;
  const holder = await readLock(place);
  if (holder === "nobody" || holder.id !== id) throw notHeldBy(lock, id, holder, address);
  if (await breakHeld(place, id)) return holder;
  throw notHeldBy(lock, id, "nobody");
}

/**
 * Ends one holding of a lock, and no other: false where it had ended already. Its run changes files by renaming them out
 * of, or into, its own directory alone; that is gone by this name at once, and for good before anybody else reads.
 */
async function breakHeld({ disk, lock }: FilePlace, id: string): Promise<boolean> {
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
async function removeStaleFiles({ disk, directory, lock }: FilePlace, id: string): Promise<void> {
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

/** What the file system refuses becomes a failure; any other error is a defect and is thrown on. `doing` completes "the log could not be …". */
async function onDisk<T>(doing: string, path: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw fileError(error, doing, path);
  }
}

/** Undefined for what is not there. */
async function ifThere<T>(step: Promise<T>): Promise<T | undefined> {
  try {
    return await step;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function fileError(error: unknown, doing: string, path: string): StoreError {
  if (error instanceof StoreError) return error;
  const code = systemErrorCode(error);
  const [why, hint] = explanations[code] ?? [`the system reports ${code}`, "check this path"];
  return stateError(path, `the log could not be ${doing} at ${path}: ${why}`, hint);
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
  EEXIST: ["something else is at this path", "move away what is at this path"],
  ENOENT: ["a part of the path is missing", "create the directory, or repair the symbolic link"],
  ELOOP: [
    "its symbolic links form a loop, or a file of roster is a symbolic link",
    "replace the symbolic link with a file",
  ],
  ENAMETOOLONG: ["the path is too long", "name a shorter path with --state"],
};
