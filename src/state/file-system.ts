import { type FileHandle, lstat, mkdir, open, readdir, realpath, rename, rm, rmdir } from "node:fs/promises";
import { makeDirectories } from "./make-directories.ts";
import { openRegular, openRegularOrDirectory, readRegularFile } from "./regular-file.ts";

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
