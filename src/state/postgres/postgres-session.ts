import { encodeJournalLine, encodeJournalStart } from "../../codec/encode-journal.ts";
import { applyEvents } from "../../journal/fold-state.ts";
import type { Failure } from "../../model/failure.ts";
import { type Result, success } from "../../model/result.ts";
import type { RunEvent } from "../../model/run-event.ts";
import type { State } from "../../model/state.ts";
import type { Clock } from "../../ports/clock.ts";
import type { StateSession } from "../../ports/state-store.ts";
import { groupCommit } from "../group-commit.ts";
import { addLines, type LockedState, releaseState, saveState, sendHeartbeat } from "./held-state.ts";
import type { StoredRows } from "./stored-rows.ts";

export interface SessionParts {
  readonly held: LockedState;
  readonly stored: StoredRows;
  readonly clock: Clock;
  /** Ends what belongs to the session. */
  readonly end: () => Promise<void>;
}

/** A locked state in the tables. Nothing is written where nothing is appended. */
export function postgresSession({ held, stored, clock, end }: SessionParts): StateSession {
  const { state } = stored;
  const appended: RunEvent[] = [];
  let lines = stored.lines;

  const commit = groupCommit(async (text) => {
    const begin = lines === 0 ? encodeJournalStart(held.base) : "";
    const more = `${begin}${text}`.split("\n").slice(0, -1);
    let asked = clock.now();
    let done = await addLines(held, lines, more);
    // A process that was stopped while it asked asks again: others may have thought it dead in the meantime.
    while (done.ok && clock.now() - asked > overslept) {
      asked = clock.now();
      done = await sendHeartbeat(held);
    }
    if (!done.ok) throw new Error(done.error.message);
    lines += more.length;
  });

  async function save(next: State): Promise<Result<State, Failure>> {
    return saveState(held, { ...next, serial: Math.max(state.serial, next.serial) + 1 });
  }

  return {
    state,
    writes: "appended",
    async append(events) {
      if (events.length === 0) return;
      for (const event of events) appended.push(event);
      await commit(events.map(encodeJournalLine).join(""));
    },
    async close(instead) {
      try {
        if (appended.length === 0 && instead === undefined) return success(state);
        return await save(instead ?? applyEvents(state, appended));
      } finally {
        await releaseState(held);
        await end();
      }
    },
  };
}

/** In milliseconds; less than any silence after which a lock may be taken over. */
const overslept = 30_000;
