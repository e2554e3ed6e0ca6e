import { rm } from "node:fs/promises";
import { encodeState } from "../codec/state-format.ts";
import { applyEvents } from "../journal/fold-state.ts";
import type { Failure } from "../model/failure.ts";
import { type Result, success } from "../model/result.ts";
import type { RunEvent } from "../model/run-event.ts";
import type { State } from "../model/state.ts";
import type { StateSession } from "../ports/state-store.ts";
import { replaceFile, syncDirectory } from "./durable-file.ts";
import { attempt, fileFailure } from "./file-failure.ts";
import { type FileJournal, fileJournal } from "./file-journal.ts";
import type { FileLock } from "./file-lock.ts";
import type { StateFiles } from "./state-files.ts";
import type { StoredState } from "./stored-state.ts";

/** A locked state in files. Nothing is written where nothing is appended. */
export function fileSession(files: StateFiles, stored: StoredState, lock: FileLock): StateSession {
  const { state } = stored;
  const journal = fileJournal(files, { start: state, continues: stored.journal });
  const appended: RunEvent[] = [];
  return {
    state,
    writes: "appended",
    async append(events) {
      if (events.length === 0) return;
      for (const event of events) appended.push(event);
      await append(journal, events, files);
    },
    async close(instead) {
      try {
        if (appended.length === 0 && instead === undefined) return success(state);
        return await save(files, journal, instead ?? applyEvents(state, appended), state.serial + 1);
      } finally {
        await lock.release();
      }
    },
  };
}

/** A lost journal is an exception: without it no further call may be sent. */
async function append(journal: FileJournal, events: readonly RunEvent[], files: StateFiles): Promise<void> {
  try {
    await journal.append(events);
  } catch (error) {
    throw new Error(fileFailure(error, "written", files.journal).message, { cause: error });
  }
}

/** Until the new state is in its place, the journal stays: after that it is of an older version, and ignored. */
async function save(
  files: StateFiles,
  journal: FileJournal,
  folded: State,
  serial: number,
): Promise<Result<State, Failure>> {
  const state: State = { ...folded, serial };
  return attempt("written", files.state, async () => {
    await journal.close();
    await replaceFile(files.state, files.next, encodeState(state));
    await rm(files.journal, { force: true });
    await syncDirectory(files.directory);
    return state;
  });
}
