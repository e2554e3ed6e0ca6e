import { applyEvents } from "../journal/fold-state.ts";
import type { RunEvent } from "../model/event.ts";
import { success } from "../model/result.ts";
import type { State } from "../model/state.ts";
import type { StateSession } from "../ports/state-store.ts";

/** A copy of a state that lives as long as its rehearsal. */
export interface RehearsalSession extends StateSession {
  /** The state that a later run would find. */
  left(): State;
}

export function rehearsalSession(state: State): RehearsalSession {
  const events: RunEvent[] = [];
  const left = () => applyEvents(state, events);
  return {
    state,
    writes: "appended",
    left,
    async append(more) {
      events.push(...more);
    },
    close: async () => success(left()),
  };
}
