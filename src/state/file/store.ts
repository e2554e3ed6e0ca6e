import { resolve } from "node:path";
import { makeDirectory } from "../../files/file-system.ts";
import { type Failure, type Result, success } from "../../model/result.ts";
import type { State } from "../../model/state.ts";
import { type Clock, isoTime, type Randomness } from "../../ports/clock.ts";
import type { LockHolder, LockOptions, RunInfo, StateSession, StateStore } from "../../ports/state-store.ts";
import { type LocalSystem, ownName, thisMachine } from "../process-identity.ts";
import { breakLock } from "./break-lock.ts";
import { attempt } from "./failure.ts";
import { readFence, takeLock } from "./lock.ts";
import { fileSystemTime, holderOf, type LockOwner, readLock } from "./lock-files.ts";
import { fileSession } from "./session.ts";
import { readStoredState, type StateFiles, type StoredState, stateFiles, verifyStored } from "./stored-state.ts";

interface FileStoreOptions {
  /** Where the state is kept; its journal and its lock are beside it. */
  readonly path: string;
  readonly randomness: Randomness;
  readonly clock: Clock;
  /** Milliseconds between two signs of life of whoever holds the lock. */
  readonly signEvery?: number;
  readonly system?: LocalSystem;
}

/** Keeps the state in a file of this machine. */
export function fileStore(options: FileStoreOptions): StateStore {
  const { disk } = options.system ?? thisMachine;
  return {
    address: `file:${options.path}`,
    read: () => onFiles(options, (files) => read(options, files)),
    lock: (run, wishes) => onFiles(options, (files) => lock(options, files, { run, wishes })),
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
  { run, wishes }: { readonly run: RunInfo; readonly wishes: LockOptions | undefined },
): Promise<Result<StateSession, Failure>> {
  const { randomness, clock, signEvery = defaultHeartbeatInterval, system = thisMachine } = options;
  const { disk } = system;
  const made = await attempt("written", files.directory, () => makeDirectory(disk, files.directory));
  if (!made.ok) return made;
  const owner = await ownerFor(options, run);
  const held = await takeLock(system, files, { ...wishes, owner, signEvery });
  if (!held.ok) return held;
  const stored = await readStoredState(disk, files);
  if (stored.ok) {
    const named = withLineage(stored.value, randomness);
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

/** A state that was never saved gets the name that its versions will carry. */
function withLineage(stored: StoredState, randomness: Randomness): StoredState {
  if (stored.state.lineage !== "") return stored;
  return { ...stored, state: { ...stored.state, lineage: randomness.identifier() } };
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
