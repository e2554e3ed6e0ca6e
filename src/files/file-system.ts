import { randomUUID } from "node:crypto";
import { fdatasyncSync, lstatSync, writeSync } from "node:fs";
import {
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
  statfs,
} from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { openRegular, openRegularOrDirectory, readRegularFile } from "./regular-file.ts";

/**
 * Makes a directory for its owner alone, durably, with what is missing above it. One that is there is made durable as well: a process
 * that made it may have died before it could.
 */
export async function makeDirectory(disk: FileSystem, directory: string): Promise<void> {
  const first = (await disk.makeDirectory(directory)) ?? directory;
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

/** Works with a file, and closes it. */
export async function using<T>(file: OpenFile, work: (file: OpenFile) => Promise<T>): Promise<T> {
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}

/** What is asked of a file system. Errors are those of the system, with their code. */
export interface FileSystem {
  /** Makes a directory for its owner alone, with what is missing above it; tells the first that it made. */
  makeDirectory(path: string): Promise<string | undefined>;
  /**
   * `create`: a new file, which must not be there. It is for its owner alone, or has the permissions of the file `like`; where
   * that one is not there, the usual ones. `amend`: to write within what is there.
   */
  open(path: string, how: "create" | "amend" | "look", like?: string): Promise<OpenFile>;
  /** Fails where it is no regular file. */
  read(path: string): Promise<Uint8Array>;
  list(directory: string): Promise<readonly string[]>;
  /** Does not follow a symbolic link. */
  look(path: string): Promise<FileStat>;
  /**
   * A look at what is there at this moment, without waiting. Undefined where another machine may have the disk: then a look may tell what
   * was there before.
   */
  glance?(directory: string): Promise<Glance | undefined>;
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

/** Whether something is at a path of the directory. */
type Glance = (path: string) => boolean;

export interface OpenFile {
  /** At its end, or at a place within. */
  write(content: string | Uint8Array, place?: number): Promise<void>;
  sync(): Promise<void>;
  /** Like sync, but for what reading the content back does not need. */
  datasync(): Promise<void>;
  size(): Promise<number>;
  /** What there is from a place on, up to so many bytes. */
  readAt(place: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

export interface FileStat {
  readonly kind: "file" | "directory" | "link" | "other";
  /** When it was last written to, in milliseconds by the file system's own clock. */
  readonly modified: number;
}

/** What is read whole, such as a checkpoint of a log, is not larger, in bytes. */
export const largestRead = 256 * 1024 * 1024;

const openings: Readonly<Record<"create" | "amend" | "look", (path: string, like?: string) => Promise<FileHandle>>> = {
  create: (path, like) => (like === undefined ? open(path, "wx", 0o600) : createLike(path, like)),
  amend: (path) => openRegular(path, "read-and-write"),
  look: (path) => openRegularOrDirectory(path),
};

async function createLike(path: string, like: string): Promise<FileHandle> {
  const former = await stat(like).catch(() => undefined);
  const file = await open(path, "wx");
  try {
    if (former !== undefined) await file.chmod(former.mode & 0o7777);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Milliseconds. A disk of this machine that took less the last time is waited for in place: another thread would take longer to wake. */
const promptSync = 2;

/** The file system of this machine. */
export const localFiles: FileSystem = {
  makeDirectory: (path) => makeDirectories(path, mkdir),
  async open(path, how, like) {
    const handle = await openings[how](path, like);
    const isLocal = how !== "look" && (await isOfThisMachine(path));
    let took = Number.POSITIVE_INFINITY;
    return {
      async write(content, place) {
        if (place === undefined) await handle.writeFile(content);
        else await writeWhole(handle, Buffer.from(content), place, isLocal ? "at-once" : "in-background");
      },
      sync: () => handle.sync(),
      async datasync() {
        const begun = performance.now();
        if (isLocal && took < promptSync) fdatasyncSync(handle.fd);
        else await handle.datasync();
        took = performance.now() - begun;
      },
      size: async () => (await handle.stat()).size,
      async readAt(place, length) {
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, place);
        return buffer.subarray(0, bytesRead);
      },
      close: () => handle.close(),
    };
  },
  read: (path) => readRegularFile(path, largestRead),
  list: (directory) => readdir(directory),
  async look(path) {
    const found = await lstat(path);
    return { kind: kindOf(found), modified: found.mtimeMs };
  },
  glance: async (directory) => ((await isOfThisMachine(directory)) ? isThereNow : undefined),
  resolve: (path) => realpath(path),
  rename: (from, to) => renameWithRetry(from, to, rename),
  remove: (path) => rm(path, { force: true }),
  removeEmpty: (directory) => rmdir(directory),
  // Somebody may still be writing into what goes: then it is not empty at first.
  removeTree: (path) => rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 }),
};

/**
 * Windows refuses to replace a file while another program has it open, such as one that looks for viruses: there it is tried again for a
 * second. A directory that is in the way stays in the way.
 */
export async function renameWithRetry(from: string, to: string, move: typeof rename): Promise<void> {
  for (let pause = 10; ; pause *= 2) {
    try {
      return await move(from, to);
    } catch (error) {
      const isBusy = process.platform === "win32" && ["EACCES", "EBUSY", "EPERM"].includes(errorCode(error) ?? "");
      if (!isBusy || pause > 640 || !(await lstat(from)).isFile()) throw error;
      await setTimeout(pause);
    }
  }
}

/** Whether a path is on a disk that this machine alone uses. */
async function isOfThisMachine(path: string): Promise<boolean> {
  const found = process.platform === "linux" ? await statfs(path).catch(() => undefined) : undefined;
  return found !== undefined && localKinds.has(found.type);
}

function isThereNow(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) return false;
    throw error;
  }
}

/** What Linux calls the file systems that one machine alone uses at a time: ext, XFS, Btrfs, F2FS, ZFS and tmpfs. */
const localKinds: ReadonlySet<number> = new Set([0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x2fc12fc1, 0x01021994]);

/**
 * A system may write less than it was given, such as on a disk that is nearly full, and says so only at the next call. `at-once`: for a disk
 * of this machine, whose memory takes a few lines sooner than another thread would.
 */
async function writeWhole(handle: FileHandle, content: Buffer, place: number, how: "at-once" | "in-background") {
  for (let done = 0; done < content.length; ) {
    const rest = [content, done, content.length - done, place + done] as const;
    done += how === "at-once" ? writeSync(handle.fd, ...rest) : (await handle.write(...rest)).bytesWritten;
  }
}

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
 * missing wherever none can be made, as on a disk that is read-only: then the error of one that is tried alone says why.
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

/** The system's name of an error, such as `ENOENT`; undefined for what is no error of the system. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** The same of an error that the system must have given; any other is a defect, and is thrown on. */
export function systemErrorCode(error: unknown): string {
  const code = errorCode(error);
  if (code === undefined) throw error;
  return code;
}

/** Texts or bytes, one after the other. */
type FileContent = readonly (string | Uint8Array)[];

interface ReplaceOptions {
  /** `owner`: nobody else can read the file. `kept`: as it was; a new file has the usual ones. */
  readonly permissions: "owner" | "kept";
  /** Where the new content is written first, in the same file system; a name next to the file where it is absent. */
  readonly draft?: string;
  readonly disk?: FileSystem;
}

/**
 * Puts a new content in the place of a file, or makes the file: a crash leaves the old content or the new one, whole. A
 * symbolic link at the path is replaced; to follow it, give the path behind it.
 */
export async function replaceFile(
  path: string,
  content: FileContent,
  { permissions, draft = `${path}.${randomUUID()}`, disk = localFiles }: ReplaceOptions,
): Promise<void> {
  try {
    await writeDurably(disk, draft, content, permissions === "kept" ? path : undefined);
    await disk.rename(draft, path);
    await syncDirectory(disk, dirname(path));
  } catch (error) {
    // Why it failed matters more than what is left of the draft.
    await disk.remove(draft).catch(() => undefined);
    throw error;
  }
}

/** A new file with this content, durable but for its name. What has the name already goes. */
export async function writeDurably(disk: FileSystem, path: string, content: FileContent, like?: string): Promise<void> {
  await disk.remove(path);
  await using(await disk.open(path, "create", like), async (file) => {
    for (const part of content) await file.write(part);
    await file.sync();
  });
}

/** Makes a new file of what is written to it part by part, durable with its name. One that could not be written whole is removed. */
export async function createFile<T>(
  disk: FileSystem,
  path: string,
  writeAll: (write: (part: string) => Promise<void>) => Promise<T>,
): Promise<T> {
  const file = await disk.open(path, "create");
  try {
    const written = await using(file, async () => {
      const value = await writeAll((part) => file.write(part));
      await file.sync();
      return value;
    });
    await syncDirectory(disk, dirname(path));
    return written;
  } catch (error) {
    await disk.remove(path).catch(() => undefined);
    throw error;
  }
}
