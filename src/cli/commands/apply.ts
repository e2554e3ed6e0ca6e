import { applyUnderLock } from "../apply/apply-under-lock.ts";
import { readSequence, type SequenceFlags } from "../apply/run-plan.ts";
import { errorFromFailure } from "../command-error.ts";
import type { Host } from "../host.ts";
import { type CommandResult, finish } from "../output/finish.ts";
import { refuseUnusedView } from "../output/output-flags.ts";
import { applyPlanFile } from "../plan-file/apply-plan-file.ts";
import { findPlan } from "../plan-file/read-plan-file.ts";
import { type RehearsalFlags, readRehearsal } from "../planning/rehearsal.ts";
import { type PlanningFlags, withSession } from "../session.ts";
import { type LockFlags, readLockOptions, takeLock, underLock } from "../stores/lock.ts";

export interface ApplyFlags extends PlanningFlags, LockFlags, SequenceFlags, RehearsalFlags {
  readonly autoApprove?: boolean;
}

/**
 * Brings the service to the roster: plans under the state's lock, asks, runs the plan, saves what it learned. Or applies a plan
 * that was saved, told by the content of the one path.
 */
export async function apply(paths: readonly string[], flags: ApplyFlags, host: Host): Promise<number> {
  return finish(await applyResult(paths, flags, host), flags, host);
}

async function applyResult(paths: readonly string[], flags: ApplyFlags, host: Host): Promise<CommandResult> {
  const begun: CommandResult = { command: "apply", tells: "what-remains", diagnostics: [] };
  const unseen = refuseUnusedView(flags, { asks: flags.autoApprove === true ? "nobody" : "somebody" });
  if (unseen !== undefined) return { ...begun, stop: unseen };
  const patience = readLockOptions(flags, host);
  if (!patience.ok) return { ...begun, stop: patience.error };
  const sequence = readSequence(flags);
  if (!sequence.ok) return { ...begun, stop: sequence.error };
  const wished = readRehearsal(flags);
  if (!wished.ok) return { ...begun, stop: wished.error };
  const order = sequence.value === undefined ? {} : { sequence: sequence.value };
  const found = await findPlan(paths, host);
  if (!found.ok) return { ...begun, stop: found.error };
  if (found.value.is === "plan") {
    return applyPlanFile(begun, found.value, { flags, host, patience: patience.value, ...order });
  }
  const read = { paths, flags, host: found.value.host };
  return withSession(begun, read, async (so, { store, readTimes, ...ready }) => {
    const rehearsal = { ...wished.value, readTimes };
    const run = host.randomness.identifier();
    const { signal } = ready.halting;
    const locked = await takeLock(store, { run, operation: "apply" }, patience.value, { host, signal });
    if (!locked.ok) return { ...so, stop: errorFromFailure(locked.error) };
    const session = locked.value;
    return underLock(session, () => applyUnderLock(so, { flags, host, ...ready, ...order, session, run, rehearsal }));
  });
}
