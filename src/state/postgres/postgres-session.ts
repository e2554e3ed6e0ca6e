import { encodeJournalLine, encodeJournalStart } from "../../codec/encode-journal.ts";
import { applyEvents } from "../../journal/fold-state.ts";
import type { Failure } from "../../model/failure.ts";
import { type Result, success } from "../../model/result.ts";
import type { RunEvent } from "../../model/run-event.ts";
import type { State } from "../../model/state.ts";
import type { StateSession } from "../../ports/state-store.ts";
import { groupCommit } from "../group-commit.ts";
import { addLines, giveBack, type HeldState, saveState } from "./held-state.ts";
import type { StoredRows } from "./stored-rows.ts";

/** A locked state in the tables; `end` ends what belongs to it. Nothing is written where nothing is appended. */
export function postgresSession(held: HeldState, stored: StoredRows, end: () => Promise<void>): StateSession {
  const { state } = stored;
  const appended: RunEvent[] = [];
  let lines = stored.lines;

  const commit = groupCommit(async (text) => {
    const begin = lines === 0 ? encodeJournalStart(held.base) : "";
    const more = `${begin}${text}`.split("\n").slice(0, -1);
    const added = await addLines(held, lines, more);
    if (!added.ok) throw new Error(added.error.message);
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
        await giveBack(held);
        await end();
      }
    },
  };
}
