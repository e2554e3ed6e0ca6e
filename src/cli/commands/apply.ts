import {
  applyRoster,
  type ExpectedPlanFlags,
  readExpectedPlan,
  readSequence,
  type SequenceFlags,
} from "../apply/apply-under-lock.ts";
import { readWebhook } from "../drift/webhook.ts";
import type { Host } from "../host.ts";
import { type CommandResult, type FinishedCommand, finish, repeatedArguments } from "../output/finish.ts";
import { refuseUnusedView } from "../output/output-flags.ts";
import { findPlan } from "../plan-file/plan-file.ts";
import { rosterSummary } from "../planning/roster-files.ts";
import { type CommandCall, type PlanningFlags, planningParts, runCommand } from "../session.ts";
import { type LockFlags, lockState, readLockOptions } from "../stores/lock.ts";

export interface ApplyFlags extends PlanningFlags, LockFlags, SequenceFlags, ExpectedPlanFlags {
  readonly autoApprove?: boolean;
}

/**
 * Makes the service match the roster: plans under the log's lock, asks, runs the plan, saves what it learned. Or applies a
 * saved plan, which the content of the one path shows.
 */
export async function apply(paths: readonly string[], flags: ApplyFlags, host: Host): Promise<number> {
  return (await runApply(paths, flags, host)).exitCode;
}

/** The same, for a command that runs others. */
export async function runApply(paths: readonly string[], flags: ApplyFlags, host: Host): Promise<FinishedCommand> {
  const result = await runCommand((open) => applyResult(paths, { flags, host, open }));
  return { result, exitCode: await finish(result, flags, host) };
}

async function applyResult(
  paths: readonly string[],
  { flags, host, open }: CommandCall<ApplyFlags>,
): Promise<CommandResult> {
  const base: CommandResult = { command: "apply", tells: "what-remains", diagnostics: [] };
  const stop = refuseUnusedView(flags, { asks: flags.autoApprove === true ? "nobody" : "somebody" });
  if (stop !== undefined) return { ...base, stop };
  const wait = readLockOptions(flags);
  if (!wait.ok) return { ...base, stop: wait.error };
  const number = readSequence(flags);
  if (!number.ok) return { ...base, stop: number.error };
  const sequence = number.value === undefined ? {} : { sequence: number.value };
  const expected = await readExpectedPlan(flags, host);
  if (!expected.ok) return { ...base, stop: expected.error };
  const webhook = readWebhook(host);
  if (!webhook.ok) return { ...base, stop: webhook.error };
  const found = await findPlan(paths, host);
  if (!found.ok) return { ...base, stop: found.error };
  if (found.value.is === "plan") {
    const { applyPlanFile } = await import("../plan-file/apply-plan-file.ts");
    return applyPlanFile(base, found.value, {
      flags,
      host,
      open,
      wait: wait.value,
      ...sequence,
      expected: expected.value,
      webhook: webhook.value,
    });
  }
  const { stdin } = found.value;
  const session = await open({ command: "apply", paths, stdin, flags, host, needs: planningParts });
  if (!session.ok) return { ...base, ...session.error };
  const result = { ...base, ...rosterSummary(session.value.loaded), ...repeatedArguments(paths, flags) };
  const locked = await lockState(session.value, "apply", wait.value);
  if (!locked.ok) return { ...result, stop: locked.error };
  return applyRoster(result, locked.value, {
    flags,
    ...sequence,
    expected: expected.value,
    webhook: webhook.value,
  });
}
