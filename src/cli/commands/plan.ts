import type { Host } from "../host.ts";
import { type CommandResult, type FinishedCommand, finish, repeatedArguments, selectedPart } from "../output/finish.ts";
import { refuseUnusedView, shownAs } from "../output/output-flags.ts";
import { type OutFlags, readOut, savePlan } from "../plan-file/plan-file.ts";
import { planWithoutLock } from "../planning/plan-without-lock.ts";
import { readSnapshotFlags, type SnapshotFlags } from "../planning/snapshot-flags.ts";
import { type CommandCall, type PlanningFlags, runCommand } from "../session.ts";

export interface PlanFlags extends PlanningFlags, OutFlags, SnapshotFlags {
  readonly detailedExitcode?: boolean;
}

/** Shows what `apply` would do, and saves it if a file is named. Takes no lock and writes nothing else. */
export async function plan(paths: readonly string[], flags: PlanFlags, host: Host): Promise<number> {
  return (await runPlan(paths, flags, host)).exitCode;
}

/** The same, for a command that runs others. */
export async function runPlan(paths: readonly string[], flags: PlanFlags, host: Host): Promise<FinishedCommand> {
  const result = await runCommand((open) => planResult(paths, { flags, host, open }));
  return { result, exitCode: await finish(result, flags, host) };
}

async function planResult(
  paths: readonly string[],
  { flags, host, open }: CommandCall<PlanFlags>,
): Promise<CommandResult> {
  const tells = flags.detailedExitcode === true ? "what-remains" : "success-only";
  const base: CommandResult = { command: "plan", tells, diagnostics: [], ...repeatedArguments(paths, flags) };
  const stop = refuseUnusedView(flags, { asks: "nobody" });
  if (stop !== undefined) return { ...base, stop };
  const snapshot = readSnapshotFlags(flags);
  if (!snapshot.ok) return { ...base, stop: snapshot.error };
  const out = await readOut(flags, host);
  if (!out.ok) return { ...base, stop: out.error };
  const made = await planWithoutLock(base, { paths, flags, host, open, snapshot: snapshot.value });
  if (!made.ok) return made.error;
  const { session, planned, result } = made.value;
  const { plan, reading, refusal } = planned;
  session.observer.planned(plan);
  const shown: CommandResult = {
    ...result,
    plan,
    reading,
    ...shownAs(flags, session.policy),
    ...selectedPart(session.policy),
    ...(refusal === undefined ? {} : { stop: refusal }),
  };
  if (out.value === undefined) return shown;
  return savePlan(shown, made.value, out.value);
}
