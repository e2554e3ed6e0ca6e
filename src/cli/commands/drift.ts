import type { RunSummary } from "../../journal/summary.ts";
import type { Drift, DriftClass } from "../../model/drift.ts";
import type { Plan } from "../../model/plan.ts";
import { healingPlan } from "../../plan/drift/heal.ts";
import type { DriftRecording } from "../../report/drift.ts";
import { type ApplySession, planningEvents, planningInput, runUnderLock } from "../apply/apply-under-lock.ts";
import { readDeadline } from "../cancellation.ts";
import { readAcknowledgements } from "../drift/acknowledgements.ts";
import { checkDrift, type DriftFlags, readHealClasses } from "../drift/check-drift.ts";
import { findDrift, fixedByRun, recordSightings } from "../drift/sightings.ts";
import { notifyWebhook, readWebhook } from "../drift/webhook.ts";
import type { Host } from "../host.ts";
import { type CommandResult, finish } from "../output/finish.ts";
import { rosterSummary } from "../planning/load-roster.ts";
import { type Planned, planFor } from "../planning/pipeline.ts";
import { type openSession, readPorts, runCommand } from "../session.ts";
import { lockState, readLockOptions } from "../stores/lock.ts";
import { sha256 } from "../system.ts";

/**
 * Reads everyone and says in what the service and the roster differ, why and since when. Locks the state only to remember
 * what it saw, and only where it can; with classes to heal it is an apply of just these.
 */
export async function drift(paths: readonly string[], flags: DriftFlags, host: Host): Promise<number> {
  const webhook = await readWebhook(flags, host);
  if (!webhook.ok) return finish({ ...base, stop: webhook.error }, flags, host);
  const began = host.clock.now();
  const result = await runCommand((open) => driftResult(paths, { flags, host }, open));
  const exitCode = await finish(result, flags, host);
  const limit = readDeadline(flags, host);
  const isOver = limit.ok && limit.value !== undefined && host.clock.now() - began >= limit.value;
  const attempts = isOver ? "one" : "several";
  if (webhook.value !== undefined)
    await notifyWebhook(webhook.value, { conclusion: result, exitCode }, { flags, host, attempts });
  return exitCode;
}

const base: CommandResult = { command: "drift", tells: "what-remains", diagnostics: [] };

async function driftResult(
  paths: readonly string[],
  { flags: given, host }: { readonly flags: DriftFlags; readonly host: Host },
  open: typeof openSession,
): Promise<CommandResult> {
  const wait = readLockOptions(given, host);
  if (!wait.ok) return { ...base, stop: wait.error };
  const classes = readHealClasses(given);
  if (!classes.ok) return { ...base, stop: classes.error };
  const flags = { ...given, unmanaged: true };
  const needs = ["policy", "observer", "loaded", "store", "service"] as const;
  const session = await open({ command: "drift", paths, flags, host, needs });
  if (!session.ok) return { ...base, ...session.error };
  const result = { ...base, ...rosterSummary(session.value.loaded) };
  if (classes.value === undefined) return checkDrift(result, session.value, { flags, wait: wait.value });
  const locked = await lockState(session.value, "drift --heal", wait.value);
  if (!locked.ok) return { ...result, stop: locked.error };
  return healUnderLock(result, locked.value, { flags, classes: classes.value });
}

/** Applies the part of the plan that is of some classes, through the same guards, approval and journal as an apply. */
async function healUnderLock(
  result: CommandResult,
  session: ApplySession,
  { flags, classes }: { readonly flags: DriftFlags; readonly classes: ReadonlySet<DriftClass> },
): Promise<CommandResult> {
  const { settings, host, policy, loaded } = session;
  const known = await readAcknowledgements(settings, host);
  if (!known.ok) return { ...result, stop: known.error };
  const made = await planFor(planningInput(session, flags), readPorts(session));
  if (!made.ok) return { ...result, stop: made.error };
  const planned = made.value;
  const drift = findDrift(planned, { roster: loaded.roster, policy, known: known.value });
  const part = healingPlan(planned.plan, drift, classes, sha256);
  // What was healed is a part of the roster: it is not applied as a whole.
  const { learned } = planningEvents(session, planned);
  const events = { learned, applied: [] };
  const ended = await runUnderLock(result, session, healingToRun(planned, part), { flags, events });
  return recordHealing(ended, session, { planned, drift, classes });
}

/** Guards have no say about a plan without actions. */
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
  { lock, policy, host }: ApplySession,
  { planned, drift, classes }: Healing,
): Promise<CommandResult> {
  if (ended.stop !== undefined) return ended;
  const settled = fixedByRun(ended.run, drift);
  const left = { ...drift, items: drift.items.filter(({ fingerprint }) => !settled.has(fingerprint)) };
  const recorded = await recordSightings(lock, { planned, drift, policy, settled }, host);
  const record: DriftRecording =
    typeof recorded === "string" ? { is: recorded } : { is: "not-recorded", why: "the state is lost" };
  const healed: CommandResult = {
    ...ended,
    plan: shownPlan(ended.run, planned, ended.plan),
    drift: { drift: left, tells: "everything", record, healing: [...classes] },
  };
  return typeof recorded === "string" ? healed : { ...healed, stop: recorded };
}

/** What was run; where nothing was, all that differs. */
function shownPlan(run: RunSummary | undefined, { plan }: Planned, ran: Plan | undefined): Plan {
  return run === undefined || ran === undefined ? plan : ran;
}
