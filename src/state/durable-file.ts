import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode } from "./file-failure.ts";

/** Makes a directory for its owner alone, durably, with what is missing above it. */
export async function makeDirectory(directory: string): Promise<void> {
  const first = await mkdir(directory, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = directory; made.length >= first.length; made = dirname(made)) await syncDirectory(dirname(made));
}

/** Makes what was created, renamed or removed in a directory durable. */
export async function syncDirectory(directory: string): Promise<void> {
  try {
    await using(await open(directory, "r"), (handle) => handle.sync());
  } catch (error) {
    // Some file systems, and Windows, keep directories durable without being asked, and refuse to be asked.
    if (!["EINVAL", "EISDIR", "EPERM", "ENOTSUP"].includes(errorCode(error) ?? "")) throw error;
  }
}

/** Puts a text in the place of a file: whatever happens, the file holds the old text or the new one, whole. */
export async function replaceFile(path: string, next: string, text: string): Promise<void> {
  await rm(next, { force: true });
  await using(await open(next, "wx", 0o600), async (handle) => {
    await handle.writeFile(text);
    await handle.sync();
  });
  await rename(next, path);
  await syncDirectory(dirname(path));
}

async function using(handle: FileHandle, work: (handle: FileHandle) => Promise<void>): Promise<void> {
  try {
    await work(handle);
  } finally {
    await handle.close();
  }
}
