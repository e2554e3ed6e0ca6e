import type { RosterError } from "../library/error.ts";
import { type ActionOutcome, accessWasRefused, isWhole, type RunSummary } from "../log/summary.ts";
import { isOpenProblem } from "../model/finding.ts";
import { countDrift } from "../report/document/drift.ts";
import type { CommandOutcome } from "../report/outcome.ts";
import { type Interrupt, interruptExitCodes } from "./host.ts";

export interface Ending extends Pick<CommandOutcome, "command" | "plan" | "run" | "drift" | "fleet"> {
  readonly stop?: RosterError | undefined;
  readonly tells: "what-remains" | "success-only";
  readonly interrupted?: Interrupt | undefined;
  readonly isWritten?: boolean;
}

/** The exit code of every command: where several hold, the first in this order. */
export const precedence: readonly { readonly code: number; readonly holds: (ending: Ending) => boolean }[] = [
  ...(["SIGINT", "SIGTERM", "SIGHUP"] as const).map((by) => {
    return { code: interruptExitCodes[by], holds: ({ interrupted }: Ending) => interrupted === by };
  }),
  { code: 3, holds: ({ stop }) => stop?.reason === "invalid" },
  { code: 4, holds: ({ stop, run }) => stop?.reason === "access" || (run !== undefined && accessWasRefused(run)) },
  { code: 8, holds: ({ stop }) => stop?.reason === "locked" },
  { code: 5, holds: ({ stop }) => stop?.reason === "refused" },
  { code: 6, holds: ({ stop, run }) => stop?.reason === "stale" || (run !== undefined && isAllStale(run)) },
  { code: 7, holds: (ending) => (ending.run !== undefined && !isWhole(ending.run)) || leavesUnknown(ending) },
  {
    code: 1,
    holds: ({ stop, isWritten }) => stop?.reason === "failed" || stop?.reason === "aborted" || isWritten === false,
  },
  { code: 2, holds: (ending) => ending.tells === "what-remains" && changesWait(ending) },
  { code: 9, holds: (ending) => ending.tells === "what-remains" && blockingRemain(ending) },
];

export function exitCodeOf(ending: Ending): number {
  const { fleet } = ending;
  // A target that was not started is a part that was not done.
  const codes = fleet === undefined || fleet.did === "validated" ? [] : fleet.targets.map((one) => one.exit_code ?? 7);
  return precedence.find(({ code, holds }) => holds(ending) || codes.includes(code))?.code ?? 0;
}

function changesWait({ plan, run, drift }: Ending): boolean {
  if (drift !== undefined) return countDrift(drift).changes > 0;
  return run === undefined && plan !== undefined && plan.actions.length > 0;
}

/** What was skipped because of something stale counts too. */
function isAllStale({ outcomes }: RunSummary): boolean {
  const isStale = (one: ActionOutcome | undefined) => one?.is === "stale";
  const causeOf = (one: ActionOutcome) => (one.is === "skipped" && one.cause ? outcomes.get(one.cause) : undefined);
  return outcomes.size > 0 && [...outcomes.values()].every((one) => isStale(one) || isStale(causeOf(one)));
}

/** An apply that found a call of an earlier run and could not resolve it is no better than the run that sent it. */
function leavesUnknown({ command, stop, plan }: Ending): boolean {
  if (command !== "apply" || stop !== undefined || plan === undefined) return false;
  return plan.findings.some(({ code }) => code === "unknown-outcome");
}

function blockingRemain({ plan, run, drift }: Ending): boolean {
  const found = run?.findings ?? [];
  if (drift !== undefined) return countDrift(drift).blocking > 0 || found.some(isOpenProblem);
  return [...(plan?.findings ?? []), ...found].some(isOpenProblem);
}
