import { writeWhole } from "./durable-file.ts";
import type { FileSystem } from "./file-system.ts";
import type { HeldLock } from "./held-lock.ts";
import { ifThere } from "./lock-look.ts";
import type { StateFiles } from "./state-files.ts";

/** Counts the holders of a lock, for people to compare: that a former holder changes nothing does not rest on it. */
export async function raiseFence(disk: FileSystem, { fence }: StateFiles, lock: HeldLock): Promise<void> {
  const next = ((await readFence(disk, fence)) ?? 0) + 1;
  const written = lock.own("fence");
  await writeWhole(disk, written, `${next}\n`);
  await disk.rename(written, fence);
}

/** How often the lock was taken so far; undefined where that was never counted. */
export async function readFence(disk: FileSystem, path: string): Promise<number | undefined> {
  const text = new TextDecoder().decode(await ifThere(disk.read(path)));
  return /^[1-9]\d{0,14}\n$/u.test(text) ? Number(text) : undefined;
}
