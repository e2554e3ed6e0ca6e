import { resolve } from "node:path";
import { type FileSystem, makeDirectory, type OpenFile, replaceFile } from "../../files/file-system.ts";
import { type Failure, problem, type Result, success } from "../../model/result.ts";
import type { LockHolder } from "../../model/state.ts";
import type { Clock, Randomness } from "../../ports/clock.ts";
import type { Lease, LockOptions, RosterLog, RunInfo } from "../../ports/log.ts";
import { type LocalSystem, ownName, thisMachine } from "../lease.ts";
import { openLog } from "../log.ts";
import { confirmHeld, type HeldLock, LockLostError, readFence, takeLock } from "./lock.ts";
import {
  attempt,
  breakLock,
  fileFailure,
  fileSystemTime,
  holderOf,
  type LockOwner,
  type LogFiles,
  readLock,
} from "./lock-files.ts";
import { checkpointContent, logFiles, openForAppend, readLog, removeMark, takeOverLog } from "./log-file.ts";

interface FileStoreOptions {
  /** Where the log is kept; its checkpoint and its lock are next to it. */
  readonly path: string;
  readonly randomness: Randomness;
  readonly clock: Clock;
  /** Milliseconds between two signs of life of the lock's holder. */
  readonly signEvery?: number;
  readonly system?: LocalSystem;
}

/** Keeps a log in a file of this machine. */
export function fileStore(options: FileStoreOptions): RosterLog {
  const { disk } = options.system ?? thisMachine;
  return openLog(
    {
      address: `file:${options.path}`,
      read: (from) => onFiles(options, (files) => readLog(disk, files, from)),
      lease: (command, lockOptions) => onFiles(options, (files) => lease(options, files, { command, lockOptions })),
      holder: () => onFiles(options, (files) => holder(options, files)),
      breakLease: (id) => onFiles(options, (files) => breakLock(disk, files.lock, id)),
      close: async () => undefined,
    },
    options,
  );
}

const defaultHeartbeatInterval = 15_000;

async function onFiles<T>(
  { path, system = thisMachine }: FileStoreOptions,
  work: (files: LogFiles) => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> {
  const files = await logFiles(system.disk, resolve(path));
  return files.ok ? work(files.value) : files;
}

async function lease(
  options: FileStoreOptions,
  files: LogFiles,
  { command, lockOptions }: { readonly command: RunInfo; readonly lockOptions: LockOptions },
): Promise<Result<Lease, Failure>> {
  const { clock, signEvery = defaultHeartbeatInterval, system = thisMachine } = options;
  const { disk } = system;
  const made = await attempt("written", files.directory, () => makeDirectory(disk, files.directory));
  if (!made.ok) return made;
  const owner = await ownerFor(options, command);
  const held = await takeLock(system, files, { ...lockOptions, owner, signEvery });
  if (!held.ok) return held;
  const lock = held.value;
  const ready = await attempt("written", files.log, () => takeOverLog(disk, files, lock));
  if (ready.ok) return success(fileLease({ disk, files, lock, clock }));
  await lock.release();
  return ready;
}

async function ownerFor(
  { randomness, system = thisMachine }: FileStoreOptions,
  { operation, at }: RunInfo,
): Promise<LockOwner> {
  const process = await system.identity();
  return { ...process, id: randomness.identifier(), who: `${ownName()}@${process.host}`, operation, since: at };
}

async function holder(
  { randomness, system = thisMachine }: FileStoreOptions,
  { lock, fence }: LogFiles,
): Promise<Result<LockHolder | "nobody", Failure>> {
  return attempt("read", lock, async () => {
    const held = await readLock(system.disk, lock);
    if (held === "nobody") return held;
    const now = await fileSystemTime(system.disk, lock, randomness.identifier());
    const count = await readFence(system.disk, fence);
    return { ...holderOf(held, now), ...(count === undefined ? {} : { fence: count }) };
  });
}

interface HeldLog {
  readonly disk: FileSystem;
  readonly files: LogFiles;
  readonly lock: HeldLock;
  readonly clock: Clock;
}

function fileLease({ disk, files, lock, clock }: HeldLog): Lease {
  let opened: OpenFile | undefined;
  let lost: Failure | undefined;

  /** The lost lock, where it is what the error comes from; a run without it finds none of its own files any more. */
  async function failureOf(error: unknown, path: string): Promise<Failure> {
    if (error instanceof LockLostError) return error.failure;
    const failure = fileFailure(error, "written", path);
    return (await lock.isHeld().catch(() => true)) ? failure : lock.lost();
  }

  return {
    async append(lines) {
      if (lost !== undefined) return problem(lost);
      try {
        opened ??= await openForAppend(disk, files, lock);
        // Asked before for the sake of what is read later, and after for the sake of the calls that follow.
        await confirmHeld(lock, clock);
        await opened.write(lines, await opened.size());
        await opened.datasync();
        await confirmHeld(lock, clock);
        return success(undefined);
      } catch (error) {
        lost = await failureOf(error, files.log);
        return problem(lost);
      }
    },
    async checkpoint(text) {
      try {
        const content = checkpointContent((await opened?.size()) ?? 0, text);
        await replaceFile(files.checkpoint, content, { disk, draft: lock.own("checkpoint"), permissions: "owner" });
        return success(undefined);
      } catch (error) {
        return problem(await failureOf(error, files.checkpoint));
      }
    },
    async release() {
      await opened?.close().catch(() => undefined);
      // What failed may have left a part of a line: the next holder takes the log over as from one that died.
      if (opened !== undefined && lost === undefined) await removeMark(disk, files, lock).catch(() => undefined);
      await lock.release();
    },
  };
}
