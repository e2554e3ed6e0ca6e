import { dirname } from "node:path";
import { recordBeginning } from "../../codec/audit.ts";
import {
  errorCode,
  type FileSystem,
  localFiles,
  makeDirectory,
  type OpenFile,
  syncDirectory,
  systemErrorCode,
  using,
} from "../../files/file-system.ts";
import { UnusableFileError } from "../../files/regular-file.ts";
import { type Failure, problem, type Result, success } from "../../model/result.ts";
import type { AuditTrail } from "../../ports/state-store.ts";
import { auditFailure, whyNotBehind } from "../audit-failure.ts";

/** Keeps an audit trail in a file of JSON lines. */
export function fileAuditTrail(path: string, disk = localFiles): AuditTrail {
  let opened: AppendFile | undefined;
  return {
    address: `file:${path}`,
    last: () => attempt("read", path, () => readLastLine(disk, path, recordBeginning)),
    async append(lines, after) {
      const file = await attempt(
        "written",
        path,
        async () => opened ?? (await openToAppend(disk, path, recordBeginning)),
      );
      if (!file.ok) return file;
      opened = file.value;
      const stop = whyNotBehind(opened.last(), after, path);
      return stop === undefined ? attempt("written", path, () => file.value.append(lines)) : problem(stop);
    },
    read: () => attempt("read", path, () => readLines(disk, path)),
    close: async () => opened?.close(),
  };
}

async function attempt<T>(doing: "read" | "written", at: string, step: () => Promise<T>): Promise<Result<T, Failure>> {
  try {
    return success(await step());
  } catch (error) {
    const why = error instanceof UnusableFileError ? error.message : reasons[systemErrorCode(error)];
    return problem(auditFailure({ at, doing, why: why ?? systemErrorCode(error), hint: "repair this path" }));
  }
}

const reasons: Readonly<Record<string, string | undefined>> = {
  EACCES: "this user has no permission",
  EPERM: "this user has no permission",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EISDIR: "it is a directory",
  ENOTDIR: "a part of the path is not a directory",
};

/** A file of lines to which lines are added and in which none is changed. Errors are those of the system, with their code. */
export interface AppendFile {
  /** The last line, without its line feed; undefined where the file is empty. */
  last(): string | undefined;
  /** Durable when it resolves. */
  append(lines: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a file of lines, or makes it for its owner alone. The rest of a line that was cut short is taken away: it was never
 * durable. Fails where something else than a regular file is at the path, or where the rest does not begin as `beginning`,
 * with which every line begins: then it is a file of another program, and it stays as it is.
 */
async function openToAppend(disk: FileSystem, path: string, beginning: string): Promise<AppendFile> {
  await makeDirectory(disk, dirname(path));
  const file = await openOrCreate(disk, path);
  try {
    return appendFile(file, await cutToLastLine(file, beginning), await file.size());
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The last line of a file of lines, which is opened as to append; undefined where the file is missing or empty. */
async function readLastLine(disk: FileSystem, path: string, beginning: string): Promise<string | undefined> {
  const file = await openIfThere(disk, path, "amend");
  if (file === undefined) return undefined;
  try {
    return await cutToLastLine(file, beginning);
  } finally {
    await file.close();
  }
}

/** Bytes that are read at once. No text of this platform could hold a whole file that has grown for years. */
const chunkSize = 4 * 1024 * 1024;

/** Every whole line of a file, however large it is; none where the file is missing. Writes nothing. */
async function readLines(disk: FileSystem, path: string): Promise<readonly string[]> {
  const file = await openIfThere(disk, path, "look");
  if (file === undefined) return [];
  const lines: string[] = [];
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let rest = "";
  await using(file, async () => {
    for (let place = 0; ; ) {
      const chunk = await file.readAt(place, chunkSize);
      if (chunk.length === 0) return;
      place += chunk.length;
      const parts = `${rest}${decoder.decode(chunk, { stream: true })}`.split("\n");
      rest = parts.pop() ?? "";
      for (const line of parts) lines.push(line);
    }
  });
  return lines;
}

async function openOrCreate(disk: FileSystem, path: string): Promise<OpenFile> {
  const there = await openIfThere(disk, path, "amend");
  if (there !== undefined) return there;
  const made = await disk.open(path, "create");
  await syncDirectory(disk, dirname(path));
  return made;
}

async function openIfThere(disk: FileSystem, path: string, how: "amend" | "look"): Promise<OpenFile | undefined> {
  try {
    return await disk.open(path, how);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function appendFile(file: OpenFile, lastLine: string | undefined, start: number): AppendFile {
  let end = start;
  let last = lastLine;
  return {
    last: () => last,
    async append(lines) {
      if ((await file.size()) !== end) throw new UnusableFileError("EFTYPE", "another program wrote to it");
      const content = Buffer.from(lines.map((line) => `${line}\n`).join(""));
      await file.write(content, end);
      await file.datasync();
      end += content.length;
      last = lines.at(-1) ?? last;
    },
    close: () => file.close(),
  };
}

const lineFeed = 0x0a;

/** No line of roster is longer, in bytes. */
const longestLine = 4 * 1024 * 1024;

/** The last whole line. What comes after it was cut short, and goes. */
async function cutToLastLine(file: OpenFile, beginning: string): Promise<string | undefined> {
  const size = await file.size();
  for (let length = 64 * 1024; size > 0 && length <= longestLine; length *= 2) {
    const from = Math.max(0, size - length);
    const tail = await file.readAt(from, size - from);
    const end = tail.lastIndexOf(lineFeed);
    const before = end <= 0 ? -1 : tail.lastIndexOf(lineFeed, end - 1);
    if (from > 0 && before < 0) continue;
    if (end < tail.length - 1) {
      if (!isCutShort(tail.subarray(end + 1), beginning)) throw notOurs;
      await file.truncate(from + end + 1);
    }
    return end < 0 ? undefined : new TextDecoder().decode(tail.subarray(before + 1, end));
  }
  if (size > 0) throw notOurs;
  return undefined;
}

/** Whether a line that begins so was being written here. After a power failure, a file may end with zeros. */
function isCutShort(rest: Uint8Array, beginning: string): boolean {
  const text = new TextDecoder().decode(rest.subarray(0, beginning.length)).replace(/\0+$/u, "");
  return beginning.startsWith(text);
}

const notOurs = new UnusableFileError("EFTYPE", "its last line was written by another program");
