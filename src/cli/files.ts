import { lstat, mkdir, realpath, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { errorCode, replaceFile, systemErrorCode } from "../files/file-system.ts";
import { openRegular, readRegularFile, whyUnread } from "../files/regular-file.ts";
import { invalidSetting, type RosterError, stopError } from "../library/error.ts";
import { hasRosterName } from "../library/roster-files.ts";
import type { FileToWrite } from "../roster/import/files.ts";
import { maxFileBytes } from "../yaml/source-text.ts";
import { type Host, readStandardInput } from "./host.ts";
import { refuseLedOut } from "./trust.ts";

export interface OutKind {
  readonly name: "plan file" | "snapshot";
  readonly mark: string;
}

export async function refuseOccupied(path: string, host: Host, { name, mark }: OutKind): Promise<void> {
  if (path === "-") {
    const message = "A plan file is private: roster does not write it to standard output.";
    const hint = "Use --out FILE, or print the plan with `roster plan --format json`.";
    throw invalidSetting("bad-flag-value", message, hint);
  }
  if (hasRosterName(path)) {
    const message = `The ${name} cannot be written to ${path}: roster reads files with this name as roster files.`;
    const hint = `Name another file with --out, such as ${name === "snapshot" ? "snapshot" : "plan"}.json.`;
    throw invalidSetting("bad-flag-value", message, hint);
  }
  await refuseLedOut([path], host);
  const at = resolve(host.cwd, path);
  const kindOfFile = async () => {
    if (!(await lstat(at)).isFile()) return "is no regular file";
    return (await beginningOfFile(at, mark.length)).toString("latin1") === mark ? undefined : `is no ${name}`;
  };
  const found = await kindOfFile().catch((error: unknown) => {
    if (errorCode(error) === "ENOENT") return undefined;
    throw outUnwritable(path, error);
  });
  if (found === undefined) return;
  const message = `${path} ${found}. roster overwrites only a ${name} with a new one.`;
  throw invalidSetting("file-exists", message, "Name another file with --out.");
}

/** Puts a file into its place, for its owner alone: whole, or not at all. */
export async function writeOut(path: string, text: string, host: Host, kind: OutKind): Promise<void> {
  await refuseOccupied(path, host, kind);
  try {
    await replaceFile(resolve(host.cwd, path), [text], { permissions: "owner" });
  } catch (error) {
    throw outUnwritable(path, error);
  }
}

function outUnwritable(path: string, error: unknown): RosterError {
  const code = systemErrorCode(error);
  const first = code === "ENOENT" ? `Create the directory ${dirname(path)}` : makeWay(path, code);
  return unwritable(path, code, `${first}, or name another file with --out.`);
}

function unwritable(path: string, why: string, hint?: string): RosterError {
  return stopError("failed", "unwritable", `${path} cannot be written: ${why}`, hint);
}

function makeWay(path: string, code: string): string {
  const isRefused = ["EACCES", "EPERM", "EROFS"].includes(code);
  return isRefused ? `Check the permissions of ${dirname(path)}` : "Remove what is in the way";
}

function directoryUnwritable(path: string, code: string): RosterError {
  return unwritable(path, code, `${makeWay(path, code)}, or name another directory.`);
}

/** Writes files that are not there yet, below a directory: all of them, or none. Their paths as a person would write them. */
export async function writeNewFiles(
  directory: string,
  files: readonly FileToWrite[],
  host: Host,
): Promise<readonly string[]> {
  const paths = files.map(({ file }) => join(directory, file));
  await refuseLedOut(paths, host);
  const there: string[] = [];
  for (const path of paths) {
    const found = await lstat(resolve(host.cwd, path)).catch((error: unknown) => {
      if (errorCode(error) !== "ENOENT") throw directoryUnwritable(path, systemErrorCode(error));
    });
    if (found !== undefined) there.push(path);
  }
  if (there.length > 0) throw neverOverwritten(there);
  const written: string[] = [];
  try {
    for (const { file, text } of files) {
      const path = resolve(host.cwd, directory, file);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text, { flag: "wx" });
      written.push(path);
    }
    return paths;
  } catch (error) {
    for (const path of written) await rm(path, { force: true });
    const path = paths[written.length] ?? directory;
    const code = systemErrorCode(error);
    if (code === "EEXIST") throw neverOverwritten([path]);
    throw directoryUnwritable(path, code);
  }
}

function neverOverwritten(there: readonly string[]): RosterError {
  const which = `${there.join(", ")} ${there.length === 1 ? "is" : "are"}`;
  const message = `${which} there already, and roster does not overwrite files. Nothing was written.`;
  return invalidSetting("file-exists", message, "Name another directory.");
}

/** A file that is there keeps its old content or has its new one, whole, whatever happens. */
export async function writeOver(file: string, bytes: Uint8Array, isNew: "new" | "there", host: Host): Promise<void> {
  const path = resolve(host.cwd, file);
  await refuseLedOut([file], host);
  try {
    if (isNew === "there") return await replaceFile(await realpath(path), [bytes], { permissions: "kept" });
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes, { flag: "wx" });
  } catch (error) {
    throw unwritable(file, systemErrorCode(error));
  }
}

/** What is in a file that a person names; `-` is standard input. Throws why it cannot be read. */
export async function readInput(
  path: string,
  { what, largest = maxFileBytes, hint }: { readonly what: string; readonly largest?: number; readonly hint?: string },
  host: Host,
): Promise<Buffer> {
  const unreadable = (why: string) => {
    const message = why === "ENOENT" ? `${path} does not exist.` : `The ${what} ${path} cannot be read: ${why}.`;
    return invalidSetting("unreadable-file", message, hint);
  };
  const reading =
    path === "-" ? readStandardInput(host.stdin(), () => largest) : readRegularFile(resolve(host.cwd, path), largest);
  const bytes = await reading.catch((error: unknown) => {
    throw unreadable(whyUnread(error));
  });
  if (bytes.length > largest) throw unreadable(`it is larger than ${largest / 1024 ** 2} MiB`);
  return bytes;
}

export async function beginningOfFile(at: string, length: number): Promise<Buffer> {
  const file = await openRegular(at);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
