import { constants, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";

/** A file that was found and is not read. Its code is one that systems use. */
export class UnusableFileError extends Error {
  readonly code: "EFTYPE" | "EFBIG" | "EISDIR" | "ETIMEDOUT";

  constructor(code: UnusableFileError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** Why a file was not read: words of ours, or the code of the system. An error of another kind is a defect. */
export function whyUnread(error: unknown): string {
  if (error instanceof UnusableFileError && error.code !== "EISDIR") return error.message;
  if (error instanceof Error && "code" in error) return String(error.code);
  throw error;
}

// Neither is known to every system.
const { O_NONBLOCK = 0, O_NOCTTY = 0 } = constants;

export type Opening = "read" | "read-and-write";

/** Opens the regular file behind a path. Does not wait for the other end of a pipe, and refuses pipes, devices and the like. */
export async function openRegular(path: string, opening: Opening = "read"): Promise<FileHandle> {
  return (await openKind(path, opening, (stats) => stats.isFile())).file;
}

/** A directory that is opened is one that is to be synced. */
export async function openRegularOrDirectory(path: string): Promise<FileHandle> {
  return (await openKind(path, "read", (stats) => stats.isFile() || stats.isDirectory())).file;
}

/** Reads the regular file behind a path. Stops reading once there is more than the largest size, in bytes. */
export async function readRegularFile(path: string, largest: number): Promise<Buffer> {
  const { file, stats } = await openKind(path, "read", (found) => found.isFile());
  try {
    return await readBounded(file, largest, stats.size);
  } finally {
    await file.close();
  }
}

export interface PipeLimits {
  readonly largest: number;
  /** Milliseconds until the other end must have closed the pipe. */
  readonly patience: number;
}

/** As `readRegularFile`, but it may be a pipe, as shells make for the output of a command. */
export async function readFileOrPipe(path: string, { largest, patience }: PipeLimits): Promise<Buffer> {
  const { file, stats } = await openKind(path, "read", (found) => found.isFile() || found.isFIFO());
  try {
    if (stats.isFIFO()) return await readPipe(file, { largest, patience });
    return await readBounded(file, largest, stats.size);
  } finally {
    await file.close();
  }
}

async function openKind(path: string, opening: Opening, isWanted: (stats: Stats) => boolean) {
  const access = opening === "read" ? constants.O_RDONLY : constants.O_RDWR;
  const file = await openAt(path, access | O_NONBLOCK | O_NOCTTY);
  try {
    const stats = await file.stat();
    if (!isWanted(stats)) throw notRegular(stats);
    return { file, stats };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function openAt(path: string, flags: number): Promise<FileHandle> {
  try {
    return await open(path, flags);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENXIO")
      throw new UnusableFileError("EFTYPE", "it is a socket or a device, not a regular file");
    throw error;
  }
}

function notRegular(stats: Stats): UnusableFileError {
  if (stats.isDirectory()) return new UnusableFileError("EISDIR", "it is a directory");
  const kind = stats.isFIFO() ? "a pipe" : stats.isSocket() ? "a socket" : "a device";
  return new UnusableFileError("EFTYPE", `it is ${kind}, not a regular file`);
}

function tooLarge(largest: number): UnusableFileError {
  return new UnusableFileError("EFBIG", `it is larger than ${inUnits(largest)}`);
}

function inUnits(bytes: number): string {
  const units = [[1024 * 1024, "MiB"] as const, [1024, "KiB"] as const];
  const [unit, name] = units.find(([size]) => bytes >= size) ?? [1, "bytes"];
  return `${bytes / unit} ${name}`;
}

/** What a file says of its size is a guess: some have none, and some grow. */
async function readBounded(file: FileHandle, largest: number, expected: number): Promise<Buffer> {
  if (expected > largest) throw tooLarge(largest);
  const chunks: Buffer[] = [];
  let read = 0;
  for (let size = expected + 1; read <= largest; size = pageSize) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(size), 0, size, null);
    if (bytesRead === 0) return Buffer.concat(chunks);
    chunks.push(buffer.subarray(0, bytesRead));
    read += bytesRead;
  }
  throw tooLarge(largest);
}

const pageSize = 64 * 1024;

/** It is at its end once somebody wrote to it and closed it: before that, an end only says that nobody has begun. */
async function readPipe(file: FileHandle, { largest, patience }: PipeLimits): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let read = 0;
  for (const end = performance.now() + patience; performance.now() < end; ) {
    const chunk = await readAvailable(file);
    if (chunk?.length === 0 && read > 0) return Buffer.concat(chunks);
    if (chunk === undefined || chunk.length === 0) {
      await setTimeout(20);
      continue;
    }
    chunks.push(chunk);
    read += chunk.length;
    if (read > largest) throw tooLarge(largest);
  }
  throw new UnusableFileError(
    "ETIMEDOUT",
    `it is a pipe, and no program wrote and closed it within ${patience / 1000} s`,
  );
}

/** Undefined where the other end is open and has written nothing yet. */
async function readAvailable(file: FileHandle): Promise<Buffer | undefined> {
  try {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(pageSize), 0, pageSize, null);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EAGAIN") return undefined;
    throw error;
  }
}
