import { type FileHandle, lstat, mkdir, open, readdir, realpath, rename, rm, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import { type Failure, problem, type Result, success } from "../../model/result.ts";
import { openRegular, openRegularOrDirectory, readRegularFile } from "../regular-file.ts";

/** Makes a directory for its owner alone, durably, with what is missing above it. */
export async function makeDirectory(disk: FileSystem, directory: string): Promise<void> {
  const first = await disk.makeDirectory(directory);
  if (first === undefined) return;
  for (let made = directory; made.length >= first.length; made = dirname(made))
    await syncDirectory(disk, dirname(made));
}

/** Makes what was created, renamed or removed in a directory durable. */
export async function syncDirectory(disk: FileSystem, directory: string): Promise<void> {
  try {
    await using(await disk.open(directory, "look"), (file) => file.sync());
  } catch (error) {
    // Some file systems, and Windows, keep directories durable without being asked, and refuse to be asked.
    if (!["EINVAL", "EISDIR", "EPERM", "ENOTSUP"].includes(errorCode(error) ?? "")) throw error;
  }
}

/** A new file with this text, durable but for its name. What has the name already goes. */
export async function writeWhole(disk: FileSystem, path: string, text: string): Promise<void> {
  await disk.remove(path);
  await using(await disk.open(path, "create"), async (file) => {
    await file.write(text);
    await file.sync();
  });
}

/** Works with a file, and closes it. */
export async function using(file: OpenFile, work: (file: OpenFile) => Promise<void>): Promise<void> {
  try {
    await work(file);
  } finally {
    await file.close();
  }
}

/** What the file store asks of a file system. Errors are those of the system, with their code. */
export interface FileSystem {
  /** Makes a directory for its owner alone, with what is missing above it; tells the first that it made. */
  makeDirectory(path: string): Promise<string | undefined>;
  /** `create`: a new file for its owner alone, which must not be there. `amend`: to write within what is there. */
  open(path: string, how: "create" | "amend" | "look"): Promise<OpenFile>;
  /** Fails where it is no regular file. */
  read(path: string): Promise<Uint8Array>;
  list(directory: string): Promise<readonly string[]>;
  /** Does not follow a symbolic link. */
  look(path: string): Promise<FileStat>;
  /** The path behind every symbolic link. */
  resolve(path: string): Promise<string>;
  rename(from: string, to: string): Promise<void>;
  /** A file that is not there is no error. */
  remove(path: string): Promise<void>;
  /** Fails where the directory holds anything. */
  removeEmpty(directory: string): Promise<void>;
  /** A directory with all that it holds, or a file; what is not there is no error. */
  removeTree(path: string): Promise<void>;
}

export interface OpenFile {
  /** At its end, or at a place within. */
  write(text: string, place?: number): Promise<void>;
  sync(): Promise<void>;
  /** Like sync, but for what reading the content back does not need. */
  datasync(): Promise<void>;
  close(): Promise<void>;
}

export interface FileStat {
  readonly kind: "file" | "directory" | "link" | "other";
  readonly size: number;
  /** When it was last written to, in milliseconds by the file system's own clock. */
  readonly modified: number;
}

/** No state and no journal is larger, in bytes. */
const largest = 256 * 1024 * 1024;

const openings: Readonly<Record<"create" | "amend" | "look", (path: string) => Promise<FileHandle>>> = {
  create: (path) => open(path, "wx", 0o600),
  amend: (path) => openRegular(path, "read-and-write"),
  look: openRegularOrDirectory,
};

/** The file system of this machine. */
export const localFiles: FileSystem = {
  makeDirectory: (path) => makeDirectories(path, mkdir),
  async open(path, how) {
    const handle = await openings[how](path);
    return {
      async write(text, place) {
        if (place === undefined) await handle.writeFile(text);
        else await handle.write(text, place);
      },
      sync: () => handle.sync(),
      datasync: () => handle.datasync(),
      close: () => handle.close(),
    };
  },
  read: (path) => readRegularFile(path, largest),
  list: (directory) => readdir(directory),
  async look(path) {
    const found = await lstat(path);
    return { kind: kindOf(found), size: found.size, modified: found.mtimeMs };
  },
  resolve: (path) => realpath(path),
  rename: (from, to) => rename(from, to),
  remove: (path) => rm(path, { force: true }),
  removeEmpty: (directory) => rmdir(directory),
  // Somebody may still be writing into what goes: then it is not empty at first.
  removeTree: (path) => rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 }),
};

function kindOf(found: Awaited<ReturnType<typeof lstat>>): FileStat["kind"] {
  if (found.isFile()) return "file";
  if (found.isDirectory()) return "directory";
  return found.isSymbolicLink() ? "link" : "other";
}

/** Makes one directory; with `recursive` what is missing above it as well, and then tells the first that it made. */
export type MakeDirectory = (
  path: string,
  options: { readonly recursive: boolean; readonly mode: number },
) => Promise<string | undefined>;

/**
 * Makes a directory for its owner alone, with what is missing above it; tells the first that it made. Node calls a directory
 * missing wherever none can be made, as on a disk that is read-only: then one that is tried alone is told why.
 * @internal
 */
export async function makeDirectories(path: string, make: MakeDirectory): Promise<string | undefined> {
  try {
    return await make(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (errorCode(error) === "ENOENT") await tryAlone(path, make);
    throw error;
  }
}

/** Throws what the lowest directory is refused with whose parent is there, unless something is in its place. */
async function tryAlone(path: string, make: MakeDirectory): Promise<void> {
  try {
    await make(path, { recursive: false, mode: 0o700 });
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" && dirname(path) !== path) await tryAlone(dirname(path), make);
    else if (code !== "EEXIST") throw error;
  }
}

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

/** `doing` completes the sentence "the state could not be …". */
export function fileFailure(error: unknown, doing: string, path: string): Failure {
  const code = errorCode(error);
  if (code === undefined) throw error;
  const [why, hint] = explanations[code] ?? [`the system says ${code}`, "look into what the system says of this path"];
  return { code: "state", message: `the state could not be ${doing} at ${path}: ${why}`, request: path, hint };
}

/** The system's name of an error, such as `ENOENT`; undefined for what is no error of the system. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

const access = "give this user access to the path, or name another state with --state";
const room = "make room and run again: what was recorded before is kept";

const explanations: Readonly<Record<string, readonly [why: string, hint: string] | undefined>> = {
  EACCES: ["this user may not", access],
  EPERM: ["this user may not", access],
  EROFS: ["the file system is read-only", "name a state on a file system that can be written with --state"],
  ENOSPC: ["the disk is full", room],
  EDQUOT: ["the disk quota is used up", room],
  EIO: [
    "the disk fails",
    "look into what the system says of this disk, and run again once it works: what was recorded before is kept",
  ],
  EISDIR: ["it is a directory", "name a file in it, such as state.json"],
  ENOTDIR: ["a part of the path is not a directory", "name a path whose directories can be made"],
  EFTYPE: ["it is a pipe, a device or the like", "name a regular file, or remove what is in its place"],
  EFBIG: [
    "it is larger than any state that roster writes",
    "look into the file, and restore it from a copy if it was damaged",
  ],
  EEXIST: ["something else is in the way there", "move away what is at this path"],
  ENOENT: ["a part of the path is missing", "make the directory, or mend the symbolic link that leads there"],
  ELOOP: [
    "its symbolic links lead in a circle, or a file that roster keeps is one",
    "replace the symbolic link by a file",
  ],
  ENAMETOOLONG: ["the path is too long", "name a shorter path with --state"],
};
