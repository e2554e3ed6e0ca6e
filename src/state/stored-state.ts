import { decodeState } from "../codec/state-format.ts";
import { applyEvents } from "../journal/fold-state.ts";
import type { Failure } from "../model/failure.ts";
import { problem, type Result, success } from "../model/result.ts";
import type { RunEvent } from "../model/run-event.ts";
import { emptyState, type State } from "../model/state.ts";
import { attempt } from "./file-failure.ts";
import type { FileSystem } from "./file-system.ts";
import { ifThere } from "./lock-look.ts";
import type { StateFiles } from "./state-files.ts";

/** What the files of a state hold. */
export interface StoredState {
  /** The saved state with its journal folded in. Its lineage is empty where nothing was ever saved. */
  readonly state: State;
  /** What was read of the journal; absent where there is none, not even the beginning of one. */
  readonly found?: FoundJournal;
}

export interface FoundJournal {
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
  return success({ state: applyEvents(base, events), found: { is: "folded-in", ...found } });
}

function shown(saved: State | undefined): string {
  return saved === undefined ? "the state file is missing" : `the state file holds version ${saved.serial}`;
}

function unmatchedJournal({ state, journal }: StateFiles, what: string): Failure {
  return {
    code: "state",
    message: `the journal ${what}`,
    request: journal,
    hint: `restore ${state} as the last run left it; where that is lost, name an empty place with --state, and \`roster state rebuild\` begins there with what the service shows`,
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
  // Only a run that died leaves a journal: no other run pays for loading what reads it.
  const { decodeJournal } = await import("../codec/decode-journal.ts");
  const journal = decodeJournal(text, path);
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
    message: `the ${what} is not text in UTF-8: it was damaged`,
    request: path,
    hint: "restore the file from a copy; without one, name an empty place with --state, and `roster state rebuild` begins there with what the service shows",
  };
}
