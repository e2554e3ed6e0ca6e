import { dirname } from "node:path";
import { type FileSystem, type OpenFile, syncDirectory, using } from "../../files/file-system.ts";
import { type Failure, problem, type Result, success } from "../../model/result.ts";
import type { StoredLog } from "../../ports/log.ts";
import type { HeldLock } from "./lock.ts";
import { attempt, ifThere, type LogFiles } from "./lock-files.ts";

/**
 * The files of the log at a path. A symbolic link is followed once, here, so that every path to a log leads to
 * the same lock and the link itself is never replaced by a file.
 */
export async function logFiles(disk: FileSystem, path: string): Promise<Result<LogFiles, Failure>> {
  const found = await attempt("found", path, () => ifThere(disk.look(path)));
  if (!found.ok) return found;
  switch (found.value?.kind) {
    case undefined:
    case "file":
      return success(filesAt(path));
    case "directory":
      return notAFile(path, "is a directory", "name a file in it, such as log.jsonl");
    case "other":
      return notAFile(path, "is not a file", "name a file");
    case "link": {
      const real = await attempt("found", path, () => disk.resolve(path));
      return real.ok ? logFiles(disk, real.value) : real;
    }
  }
}

function filesAt(path: string): LogFiles {
  return {
    directory: dirname(path),
    log: path,
    checkpoint: `${path}.checkpoint`,
    open: `${path}.open`,
    lock: `${path}.lock`,
    fence: `${path}.fence`,
  };
}

function notAFile(path: string, what: string, hint: string): Result<never, Failure> {
  return problem({ code: "state", message: `the log cannot be stored at ${path}: it ${what}`, request: path, hint });
}

/** Reads the lines behind the checkpoint, or all. The checkpoint is read first: what comes after it is never taken away again. */
export async function readLog(
  disk: FileSystem,
  files: LogFiles,
  from: "checkpoint" | "start",
): Promise<Result<StoredLog, Failure>> {
  const found = await readCheckpoint(disk, files.checkpoint);
  if (!found.ok) return found;
  const { bytes, text } = found.value ?? { bytes: 0, text: undefined };
  const [begin, checkpoint] = from === "start" ? [0, undefined] : [bytes, text];
  const read = await attempt("read", files.log, () => readLines(disk, files.log, { begin, least: bytes }));
  if (!read.ok) return read;
  if (read.value === "too short") return problem(cutOff(files.log));
  const lines = decodeText(read.value);
  return lines === undefined ? problem(notText(files.log)) : success({ checkpoint, lines: linesOf(lines) });
}

async function* linesOf(text: string): AsyncGenerator<Result<string, Failure>> {
  if (text !== "") yield success(text);
}

interface StoredCheckpoint {
  /** How many bytes of the log are in it. */
  readonly bytes: number;
  readonly text: string;
}

/** Undefined where there is none. Of a damaged one nothing is told but its text: the log is read from its start then. */
async function readCheckpoint(disk: FileSystem, path: string): Promise<Result<StoredCheckpoint | undefined, Failure>> {
  const bytes = await attempt("read", path, () => ifThere(disk.read(path)));
  if (!bytes.ok || bytes.value === undefined) return bytes.ok ? success(undefined) : bytes;
  const text = decodeText(bytes.value);
  const [header, length] = /^\{"bytes":(\d{1,15})\}\n/u.exec(text ?? "") ?? [];
  return success(
    text === undefined || header === undefined
      ? { bytes: 0, text: "" }
      : { bytes: Number(length), text: text.slice(header.length) },
  );
}

export function checkpointContent(bytes: number, text: string): readonly string[] {
  return [`{"bytes":${bytes}}\n`, text];
}

/** A last line that was cut short while it was written was never told to be durable. */
async function readLines(
  disk: FileSystem,
  path: string,
  { begin, least }: { readonly begin: number; readonly least: number },
): Promise<Uint8Array | "too short"> {
  const file = await ifThere(disk.open(path, "look"));
  if (file === undefined) return least === 0 ? new Uint8Array() : "too short";
  let found: Uint8Array | "too short" = "too short";
  await using(file, async () => {
    const size = await file.size();
    if (size >= least) found = await readRange(file, begin, size);
  });
  return found;
}

/** What a system reads at once, in bytes. */
const chunk = 64 * 1024 * 1024;

async function readRange(file: OpenFile, from: number, to: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (let place = from; place < to; ) {
    const part = await file.readAt(place, Math.min(chunk, to - place));
    if (part.length === 0) break;
    parts.push(part);
    place += part.length;
  }
  const whole = Buffer.concat(parts);
  return whole.subarray(0, whole.lastIndexOf(0x0a) + 1);
}

function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

const restore =
  "restore the file from a copy. Without a copy, name an empty place with --state and run `roster state rebuild`";

function notText(path: string): Failure {
  return { code: "state", message: "the log is damaged: it is not UTF-8", request: path, hint: restore };
}

function cutOff(path: string): Failure {
  const message = "a part of the log is missing: it ends before its checkpoint";
  return { code: "state", message, request: path, hint: restore };
}

/**
 * Prepares the log for the holder of its lock, before anything is read. Where a former holder has not given its lease back, it may still
 * be writing: the whole lines go to a new file that takes the place of the log, and what is written to the former one is nobody's. A last
 * line that was cut short goes in the same way.
 */
export async function takeOverLog(disk: FileSystem, files: LogFiles, lock: HeldLock): Promise<void> {
  const file = await ifThere(disk.open(files.log, "look"));
  if (file === undefined) return;
  const isOpen = (await ifThere(disk.look(files.open))) !== undefined;
  await using(file, async () => {
    const size = await file.size();
    const isWhole = size === 0 || (await file.readAt(size - 1, 1))[0] === 0x0a;
    if (isOpen || !isWhole) await copyWhole(disk, files, lock, file);
  });
}

async function copyWhole(disk: FileSystem, files: LogFiles, lock: HeldLock, from: OpenFile): Promise<void> {
  const draft = lock.own("log");
  await disk.remove(draft);
  await using(await disk.open(draft, "create"), async (file) => {
    await file.write(await readRange(from, 0, await from.size()));
    await file.sync();
  });
  await disk.rename(draft, files.log);
  await syncDirectory(disk, files.directory);
}

/** Opens the log for the lines of its holder, and makes it where it is missing. The mark comes first: a holder that dies leaves it. */
export async function openForAppend(disk: FileSystem, files: LogFiles, lock: HeldLock): Promise<OpenFile> {
  const mark = lock.own("open");
  await disk.remove(mark);
  await using(await disk.open(mark, "create"), async () => undefined);
  await disk.rename(mark, files.open);
  if ((await ifThere(disk.look(files.log))) !== undefined) return disk.open(files.log, "amend");
  const draft = lock.own("log");
  await disk.remove(draft);
  const file = await disk.open(draft, "create");
  try {
    await disk.rename(draft, files.log);
    await syncDirectory(disk, files.directory);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Takes the mark away again. Only a holder can. */
export async function removeMark(disk: FileSystem, files: LogFiles, lock: HeldLock): Promise<void> {
  await ifThere(disk.rename(files.open, lock.own("open")));
}
