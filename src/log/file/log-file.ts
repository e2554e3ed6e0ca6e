import { isUtf8 } from "node:buffer";
import { dirname } from "node:path";
import { type FileSystem, largestRead, type OpenFile, syncDirectory, using } from "../../files/file-system.ts";
import { type Failure, problem, type Result, success } from "../../model/failure.ts";
import type { StoredLog } from "../../ports/log.ts";
import { StoreError, stateError, tooLarge } from "../lock-holder.ts";
import { fileFailure, ifThere, onDisk } from "./failure.ts";
import type { HeldLock } from "./lock.ts";

/** The files of one log. All are in one directory, so that one can take the place of another in one step. */
export type LogFiles = ReturnType<typeof filesAt>;

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

/**
 * The files of the log at a path. A symbolic link is followed once, here, so that every path to a log leads to
 * the same lock and the link itself is never replaced by a file.
 */
export async function findFiles(disk: FileSystem, path: string): Promise<LogFiles> {
  const found = await onDisk("found", path, () => ifThere(disk.look(path)));
  switch (found?.kind) {
    case "link":
      return findFiles(disk, await onDisk("found", path, () => disk.resolve(path)));
    case "directory":
      throw notAFile(path, "is a directory", "name a file in it, such as log.jsonl");
    case "other":
      throw notAFile(path, "is not a file", "name a file");
    case "file":
    case undefined:
      return filesAt(path);
  }
}

function notAFile(path: string, what: string, hint: string): StoreError {
  return stateError(path, `the log cannot be stored at ${path}: it ${what}`, hint);
}

/** Reads the lines behind the checkpoint, or all. The checkpoint is read first: what comes after it is never taken away again. */
export async function readLog(
  disk: FileSystem,
  { log, checkpoint }: LogFiles,
  from: "checkpoint" | "start",
  chunk: number,
): Promise<StoredLog> {
  const { bytes, text } = await readCheckpoint(disk, checkpoint);
  return from === "start"
    ? { lines: readLines(disk, log, 0, bytes, chunk) }
    : { checkpoint: text, lines: readLines(disk, log, bytes, bytes, chunk) };
}

/** One that cannot be read, for whatever reason, is none: the log is read from its start then. */
async function readCheckpoint(
  disk: FileSystem,
  path: string,
): Promise<{ readonly bytes: number; readonly text?: string }> {
  const content = await onDisk("read", path, () => disk.read(path)).catch((error: unknown) => {
    if (error instanceof StoreError) return new Uint8Array();
    throw error;
  });
  const text = isUtf8(content) ? Buffer.from(content).toString("utf8") : "";
  const [header, bytes] = /^\{"bytes":(\d{1,15})\}\n/u.exec(text) ?? [];
  return header === undefined ? { bytes: 0 } : { bytes: Number(bytes), text: text.slice(header.length) };
}

export function checkpointContent(path: string, bytes: number, text: string): readonly string[] {
  const header = `{"bytes":${bytes}}\n`;
  if (Buffer.byteLength(text) + header.length > largestRead) throw tooLarge(path);
  return [header, text];
}

/** `least`: how long the log is at least, in bytes. */
async function* readLines(
  disk: FileSystem,
  path: string,
  begin: number,
  least: number,
  chunk: number,
): AsyncGenerator<Result<string, Failure>> {
  try {
    const file = await ifThere(disk.open(path, "look"));
    try {
      if (((await file?.size()) ?? 0) < least) throw stateError(path, cutOff, restore);
      if (file === undefined) return;
      for await (const lines of wholeLines(file, begin, chunk)) {
        if (!isUtf8(lines)) throw stateError(path, "the log is damaged: it is not UTF-8", restore);
        yield success(lines.toString("utf8"));
      }
    } finally {
      await file?.close();
    }
  } catch (error) {
    yield problem(fileFailure(error, "read", path));
  }
}

/** What a file holds from a place on. A last line that was cut short while it was written was never told to be durable. */
async function* wholeLines(file: OpenFile, begin: number, chunk: number): AsyncGenerator<Buffer> {
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

const cutOff = "a part of the log is missing: it ends before its checkpoint";
const restore =
  "restore the file from a copy. Without a copy, name an empty place with --state and run `roster state rebuild`";

/**
 * Prepares the log for the holder of its lock, before anything is read. Where a former holder has not given its lease back, it may still
 * be writing: the whole lines go to a new file that takes the place of the log, and what is written to the former one is nobody's. A last
 * line that was cut short goes in the same way.
 */
export async function takeOverLog(disk: FileSystem, files: LogFiles, lock: HeldLock, chunk: number): Promise<void> {
  const former = await ifThere(disk.open(files.log, "look"));
  if (former === undefined) return;
  const isOpen = (await ifThere(disk.look(files.open))) !== undefined;
  await using(former, async () => {
    const size = await former.size();
    const isWhole = size === 0 || (await former.readAt(size - 1, 1))[0] === 0x0a;
    if (isWhole && !isOpen) return;
    await using(await createOwn(disk, lock, "log"), async (copy) => {
      for await (const lines of wholeLines(former, 0, chunk)) await copy.write(lines);
      await copy.sync();
    });
    await putLog(disk, files, lock);
  });
}

/** Opens the log for the lines of its holder, and makes it where it is missing. The mark comes first: a holder that dies leaves it. */
export async function openForAppend(disk: FileSystem, files: LogFiles, lock: HeldLock): Promise<OpenFile> {
  await using(await createOwn(disk, lock, "open"), async () => undefined);
  await disk.rename(lock.own("open"), files.open);
  if ((await ifThere(disk.look(files.log))) !== undefined) return disk.open(files.log, "amend");
  const file = await createOwn(disk, lock, "log");
  try {
    await putLog(disk, files, lock);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Puts a new file with one line, and the lines of `from` that stand behind a position, in the place of the log. */
export async function replaceLines(
  disk: FileSystem,
  files: LogFiles,
  lock: HeldLock,
  { from, position, line, chunk }: { from: OpenFile; position: number; line: string; chunk: number },
): Promise<void> {
  // It says where in the file the lines behind it are.
  await disk.remove(files.checkpoint);
  await syncDirectory(disk, files.directory);
  const next = `{"position":${position + 1},`;
  let isBehind = false;
  await using(await createOwn(disk, lock, "log"), async (draft) => {
    await draft.write(`${line}\n`);
    for await (const lines of wholeLines(from, 0, chunk)) {
      const begin = lines.indexOf(next) === 0 ? 0 : lines.indexOf(`\n${next}`) + 1;
      const isHere = begin > 0 || lines.indexOf(next) === 0;
      if (isBehind || isHere) await draft.write(isBehind ? lines : lines.subarray(begin));
      isBehind ||= isHere;
    }
    await draft.sync();
  });
  await putLog(disk, files, lock);
}

/** Takes the mark away again. Only a holder can. */
export async function removeMark(disk: FileSystem, files: LogFiles, lock: HeldLock): Promise<void> {
  await ifThere(disk.rename(files.open, lock.own("open")));
}

/** A new file in the holder's own directory. What has the name already goes. */
async function createOwn(disk: FileSystem, lock: HeldLock, name: string): Promise<OpenFile> {
  const path = lock.own(name);
  await disk.remove(path);
  return disk.open(path, "create");
}

async function putLog(disk: FileSystem, { directory, log }: LogFiles, lock: HeldLock): Promise<void> {
  await disk.rename(lock.own("log"), log);
  await syncDirectory(disk, directory);
}
