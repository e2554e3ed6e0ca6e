import type { DriftClass } from "../model/drift.ts";
import { accountStatus } from "../model/key.ts";
import type { Plan } from "../model/plan.ts";
import { type RecordedUser, unshownUntil } from "../model/user.ts";
import { repairPlan } from "../plan/drift/classify.ts";
import { computeDrift } from "../plan/drift/compute-drift.ts";
import { isoTime } from "../ports/clock.ts";
import { type ApplyResult, havingApplied, stopError } from "./error.ts";
import { lockChecks } from "./lock.ts";
import { findTasks, fixedByRun, recordOpenFindings } from "./open-findings.ts";
import { checkOptions, is, type OptionChecks } from "./options.ts";
import {
  allowancesUsed,
  checkServiceDoubt,
  learnedEvents,
  type Planned,
  type PlanOptions,
  type PlanResult,
  planChecks,
  planFor,
  planFromReading,
  planResult,
  type Work,
  workOf,
} from "./plan.ts";
import { isWhole } from "./policy.ts";
import {
  type ApplyRun,
  type PlanToRun,
  type Run,
  type RunOptions,
  runPlan,
  splitLessons,
  startRun,
} from "./run-plan.ts";

export interface ApplyOptions extends PlanOptions, RunOptions {
  /**
   * Which plan may run. `{ id }`: the plan with this ID alone, as `plan` returned it. A function: the plan that it says yes to;
   * nothing was sent by then. `any`: every plan that its guards let pass.
   */
  readonly approve: { readonly id: string } | ((planned: PlanResult) => boolean | Promise<boolean>) | "any";
  /** Applies only what differs in these classes: `tampered` was changed outside roster, `unapplied` was never done. */
  readonly repair?: readonly DriftClass[] | undefined;
  /** Called with the plan before anything is recorded, asked or sent. What it throws ends the apply. */
  readonly planned?: ((planned: PlanResult) => void) | undefined;
}

const applyChecks: OptionChecks<ApplyOptions> = {
  ...planChecks,
  ...lockChecks,
  sequence: is.count,
  planned: is.function,
  begins: is.function,
  deadline: is.signal,
  // Nothing but a plain yes approves a plan: no flag, and nothing that is missing.
  approve: is.required({
    wants: '`"any"`, `{ id }` with the ID of a plan, or a function',
    takes: is.either(is.oneOf("any"), is.either(is.shape({ id: is.required(is.text) }), is.function)).takes,
  }),
  repair: is.listOf(is.oneOf("tampered", "unapplied"), 'a list of `"tampered"` and `"unapplied"`'),
};

/**
 * Makes the service match the roster: locks the log, plans, asks `approve`, runs the plan, and saves what was learned. What a call
 * is about is durable before the call. An aborted signal starts no new call, and lets calls in progress finish.
 */
export function apply(options: ApplyOptions): ApplyRun {
  const prepare = () => {
    checkOptions("apply", applyChecks, options);
    return { operation: options.repair === undefined ? "apply" : "drift --repair", work: workOf(options) };
  };
  return startRun(options, prepare, (run) =>
    options.repair === undefined ? applyAll(run) : repair(run, new Set(options.repair)),
  );
}

async function applyAll(run: Run<ApplyOptions>): Promise<ApplyResult> {
  const { work, lock } = run;
  const { policy, clock } = work;
  const planned = await planFor(work, lock.state);
  const { learned, applied: lessons } = lessonsOf(work, planned);
  const used = allowancesUsed(planned.plan, isWhole(policy) ? "whole" : "part", isoTime(clock));
  const applied = await runPlanned(run, planned, { learned, approved: [...lessons, ...used] });
  // The differences that it has seen and left: a later drift says since when they exist.
  const drift = computeDrift(planned.plan, planned.context);
  const seen = { planned, drift, policy, closed: fixedByRun(applied.run, drift) };
  await havingApplied(applied, () => recordOpenFindings(lock, seen, work));
  return applied;
}

/** Applies the part of the plan that is of some classes, through the same guards, approval and log. */
async function repair(run: Run<ApplyOptions>, classes: ReadonlySet<DriftClass>): Promise<ApplyResult> {
  const { work, lock } = run;
  const { roster, policy, clock } = work;
  const planned = await planFor(work, lock.state);
  checkServiceDoubt(planned);
  const drift = computeDrift(planned.plan, planned.context);
  const part = (plan: Plan) => repairPlan(plan, drift, classes);
  const made = planFromReading(planned, { roster, policy, keyInUse: planned.context.keyInUse }, part);
  // Guards have no say about a plan without actions.
  const repairs = made.plan.actions.length > 0 ? made : { ...made, refusal: undefined };
  // What was repaired is a part of the roster: it is not applied as a whole.
  const { learned } = lessonsOf(work, planned);
  const applied = await runPlanned(run, repairs, {
    learned,
    approved: allowancesUsed(made.plan, "part", isoTime(clock)),
  });
  const closed = fixedByRun(applied.run, drift);
  const checked = { planned, drift, policy, closed };
  const tasks = findTasks(checked, lock.state, work);
  const left = { ...drift, items: drift.items.filter(({ fingerprint }) => !closed.has(fingerprint)) };
  // Where nothing was run, all that differs is shown.
  const shown = { ...applied, plan: applied.run === undefined ? planned.plan : applied.plan };
  const unrecorded = { drift: left, tasks, record: { is: "not-recorded", why: "the state is lost" } } as const;
  const is = await havingApplied({ ...shown, found: unrecorded }, () => recordOpenFindings(lock, checked, work));
  return { ...shown, found: { ...unrecorded, record: { is } } };
}

/** What was learned counts even if the plan is not approved. That the roster is applied or the service starts anew does not. */
function lessonsOf({ clock, roster, policy }: Work, planned: Planned) {
  const { moved, others, applied } = splitLessons(learnedEvents(planned, { roster, policy, at: isoTime(clock) }));
  return { learned: [...moved, ...planned.resolved, ...others], applied };
}

async function runPlanned(
  run: Run<ApplyOptions>,
  planned: Planned,
  events: Pick<PlanToRun, "learned" | "approved">,
): Promise<ApplyResult> {
  const { work, options } = run;
  const { plan, reading, refusal, resolved, snapshot, state, read: factsRead } = planned;
  const { approve } = options;
  const { readAt: factsAt, capabilities, users, absences } = snapshot;
  const isGone = (record: RecordedUser) =>
    absences.get(record.address)?.proven === true && Date.parse(factsAt) >= unshownUntil(record, undefined);
  const former = [...state.users.values()].filter(isGone).map(({ address }) => address);
  const known = users.filter(({ status }) => accountStatus(status) !== "deleted");
  const facts = { factsAt, factsRead, capabilities, shown: users, known, former };
  return havingApplied({ plan, reading }, async () => {
    checkApproved(plan, typeof approve === "object" ? approve.id : undefined);
    const result = planResult(planned, work.secrets);
    options.planned?.(result);
    const decide = async () => {
      if (refusal !== undefined) throw refusal;
      if (plan.actions.length === 0 || typeof approve !== "function") return;
      // A copy: whatever the function does to it, the plan that it was asked about is run.
      const answer: unknown = await approve(structuredClone({ plan: result.plan, reading }));
      if (answer !== true) throw stopError("refused", "declined", "Cancelled. Nothing was changed");
    };
    return { ...(await runPlan(run, { plan, resolved, ...facts, ...events }, decide)), reading };
  });
}

/** Throws where a plan is not the one that was approved. @internal */
export function checkApproved({ id }: Plan, approved: string | undefined): void {
  if (approved === undefined || id === approved) return;
  const message = `the plan has the ID ${id} now, and ${approved} was approved`;
  throw stopError("stale", "stale", message, "nothing was sent; read the plan of today, and approve it");
}
