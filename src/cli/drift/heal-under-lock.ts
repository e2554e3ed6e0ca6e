import type { RunSummary } from "../../journal/summary.ts";
import type { Drift, DriftClass } from "../../model/drift.ts";
import type { Plan } from "../../model/plan.ts";
import { healingPlan } from "../../plan/drift/heal.ts";
import type { DriftRecording } from "../../report/drift.ts";
import type { CommandResult } from "../output/conclude.ts";
import { type Planned, planFor } from "../planning/pipeline.ts";
import { type ApplySession, planningEvents, planningUnderLock, runUnderLock } from "../running/apply-under-lock.ts";
import { sha256 } from "../system.ts";
import { readAcknowledgements } from "./acknowledgements-file.ts";
import { fixedByRun } from "./done-by.ts";
import { findDrift } from "./judge-drift.ts";
import { recordSightings } from "./record-look.ts";

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
