import { dirname } from "node:path";
import { errorCode } from "./file-failure.ts";
import type { FileSystem, OpenFile } from "./file-system.ts";

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
