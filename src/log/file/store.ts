import { resolve } from "node:path";
import { encodeJournalStart, type JournalStart } from "../../codec/journal.ts";
import { encodeState } from "../../codec/state.ts";
import { type FileSystem, makeDirectory, type OpenFile, replaceFile, syncDirectory } from "../../files/file-system.ts";
import { type Failure, problem, type Result, success } from "../../model/result.ts";
import type { LockHolder, State } from "../../model/state.ts";
import { type Clock, isoTime, type Randomness } from "../../ports/clock.ts";
import type { LockOptions, RunInfo, StateSession, StateStore } from "../../ports/state-store.ts";
import { type LocalSystem, ownName, thisMachine } from "../lock.ts";
import { groupCommit, journalledSession, withLineage } from "../session.ts";
import { confirmHeld, type HeldLock, LockLostError, readFence, takeLock } from "./lock.ts";
import {
  attempt,
  breakLock,
  fileFailure,
  fileSystemTime,
  holderOf,
  ifThere,
  type LockOwner,
  readLock,
} from "./lock-files.ts";
import { readStoredState, type StateFiles, type StoredState, stateFiles, verifyStored } from "./stored-state.ts";

interface FileStoreOptions {
  /** Where the state is kept; its journal and its lock are next to it. */
  readonly path: string;
  readonly randomness: Randomness;
  readonly clock: Clock;
  /** Milliseconds between two signs of life of the lock's holder. */
  readonly signEvery?: number;
  readonly system?: LocalSystem;
}

/** Keeps the state in a file of this machine. */
export function fileStore(options: FileStoreOptions): StateStore {
  const { disk } = options.system ?? thisMachine;
  return {
    address: `file:${options.path}`,
    read: () => onFiles(options, (files) => read(options, files)),
    lock: (run, lockOptions) => onFiles(options, (files) => lock(options, files, { run, lockOptions })),
    holder: () => onFiles(options, (files) => holder(options, files)),
    unlock: (id) => onFiles(options, (files) => breakLock(disk, files.lock, id)),
    verify: () => onFiles(options, (files) => verifyStored(disk, files)),
    close: async () => undefined,
  };
}

const defaultHeartbeatInterval = 15_000;

async function onFiles<T>(
  { path, system = thisMachine }: FileStoreOptions,
  work: (files: StateFiles) => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> {
  const files = await stateFiles(system.disk, resolve(path));
  return files.ok ? work(files.value) : files;
}

async function read({ system = thisMachine }: FileStoreOptions, files: StateFiles): Promise<Result<State, Failure>> {
  const stored = await readStoredState(system.disk, files);
  return stored.ok ? success(stored.value.state) : stored;
}

async function lock(
  options: FileStoreOptions,
  files: StateFiles,
  { run, lockOptions }: { readonly run: RunInfo; readonly lockOptions: LockOptions | undefined },
): Promise<Result<StateSession, Failure>> {
  const { randomness, clock, signEvery = defaultHeartbeatInterval, system = thisMachine } = options;
  const { disk } = system;
  const made = await attempt("written", files.directory, () => makeDirectory(disk, files.directory));
  if (!made.ok) return made;
  const owner = await ownerFor(options, run);
  const held = await takeLock(system, files, { ...lockOptions, owner, signEvery });
  if (!held.ok) return held;
  const stored = await readStoredState(disk, files);
  if (stored.ok) {
    const named = { ...stored.value, state: withLineage(stored.value.state, randomness) };
    return success(fileSession({ disk, files, stored: named, lock: held.value, clock }));
  }
  await held.value.release();
  return stored;
}

async function ownerFor(
  { randomness, clock, system = thisMachine }: FileStoreOptions,
  run: RunInfo,
): Promise<LockOwner> {
  const process = await system.identity();
  const who = `${ownName()}@${process.host}`;
  return { ...process, id: randomness.identifier(), who, operation: run.operation, since: isoTime(clock) };
}

async function holder(
  { randomness, system = thisMachine }: FileStoreOptions,
  { lock, fence }: StateFiles,
): Promise<Result<LockHolder | "nobody", Failure>> {
  return attempt("read", lock, async () => {
    const held = await readLock(system.disk, lock);
    if (held === "nobody") return held;
    const now = await fileSystemTime(system.disk, lock, randomness.identifier());
    const count = await readFence(system.disk, fence);
    return { ...holderOf(held, now), ...(count === undefined ? {} : { fence: count }) };
  });
}

interface SessionBasis {
  readonly disk: FileSystem;
  readonly files: StateFiles;
  readonly stored: StoredState;
  readonly lock: HeldLock;
  readonly clock: Clock;
}

/** A locked state in files. */
function fileSession({ disk, files, stored, lock, clock }: SessionBasis): StateSession {
  const { state } = stored;
  let { serial } = state;

  async function save(next: State): Promise<State> {
    const numbered: State = { ...next, serial: Math.max(serial, next.serial) + 1 };
    serial = numbered.serial;
    const content = [encodeState(numbered)];
    await replaceFile(files.state, content, { disk, draft: lock.own("state"), permissions: "owner" });
    return numbered;
  }

  const journal = fileJournal({
    disk,
    files,
    lock,
    async begin() {
      if (stored.found?.is === "folded-in") await save(state);
      return { lineage: state.lineage, serial };
    },
    confirm: () => confirmHeld(lock, clock),
  });

  /** The lost lock, where it is what the error comes from; a run without it finds none of its own files any more. */
  async function failureOf(error: unknown, path: string): Promise<Failure> {
    if (error instanceof LockLostError) return error.failure;
    const failure = fileFailure(error, "written", path);
    return (await lock.isHeld().catch(() => true)) ? failure : lock.lost();
  }

  async function saveAll(next: State): Promise<Result<State, Failure>> {
    try {
      await journal.close();
      const saved = await save(next);
      await dropJournal(disk, files, lock);
      return success(saved);
    } catch (error) {
      return problem(await failureOf(error, files.state));
    }
  }

  return journalledSession(stored, {
    async append(lines) {
      try {
        await journal.append(lines);
      } catch (error) {
        const { message, hint } = await failureOf(error, files.journal);
        throw new Error(hint === undefined ? message : `${message} (${hint})`, { cause: error });
      }
    },
    save: saveAll,
    async release() {
      await journal.close().catch(() => undefined);
      await lock.release();
    },
  });
}

/** The journal of one run, begun when its first event comes. */
interface FileJournal {
  /** Durable, and confirmed, when it resolves; rejects, from then on always, when the file cannot be written. */
  append(lines: string): Promise<void>;
  /** Waits for what is still being written. */
  close(): Promise<void>;
}

interface JournalBasis {
  readonly disk: FileSystem;
  readonly files: StateFiles;
  readonly lock: HeldLock;
  /** Saves what the journal is to begin after; called once, before its first line. */
  begin(): Promise<JournalStart>;
  /** Throws where the lock is lost. */
  confirm(): Promise<void>;
}

function fileJournal(basis: JournalBasis): FileJournal {
  let opened: OpenFile | undefined;
  let last: Promise<void> = Promise.resolve();

  const commit = groupCommit(async (texts: readonly string[]) => {
    const text = texts.join("");
    // Asked before for the sake of what is read later, and after for the sake of the calls that follow.
    await basis.confirm();
    if (opened === undefined) opened = await create(basis, text);
    else {
      await opened.write(text);
      await opened.datasync();
    }
    await basis.confirm();
  });

  return {
    append(lines) {
      last = commit(lines);
      return last;
    },
    async close() {
      await last.catch(() => undefined);
      const file = opened;
      opened = undefined;
      await file?.close();
    },
  };
}

/**
 * No journal is ever continued, since its writer may be alive: what it still writes then goes to a file that nobody
 * reads any more. With its first lines in it, the new one takes the place of any other.
 */
async function create({ disk, files, lock, begin }: JournalBasis, text: string): Promise<OpenFile> {
  const start = await begin();
  const path = lock.own("journal");
  await disk.remove(path);
  const file = await disk.open(path, "create");
  try {
    await file.write(`${encodeJournalStart(start)}${text}`);
    await file.sync();
    await disk.rename(path, files.journal);
    await syncDirectory(disk, files.directory);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Takes the journal away, whose events are in the state. Until then it is of an older version, and ignored. */
async function dropJournal(disk: FileSystem, files: StateFiles, lock: HeldLock): Promise<void> {
  await ifThere(disk.rename(files.journal, lock.own("journal")));
  await syncDirectory(disk, files.directory);
}
