import { resolve } from "node:path";
import type { Failure } from "../model/failure.ts";
import { type Result, success } from "../model/result.ts";
import type { State } from "../model/state.ts";
import { type Clock, isoTime } from "../ports/clock.ts";
import type { Randomness } from "../ports/randomness.ts";
import type { RunInfo, StateSession, StateStore } from "../ports/state-store.ts";
import { makeDirectory } from "./durable-file.ts";
import { attempt } from "./file-failure.ts";
import { breakLock, holderOf, takeLock } from "./file-lock.ts";
import { fileSession } from "./file-session.ts";
import { ownIdentity, ownName } from "./process-identity.ts";
import { type StateFiles, stateFiles } from "./state-files.ts";
import { readStoredState, type StoredState } from "./stored-state.ts";
import { verifyStored } from "./verify-stored.ts";

export interface FileStoreOptions {
  /** Where the state is kept; its journal and its lock are beside it. */
  readonly path: string;
  readonly randomness: Randomness;
  readonly clock: Clock;
}

/** Keeps the state in a file of this machine. */
export function fileStore(options: FileStoreOptions): StateStore {
  return {
    address: `file:${options.path}`,
    read: () => read(options.path),
    lock: (run) => lock(options, run),
    holder: () => onFiles(options.path, (files) => holderOf(files.lock)),
    unlock: (id) => onFiles(options.path, (files) => breakLock(files.lock, id)),
    verify: () => onFiles(options.path, verifyStored),
    close: async () => undefined,
  };
}

async function onFiles<T>(
  path: string,
  work: (files: StateFiles) => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> {
  const files = await stateFiles(resolve(path));
  return files.ok ? work(files.value) : files;
}

async function read(path: string): Promise<Result<State, Failure>> {
  const stored = await onFiles(path, readStoredState);
  return stored.ok ? success(stored.value.state) : stored;
}

async function lock(options: FileStoreOptions, run: RunInfo): Promise<Result<StateSession, Failure>> {
  const { path, randomness, clock } = options;
  const files = await stateFiles(resolve(path));
  if (!files.ok) return files;
  const { directory, lock: file } = files.value;
  const made = await attempt("written", directory, () => makeDirectory(directory));
  if (!made.ok) return made;
  const process = await ownIdentity();
  const who = `${ownName()}@${process.host}`;
  const holding = { id: randomness.identifier(), who, operation: run.operation, since: isoTime(clock) };
  const held = await takeLock(file, { ...process, ...holding });
  if (!held.ok) return held;
  const stored = await readStoredState(files.value);
  if (stored.ok) return success(fileSession(files.value, named(stored.value, randomness), held.value));
  await held.value.release();
  return stored;
}

/** A state that was never saved gets the name that its versions will carry. */
function named(stored: StoredState, randomness: Randomness): StoredState {
  if (stored.state.lineage !== "") return stored;
  return { ...stored, state: { ...stored.state, lineage: randomness.identifier() } };
}
