import type { ErrorReason } from "../../library/error.ts";
import { accessWasRefused, isWhole, type RunSummary } from "../../log/summary.ts";
import type { ActionId } from "../../model/action.ts";
import { isOpenProblem } from "../../model/finding.ts";
import type { Plan } from "../../model/plan.ts";
import type { CommandOutcome } from "../../report/outcome.ts";
import { type Interrupt, interruptExitCodes } from "../host.ts";

export interface CommandEnding {
  readonly command?: CommandOutcome["command"] | undefined;
  readonly interrupted?: Interrupt | undefined;
  readonly stopped?: ErrorReason | undefined;
  readonly plan?: Plan | undefined;
  readonly run?: RunSummary | undefined;
  /** What of a drift is not accepted, and nothing has put right: it counts in place of the plan. */
  readonly drift?: { readonly changes: number; readonly blocking: number } | undefined;
  readonly targets?: readonly number[];
  readonly isWritten?: boolean;
  readonly tells: "what-remains" | "success-only";
}

/** The exit code of every command: where several hold, the first in this order. @internal */
export const precedence: readonly { readonly code: number; readonly holds: (ending: CommandEnding) => boolean }[] = [
  { code: interruptExitCodes.SIGINT, holds: ({ interrupted }) => interrupted === "SIGINT" },
  { code: interruptExitCodes.SIGTERM, holds: ({ interrupted }) => interrupted === "SIGTERM" },
  { code: interruptExitCodes.SIGHUP, holds: ({ interrupted }) => interrupted === "SIGHUP" },
  { code: 3, holds: ({ stopped }) => stopped === "invalid" },
  { code: 4, holds: ({ stopped, run }) => stopped === "access" || (run !== undefined && accessWasRefused(run)) },
  { code: 8, holds: ({ stopped }) => stopped === "locked" },
  { code: 5, holds: ({ stopped }) => stopped === "refused" },
  { code: 6, holds: ({ stopped, run }) => stopped === "stale" || (run !== undefined && nothingFitted(run)) },
  { code: 7, holds: (ending) => (ending.run !== undefined && !isWhole(ending.run)) || leavesUnknown(ending) },
  {
    code: 1,
    holds: ({ stopped, isWritten }) => stopped === "failed" || stopped === "aborted" || isWritten === false,
  },
  { code: 2, holds: (ending) => ending.tells === "what-remains" && changesWait(ending) },
  { code: 9, holds: (ending) => ending.tells === "what-remains" && blockingRemain(ending) },
];

/** @internal */
export function exitCodeOf(ending: CommandEnding): number {
  const { targets = [] } = ending;
  return precedence.find(({ code, holds }) => holds(ending) || targets.includes(code))?.code ?? 0;
}

function changesWait({ plan, run, drift }: CommandEnding): boolean {
  if (drift !== undefined) return drift.changes > 0;
  return run === undefined && plan !== undefined && plan.actions.length > 0;
}

/** What was skipped because of something stale did not fit either. */
function nothingFitted({ outcomes }: RunSummary): boolean {
  const isStale = (action: ActionId | undefined) => action !== undefined && outcomes.get(action)?.is === "stale";
  const misfits = [...outcomes].filter(
    ([action, outcome]) => isStale(action) || (outcome.is === "skipped" && isStale(outcome.cause)),
  );
  return misfits.length > 0 && misfits.length === outcomes.size;
}

/** An apply that found a call of an earlier run and could not resolve it is no better than the run that sent it. */
function leavesUnknown({ command, stopped, plan }: CommandEnding): boolean {
  if (command !== "apply" || stopped !== undefined || plan === undefined) return false;
  return plan.findings.some(({ code }) => code === "unknown-outcome");
}

function blockingRemain({ plan, run, drift }: CommandEnding): boolean {
  const found = run?.findings ?? [];
  if (drift !== undefined) return drift.blocking > 0 || found.some(isOpenProblem);
  return [...(plan?.findings ?? []), ...found].some(isOpenProblem);
}
