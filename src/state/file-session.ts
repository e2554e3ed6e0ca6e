import { applyEvents } from "../journal/fold-state.ts";
import type { Failure } from "../model/failure.ts";
import { problem, type Result, success } from "../model/result.ts";
import type { RunEvent } from "../model/run-event.ts";
import type { State } from "../model/state.ts";
import type { Clock } from "../ports/clock.ts";
import type { StateSession } from "../ports/state-store.ts";
import { fileFailure } from "./file-failure.ts";
import { fileJournal } from "./file-journal.ts";
import type { FileSystem } from "./file-system.ts";
import type { HeldLock } from "./held-lock.ts";
import { confirmHeld, LockLostError } from "./lock-confirmation.ts";
import { dropJournal, saveState } from "./saved-state.ts";
import type { StateFiles } from "./state-files.ts";
import type { StoredState } from "./stored-state.ts";

export interface SessionBasis {
  readonly disk: FileSystem;
  readonly files: StateFiles;
  readonly stored: StoredState;
  readonly lock: HeldLock;
  readonly clock: Clock;
}

/** A locked state in files. Nothing is written where nothing is appended. */
export function fileSession({ disk, files, stored, lock, clock }: SessionBasis): StateSession {
  const { state } = stored;
  const appended: RunEvent[] = [];
  let { serial } = state;

  async function save(next: State): Promise<State> {
    const numbered: State = { ...next, serial: Math.max(serial, next.serial) + 1 };
    serial = numbered.serial;
    await saveState(disk, files, lock, numbered);
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

  return {
    state,
    writes: "appended",
    async append(events) {
      if (events.length === 0) return;
      for (const event of events) appended.push(event);
      try {
        await journal.append(events);
      } catch (error) {
        const { message, hint } = await failureOf(error, files.journal);
        throw new Error(hint === undefined ? message : `${message} (${hint})`, { cause: error });
      }
    },
    async close(instead) {
      try {
        if (appended.length === 0 && instead === undefined) return success(state);
        return await saveAll(instead ?? applyEvents(state, appended));
      } finally {
        await lock.release();
      }
    },
  };
}
