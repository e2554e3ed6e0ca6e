import type { StateSession } from "../../ports/state-store.ts";
import type { CommandResult } from "../output/conclude.ts";
import { errorFromFailure } from "../stop.ts";

/** Works on a locked state. Whatever happens in between, it is saved and unlocked; what stopped the work counts first. */
export async function underLock(session: StateSession, work: () => Promise<CommandResult>): Promise<CommandResult> {
  const { concluded, closed } = await runThenClose(session, work);
  return closed.ok ? concluded : { ...concluded, stop: concluded.stop ?? errorFromFailure(closed.error) };
}

/** What the work came to, and what became of the state that was saved and unlocked after it, also where the work has thrown. */
export async function runThenClose(
  session: StateSession,
  work: () => Promise<CommandResult>,
): Promise<{ readonly concluded: CommandResult; readonly closed: Awaited<ReturnType<StateSession["close"]>> }> {
  const outcome = await work().then(
    (concluded) => ({ concluded }),
    (thrown: unknown) => ({ thrown }),
  );
  const closed = await session.close();
  if ("thrown" in outcome) throw outcome.thrown;
  return { ...outcome, closed };
}
