import { basename } from "node:path";
import type { Failure } from "../model/failure.ts";
import { type Result, success } from "../model/result.ts";
import type { StoreVerification } from "../ports/state-store.ts";
import type { FileSystem } from "./file-system.ts";
import type { StateFiles } from "./state-files.ts";
import { type FoundJournal, readStoredState, type StoredState } from "./stored-state.ts";

/** Reads the files of a state as carefully as a run would, and says what is in them. */
export async function verifyStored(disk: FileSystem, files: StateFiles): Promise<Result<StoreVerification, Failure>> {
  const stored = await readStoredState(disk, files);
  if (!stored.ok) return stored;
  const { state, found } = stored.value;
  const parts = [savedPart(files, stored.value), ...(found === undefined ? [] : journalParts(files, found))];
  return success({ state, parts: [...parts, openPart(state.open.length)] });
}

function savedPart({ state }: StateFiles, { state: { serial, lineage } }: StoredState): string {
  const name = basename(state);
  return serial === 0
    ? `${name} is not there yet: no run has saved it`
    : `${name} holds version ${serial} of ${lineage}`;
}

function journalParts({ journal }: StateFiles, { is, events, torn }: FoundJournal): readonly string[] {
  const name = basename(journal);
  const count = events === 1 ? "1 event" : `${events} events`;
  const told = { "folded-in": "that come after it", older: "that are in it already" } as const;
  const cut = `the last line of ${name} was cut short while it was written, and is left out`;
  return [`${name} holds ${count} ${told[is]}`, ...(torn ? [cut] : [])];
}

function openPart(count: number): string {
  if (count === 0) return "no announced call is without its outcome";
  return `${count === 1 ? "1 announced call is" : `${count} announced calls are`} without an outcome`;
}
