import { encodeState } from "../codec/state-format.ts";
import type { State } from "../model/state.ts";
import { syncDirectory, writeWhole } from "./durable-file.ts";
import type { FileSystem } from "./file-system.ts";
import type { HeldLock } from "./held-lock.ts";
import { ifThere } from "./lock-look.ts";
import type { StateFiles } from "./state-files.ts";

/** Puts a state in the place of the one before: whatever happens, the file holds the one or the other, whole. */
export async function saveState(disk: FileSystem, files: StateFiles, lock: HeldLock, state: State): Promise<void> {
  const next = lock.own("state");
  await writeWhole(disk, next, encodeState(state));
  await disk.rename(next, files.state);
  await syncDirectory(disk, files.directory);
}

/** Takes the journal away, whose events are in the state. Until then it is of an older version, and ignored. */
export async function dropJournal(disk: FileSystem, files: StateFiles, lock: HeldLock): Promise<void> {
  await ifThere(disk.rename(files.journal, lock.own("journal")));
  await syncDirectory(disk, files.directory);
}
