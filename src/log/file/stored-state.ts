import { basename, dirname } from "node:path";
import { decodeJournal } from "../../codec/journal.ts";
import { decodeState } from "../../codec/state.ts";
import type { FileSystem } from "../../files/file-system.ts";
import type { RunEvent } from "../../model/event.ts";
import { type Failure, problem, type Result, success } from "../../model/result.ts";
import { emptyState, type State } from "../../model/state.ts";
import type { StoreVerification, UnfinishedRuns } from "../../ports/state-store.ts";
import { applyEvents } from "../fold.ts";
import { openCallsPart } from "../session.ts";
import { attempt, ifThere } from "./lock-files.ts";

/** What the files of a state hold. */
export interface StoredState {
  /** The saved state with its journal folded in. Its lineage is empty where nothing was ever saved. */
  readonly state: State;
  /** What was read of the journal; absent where there is none, not even the beginning of one. */
  readonly found?: FoundJournal;
  /** What was folded in. */
  readonly unfinished?: UnfinishedRuns;
}

interface FoundJournal {
  /** `older`: the saved state has these events in it already. */
  readonly is: "folded-in" | "older";
  readonly events: number;
  /** Its last line was cut short while it was written, and is left out. */
  readonly torn: boolean;
}

/**
 * Reads a state without a lock. The journal is read first: a run that ends in between has put its events into the
 * state that is read after it.
 */
export async function readStoredState(disk: FileSystem, files: StateFiles): Promise<Result<StoredState, Failure>> {
  const journal = await readJournal(disk, files.journal);
  if (!journal.ok) return journal;
  const saved = await readSaved(disk, files.state);
  if (!saved.ok) return saved;
  const { start, events, torn } = journal.value;
  const found = { events: events.length, torn };
  if (start === undefined) {
    const state = saved.value ?? emptyState("");
    return success(torn ? { state, found: { is: "older", ...found } } : { state });
  }
  const base = saved.value ?? emptyState(start.lineage);
  if (start.lineage !== base.lineage) return problem(unmatchedJournal(files, "belongs to another state"));
  if (start.serial > base.serial)
    return problem(
      unmatchedJournal(files, `continues version ${start.serial} of the state, and ${shown(saved.value)}`),
    );
  // A run that saved the state and died before it could remove its journal.
  if (start.serial < base.serial) return success({ state: base, found: { is: "older", ...found } });
  const unfinished = { found: base, events };
  return success({ state: applyEvents(base, events), found: { is: "folded-in", ...found }, unfinished });
}

function shown(saved: State | undefined): string {
  return saved === undefined ? "the state file is missing" : `the state file holds version ${saved.serial}`;
}

function unmatchedJournal({ state, journal }: StateFiles, what: string): Failure {
  return {
    code: "state",
    message: `the journal ${what}`,
    request: journal,
    hint: `restore ${state} as the last run left it. If it is lost, name an empty place with --state and run \`roster state rebuild\``,
  };
}

async function readSaved(disk: FileSystem, path: string): Promise<Result<State | undefined, Failure>> {
  const bytes = await readIfThere(disk, path);
  if (!bytes.ok) return bytes;
  if (bytes.value === undefined) return success(undefined);
  const text = decodeText(bytes.value);
  if (text === undefined) return problem(notText("state file", path));
  return decodeState(text, path);
}

interface StoredJournal {
  readonly start?: { readonly lineage: string; readonly serial: number };
  readonly events: readonly RunEvent[];
  readonly torn: boolean;
}

async function readJournal(disk: FileSystem, path: string): Promise<Result<StoredJournal, Failure>> {
  const read = await readIfThere(disk, path);
  if (!read.ok) return read;
  if (read.value === undefined) return success({ events: [], torn: false });
  const bytes = read.value.lastIndexOf(0x0a) + 1;
  const text = decodeText(read.value.subarray(0, bytes));
  if (text === undefined) return problem(notText("journal", path));
  const journal = await decodeJournal(text, path);
  return journal.ok ? success({ ...journal.value, torn: bytes < read.value.length }) : journal;
}

function readIfThere(disk: FileSystem, path: string): Promise<Result<Uint8Array | undefined, Failure>> {
  return attempt("read", path, () => ifThere(disk.read(path)));
}

function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function notText(what: string, path: string): Failure {
  return {
    code: "state",
    message: `the ${what} is damaged: it is not UTF-8`,
    request: path,
    hint: "restore the file from a copy. Without a copy, name an empty place with --state and run `roster state rebuild`",
  };
}

/** Reads the files of a state as carefully as a run would, and says what is in them. */
export async function verifyStored(disk: FileSystem, files: StateFiles): Promise<Result<StoreVerification, Failure>> {
  const stored = await readStoredState(disk, files);
  if (!stored.ok) return stored;
  const { state, found } = stored.value;
  const parts = [savedPart(files, stored.value), ...(found === undefined ? [] : journalParts(files, found))];
  return success({ state, parts: [...parts, openCallsPart(state.open.length)] });
}

function savedPart({ state }: StateFiles, { state: { serial, lineage } }: StoredState): string {
  const name = basename(state);
  return serial === 0
    ? `${name} does not exist yet: no run has saved it`
    : `${name} holds version ${serial} of ${lineage}`;
}

function journalParts({ journal }: StateFiles, { is, events, torn }: FoundJournal): readonly string[] {
  const name = basename(journal);
  const count = events === 1 ? "1 event" : `${events} events`;
  const relation = { "folded-in": "that come after it", older: "that are in it already" } as const;
  const cut = `the last line of ${name} is incomplete and is ignored`;
  return [`${name} holds ${count} ${relation[is]}`, ...(torn ? [cut] : [])];
}

/** The files of one state. All are in one directory, so that one can take the place of another in one step. */
export interface StateFiles {
  readonly directory: string;
  readonly state: string;
  readonly journal: string;
  /** A directory, there while somebody holds it. */
  readonly lock: string;
  /** How often the lock was taken so far. */
  readonly fence: string;
}

/**
 * The files of the state at a path. A symbolic link is followed once, here, so that every path to a state leads to
 * the same lock and the link itself is never replaced by a file.
 */
export async function stateFiles(disk: FileSystem, path: string): Promise<Result<StateFiles, Failure>> {
  const found = await attempt("found", path, () => ifThere(disk.look(path)));
  if (!found.ok) return found;
  switch (found.value?.kind) {
    case undefined:
    case "file":
      return success(filesAt(path));
    case "directory":
      return notAFile(path, "is a directory", "name a file in it, such as state.json");
    case "other":
      return notAFile(path, "is not a file", "name a file");
    case "link": {
      const real = await attempt("found", path, () => disk.resolve(path));
      return real.ok ? stateFiles(disk, real.value) : real;
    }
  }
}

function filesAt(path: string): StateFiles {
  return {
    directory: dirname(path),
    state: path,
    journal: `${path}.journal`,
    lock: `${path}.lock`,
    fence: `${path}.fence`,
  };
}

function notAFile(path: string, what: string, hint: string): Result<never, Failure> {
  return problem({ code: "state", message: `the state cannot be stored at ${path}: it ${what}`, request: path, hint });
}
