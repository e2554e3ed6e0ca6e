import type { RunSummary } from "../../journal/summary.ts";
import type { Drift, DriftClass } from "../../model/drift.ts";
import type { Plan } from "../../model/plan.ts";
import { healingPlan } from "../../plan/drift/heal.ts";
import type { DriftRecording } from "../../report/drift.ts";
import { type ApplySession, planningEvents, planningUnderLock, runUnderLock } from "../apply/apply-under-lock.ts";
import { readDeadline } from "../cancellation.ts";
import { errorFromFailure } from "../command-error.ts";
import { readAcknowledgements } from "../drift/acknowledgements.ts";
import { checkDrift, type DriftFlags, readHealClasses } from "../drift/check-drift.ts";
import { findDrift, fixedByRun, recordSightings } from "../drift/sightings.ts";
import { notifyWebhook, readWebhook } from "../drift/webhook.ts";
import type { Host } from "../host.ts";
import { type CommandResult, finish } from "../output/finish.ts";
import { type Planned, planFor } from "../planning/pipeline.ts";
import { type CommandSession, withSession } from "../session.ts";
import { type LockWaitOptions, readLockOptions, takeLock, underLock } from "../stores/lock.ts";
import { sha256 } from "../system.ts";

/**
 * Reads everyone and says in what the service and the roster differ, why and since when. Locks the state only to remember
 * what it saw, and only where it can; with classes to heal it is an apply of just these.
 */
export async function drift(paths: readonly string[], flags: DriftFlags, host: Host): Promise<number> {
  const webhook = await readWebhook(flags, host);
  if (!webhook.ok) return finish({ ...begun, stop: webhook.error }, flags, host);
  const began = host.clock.now();
  const conclusion = await driftResult(paths, flags, host);
  const exitCode = await finish(conclusion, flags, host);
  const limit = readDeadline(flags, host);
  const isOver = limit.ok && limit.value !== undefined && host.clock.now() - began >= limit.value;
  const attempts = isOver ? "one" : "several";
  if (webhook.value !== undefined)
    await notifyWebhook(webhook.value, { conclusion, exitCode }, { flags, host, attempts });
  return exitCode;
}

const begun: CommandResult = { command: "drift", tells: "what-remains", diagnostics: [] };

async function driftResult(paths: readonly string[], flags: DriftFlags, host: Host): Promise<CommandResult> {
  const patience = readLockOptions(flags, host);
  if (!patience.ok) return { ...begun, stop: patience.error };
  const classes = readHealClasses(flags);
  if (!classes.ok) return { ...begun, stop: classes.error };
  const everyone = { ...flags, unmanaged: true };
  return withSession(begun, { paths, flags: everyone, host }, async (so, ready) => {
    const work = { flags: everyone, host, patience: patience.value };
    return classes.value === undefined
      ? checkDrift(so, { ...ready, ...work })
      : heal(so, ready, { ...work, classes: classes.value });
  });
}

async function heal(
  so: CommandResult,
  { store, ...ready }: CommandSession,
  { flags, host, patience, classes }: HealSession,
): Promise<CommandResult> {
  const run = host.randomness.identifier();
  const { signal } = ready.halting;
  const locked = await takeLock(store, { run, operation: "drift --heal" }, patience, { host, signal });
  if (!locked.ok) return { ...so, stop: errorFromFailure(locked.error) };
  const session = locked.value;
  return underLock(session, () => healUnderLock(so, { flags, host, ...ready, session, run }, classes));
}

interface HealSession {
  readonly flags: DriftFlags;
  readonly host: Host;
  readonly patience: LockWaitOptions;
  readonly classes: ReadonlySet<DriftClass>;
}

/** Applies the part of the plan that is of some classes, through the same guards, approval and journal as an apply. */
export async function healUnderLock(
  so: CommandResult,
  work: ApplySession,
  classes: ReadonlySet<DriftClass>,
): Promise<CommandResult> {
  const known = await readAcknowledgements(work.settings, work.host);
  if (!known.ok) return { ...so, stop: known.error };
  const { question, ports } = planningUnderLock(work);
  const planned = await planFor(question, ports);
  if (!planned.ok) return { ...so, stop: planned.error };
  const { roster } = work.loaded;
  const drift = findDrift(planned.value, { roster, policy: work.policy, known: known.value });
  const part = healingPlan(planned.value.plan, drift, classes, sha256);
  // What was healed is a part of the roster: it is not applied as a whole.
  const { taught } = planningEvents(work, planned.value);
  const ended = await runUnderLock(so, work, healingToRun(planned.value, part), { taught, applied: [] });
  return recordHealing(ended, work, { planned: planned.value, drift, classes });
}

/** What guards have against a plan of which nothing is to be done is no matter. */
function healingToRun(planned: Planned, plan: Plan): Planned {
  if (plan.actions.length > 0) return { ...planned, plan };
  const { refusal: _, ...rest } = planned;
  return { ...rest, plan };
}

interface Healing {
  readonly planned: Planned;
  readonly drift: Drift;
  readonly classes: ReadonlySet<DriftClass>;
}

async function recordHealing(
  ended: CommandResult,
  work: ApplySession,
  { planned, drift, classes }: Healing,
): Promise<CommandResult> {
  if (ended.stop !== undefined) return ended;
  const settled = fixedByRun(ended.run, drift);
  const left = { ...drift, items: drift.items.filter(({ fingerprint }) => !settled.has(fingerprint)) };
  const done = await recordSightings(work.session, { planned, drift, policy: work.policy, settled }, work.host);
  const record: DriftRecording =
    typeof done === "string" ? { is: done } : { is: "not-recorded", why: "the state is lost" };
  const told: CommandResult = {
    ...ended,
    plan: shownPlan(ended.run, planned, ended.plan),
    drift: { drift: left, tells: "everything", record, healing: [...classes] },
  };
  return typeof done === "string" ? told : { ...told, stop: done };
}

/** What was run; where nothing was, all that differs. */
function shownPlan(run: RunSummary | undefined, { plan }: Planned, ran: Plan | undefined): Plan {
  return run === undefined || ran === undefined ? plan : ran;
}
