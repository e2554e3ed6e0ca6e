import { resolve } from "node:path";
import { type FileSystem, makeDirectory, type OpenFile, replaceFile } from "../../files/file-system.ts";
import { ownName } from "../../files/own-name.ts";
import { type Failure, problem, type Result, success } from "../../model/failure.ts";
import type { Clock, Randomness } from "../../ports/clock.ts";
import type { Lease, RosterLog } from "../../ports/log.ts";
import { type LocalSystem, outcomeOf, thisMachine } from "../lock-holder.ts";
import { openLog } from "../log.ts";
import { onDisk } from "./failure.ts";
import { breakLock, type HeldLock, readHolder, takeLock } from "./lock.ts";
import {
  checkpointContent,
  findFiles,
  type LogFiles,
  openForAppend,
  readLog,
  removeMark,
  replaceLines,
  takeOverLog,
} from "./log-file.ts";

interface FileStoreOptions {
  /** Where the log is kept; its checkpoint and its lock are next to it. */
  readonly path: string;
  readonly randomness: Randomness;
  readonly clock: Clock;
  /** Milliseconds between two signs of life of the lock's holder. */
  readonly signEvery?: number;
  readonly system?: LocalSystem | undefined;
  /** How many bytes of the log are read at once. */
  readonly chunk?: number;
}

/** Keeps a log in a file of this machine. */
export function fileStore(options: FileStoreOptions): RosterLog {
  const { path, randomness, clock, signEvery = 15_000, system = thisMachine, chunk = 8 * 1024 * 1024 } = options;
  const { disk } = system;
  const onFiles = <T>(work: (files: LogFiles) => Promise<T>) =>
    outcomeOf(async () => work(await findFiles(disk, resolve(path))));
  return openLog(
    {
      address: `file:${path}`,
      read: (from) => onFiles((files) => readLog(disk, files, from, chunk)),
      lease: ({ operation, at }, { breakStaleAfter }) =>
        onFiles(async (files) => {
          const { directory, lock, log } = files;
          await onDisk("written", directory, () => makeDirectory(disk, directory));
          const process = await system.identity();
          const who = `${ownName()}@${process.host}`;
          const owner = { ...process, id: randomness.identifier(), who, operation, since: at };
          const held = await onDisk("locked", lock, () =>
            takeLock(lock, { system, clock, owner, signEvery, breakStaleAfter }),
          );
          try {
            await onDisk("written", log, () => takeOverLog(disk, files, held, chunk));
            return fileLease(disk, files, held, chunk);
          } catch (error) {
            await held.release();
            throw error;
          }
        }),
      holder: () => onFiles(({ lock }) => onDisk("read", lock, () => readHolder(disk, lock, randomness.identifier()))),
      breakLease: (id) => onFiles(({ lock }) => onDisk("unlocked", lock, () => breakLock(disk, lock, id))),
      close: async () => undefined,
    },
    options,
  );
}

function fileLease(disk: FileSystem, files: LogFiles, lock: HeldLock, chunk: number): Lease {
  let opened: OpenFile | undefined;
  /** Where the log ends. Nobody else writes to this file. */
  let end = 0;
  let lost: Failure | undefined;

  async function open(): Promise<OpenFile> {
    if (opened !== undefined) return opened;
    opened = await openForAppend(disk, files, lock);
    end = await opened.size();
    return opened;
  }

  /** Nobody knows what is in a log that could not be written; a checkpoint can be done without. */
  async function changing(path: string, work: () => Promise<void>): Promise<Result<void, Failure>> {
    if (lost !== undefined) return problem(lost);
    try {
      await work();
      return success(undefined);
    } catch (error) {
      const failure = await lock.explain(error, "written", path);
      if (path === files.log) lost = failure;
      return problem(failure);
    }
  }

  return {
    append: (lines) =>
      changing(files.log, async () => {
        const file = await open();
        // Asked before for the sake of what is read later, and after for the sake of the calls that follow.
        await lock.confirm();
        await file.write(lines, end);
        end += Buffer.byteLength(lines);
        await file.datasync();
        await lock.confirm();
      }),
    replaceBefore: (position, line) =>
      changing(files.log, async () => {
        const from = await open();
        await lock.confirm();
        await replaceLines(disk, files, lock, { from, position, line, chunk });
        opened = await disk.open(files.log, "amend");
        end = await opened.size();
        await from.close();
        await lock.confirm();
      }),
    checkpoint: (text) =>
      changing(files.checkpoint, async () => {
        const content = checkpointContent(files.checkpoint, (await opened?.size()) ?? 0, text);
        await replaceFile(files.checkpoint, content, { disk, draft: lock.own("checkpoint"), permissions: "owner" });
      }),
    async release() {
      await opened?.close().catch(() => undefined);
      // What failed may have left a part of a line: the next holder takes the log over as from one that died.
      if (opened !== undefined && lost === undefined) await removeMark(disk, files, lock).catch(() => undefined);
      await lock.release();
    },
  };
}
