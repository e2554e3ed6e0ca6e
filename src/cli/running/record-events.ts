import type { RunEvent } from "../../model/event.ts";
import type { StateSession } from "../../ports/state-store.ts";
import { type CommandError, errorFromFailure } from "../stop.ts";

/** Makes events durable, or says that the place of the state is lost. `meanwhile`: what has become of the rest, in a few words. */
export async function recordEvents(
  session: StateSession,
  events: readonly RunEvent[],
  meanwhile: string,
): Promise<CommandError | undefined> {
  try {
    await session.append(events);
    return undefined;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const hint = `${meanwhile}; mend the place of the state, and run again`;
    return errorFromFailure({ code: "state", message: error.message, hint });
  }
}
