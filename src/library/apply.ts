import type { DriftClass } from "../model/drift.ts";
import type { RunEvent } from "../model/event.ts";
import type { Plan } from "../model/plan.ts";
import type { LogHead, State } from "../model/state.ts";
import { repairPlan } from "../plan/drift/classify.ts";
import { isoTime } from "../ports/clock.ts";
import {
  type ApplyResult,
  abortedBefore,
  havingApplied,
  type RosterError,
  stopError,
  withoutSecrets,
} from "./error.ts";
import { type LockedLog, type LockOptions, lockChecks, lockLog, record, underLock } from "./lock.ts";
import { findDrift, findTasks, fixedByRun, recordOpenFindings } from "./open-findings.ts";
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
import { planToRun, runPlan } from "./run-plan.ts";

export interface ApplyOptions extends PlanOptions, RunOptions {
  /**
   * Which plan may run. `{ id }`: the plan with this ID alone, as `plan` returned it. A function: the plan that it says yes to;
   * nothing was sent by then. `any`: every plan that its guards let pass.
   */
  readonly approve: { readonly id: string } | ((planned: PlanResult) => boolean | Promise<boolean>) | "any";
  /** Applies only what differs in these classes: `tampered` was changed outside roster, `unapplied` was never done. */
  readonly repair?: readonly DriftClass[] | undefined;
  /** Hears the plan before anything is recorded, asked or sent. What it throws ends the apply. */
  readonly planned?: ((planned: PlanResult) => void) | undefined;
}

/** How a run of a plan starts and ends. */
export interface RunOptions extends LockOptions {
  /** A number that only grows, such as that of a pipeline's run: a lower one than was applied before is refused. */
  readonly sequence?: number | undefined;
  /** Awaited before the first call. `head`: where the log ends by then. */
  readonly begins?: ((plan: Plan, run: { readonly run: string; head(): LogHead }) => Promise<void>) | undefined;
  /** Aborted, together with `signal`, once the time of the run is over: then it counts as stopped, not as interrupted. */
  readonly deadline?: AbortSignal | undefined;
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

export interface ApplyRun {
  /** Each event of the run, durable in the log by then. Everybody who iterates gets all of them. Nothing waits for it. */
  readonly events: AsyncIterable<RunEvent>;
  /** Settles when the log is written and unlocked. It rejects with a `RosterError`, of which `applied` says how far it came. */
  readonly result: Promise<ApplyResult>;
}

/**
 * Makes the service match the roster: locks the log, plans, asks `approve`, runs the plan, and saves what was learned. What a call
 * is about is durable before the call. An aborted signal starts no new call, and lets calls in progress finish.
 */
export function apply(options: ApplyOptions): ApplyRun {
  return startRun(async (event) => {
    checkOptions("apply", applyChecks, options);
    const work = workOf(options);
    const operation = options.repair === undefined ? "apply" : "drift --repair";
    return runUnderLock(operation, options, work, event, (lock, hear) => {
      const run = { work, options, lock, event: hear };
      return options.repair === undefined ? applyAll(run) : repair(run, new Set(options.repair));
    });
  });
}

/** Starts work of which the events are heard. @internal */
export function startRun(work: (event: (event: RunEvent) => void) => Promise<ApplyResult>): ApplyRun {
  const events = new EventLog<RunEvent>();
  const result = work((event) => events.add(event)).finally(() => events.end());
  // Whoever follows the events first hears of an error after them.
  result.catch(() => undefined);
  return { events, result };
}

/** Locks the log, works, and unlocks it. Nothing that a program gets of it holds a secret. @internal */
export function runUnderLock(
  operation: string,
  options: LockOptions,
  { log, policy, signal, secrets }: Pick<Work, "log" | "policy" | "signal" | "secrets">,
  event: (event: RunEvent) => void,
  work: (lock: LockedLog, event: (event: RunEvent) => void) => Promise<ApplyResult>,
): Promise<ApplyResult> {
  return withoutSecrets(secrets, async () => {
    const lock = await lockLog(log, operation, { ...options, policy, signal });
    const applied = await underLock(lock, () => work(lock, (one) => event(secrets.redactAll(one))));
    const result = secrets.redactAll({ ...applied, head: lock.ownHead() });
    // A signal that came too late has ended nothing.
    if (signal.aborted && (result.run === undefined || result.run.ended?.ended === "interrupted"))
      throw (result.run === undefined ? abortedBefore() : abortedWithin()).after(result);
    return result;
  });
}

function abortedWithin(): RosterError {
  return stopError("aborted", "aborted", "the signal was aborted before every action was done");
}

interface Run {
  readonly work: Work;
  readonly options: ApplyOptions;
  readonly lock: LockedLog;
  readonly event: (event: RunEvent) => void;
}

async function applyAll(run: Run): Promise<ApplyResult> {
  const { work, options, lock } = run;
  checkSequence(options.sequence, lock.state);
  const planned = await planFor(work, lock.state);
  const applied = await runPlanned(run, planned, planningEvents(work, planned));
  // The differences that it has seen and left: a later drift says since when they exist.
  const drift = findDrift(planned, work);
  const seen = { planned, drift, policy: work.policy, settled: fixedByRun(applied.run, drift) };
  await havingApplied(applied, () => recordOpenFindings(lock, seen, work));
  return applied;
}

/** Applies the part of the plan that is of some classes, through the same guards, approval and log. */
async function repair(run: Run, classes: ReadonlySet<DriftClass>): Promise<ApplyResult> {
  const { work, lock } = run;
  const { roster, policy, clock } = work;
  const planned = await planFor(work, lock.state);
  checkServiceDoubt(planned);
  const drift = findDrift(planned, work);
  const part = (plan: Plan) => repairPlan(plan, drift, classes);
  const made = planFromReading(planned, { roster, policy, keyInUse: planned.keyInUse, part });
  // Guards have no say about a plan without actions.
  const repairs = made.plan.actions.length > 0 ? made : { ...made, refusal: undefined };
  // What was repaired is a part of the roster: it is not applied as a whole.
  const { learned } = planningEvents(work, planned);
  const applied = await runPlanned(run, repairs, {
    learned,
    applied: allowancesUsed(made.plan, "part", isoTime(clock)),
  });
  const settled = fixedByRun(applied.run, drift);
  const checked = { planned, drift, policy, settled };
  const tasks = findTasks(checked, lock.state, work);
  const left = { ...drift, items: drift.items.filter(({ fingerprint }) => !settled.has(fingerprint)) };
  // Where nothing was run, all that differs is shown.
  const shown = { ...applied, plan: applied.run === undefined ? planned.plan : applied.plan };
  const unrecorded = { drift: left, tasks, record: { is: "not-recorded", why: "the state is lost" } } as const;
  const is = await havingApplied({ ...shown, found: unrecorded }, () => recordOpenFindings(lock, checked, work));
  return { ...shown, found: { ...unrecorded, record: { is } } };
}

/** What was learned counts even if the plan is not approved. That the roster is applied or the service starts anew does not. */
interface PlanningEvents {
  readonly learned: readonly RunEvent[];
  readonly applied: readonly RunEvent[];
}

function planningEvents({ clock, roster, policy }: Work, planned: Planned): PlanningEvents {
  const events = learnedEvents(planned, { roster, policy, at: isoTime(clock) });
  const ofType = (type: RunEvent["type"]) => events.filter((event) => event.type === type);
  const ofNewEpoch: readonly RunEvent["type"][] =
    planned.epoch === undefined ? [] : ["epoch-started", "users-observed"];
  const late: readonly RunEvent["type"][] = [...ofNewEpoch, "roster-applied"];
  const others = events.filter(({ type }) => type !== "records-moved" && !late.includes(type));
  const used = allowancesUsed(planned.plan, isWhole(policy) ? "whole" : "part", isoTime(clock));
  return {
    learned: [...ofType("records-moved"), ...planned.resolved, ...others],
    applied: [...late.flatMap(ofType), ...used],
  };
}

async function runPlanned(run: Run, planned: Planned, { learned, applied }: PlanningEvents): Promise<ApplyResult> {
  const { work, options, lock, event } = run;
  const { plan, resolved, reading, refusal } = planned;
  const { signal, clock } = work;
  return havingApplied({ plan, reading }, async () => {
    const { approve, sequence, begins } = options;
    if (typeof approve === "object" && plan.id !== approve.id) throw otherPlan(plan, approve.id);
    const result = planResult(planned, work.secrets);
    options.planned?.(result);
    // Without a place for what was learned, no call can be announced: nothing is sent.
    await record(lock, learned, "nothing was sent");
    if (signal.aborted) throw abortedBefore();
    if (refusal !== undefined) throw refusal;
    if (plan.actions.length > 0 && typeof approve === "function") {
      // A copy: whatever the function does to it, the plan that it was asked about is run.
      const answer: unknown = await approve(structuredClone({ plan: result.plan, reading }));
      if (answer !== true) throw declined();
    }
    if (signal.aborted) throw abortedBefore();
    // Recorded even if nothing is left to do: an older roster that comes later must not be applied, and nobody is forgotten.
    await record(lock, [...sequenceEvents(sequence, lock.state, isoTime(clock)), ...applied], "nothing was sent");
    if (plan.actions.length + resolved.length === 0) return { plan, reading };
    await begins?.(plan, lock);
    const ran = await runPlan({ ...work, lock, deadline: options.deadline }, planToRun(planned), learned, event);
    return { ...ran, reading };
  });
}

function declined(): RosterError {
  return stopError("refused", "declined", "Cancelled. Nothing was changed");
}

/** What to remember of the place that a run names; nothing where it is known. @internal */
export function sequenceEvents(
  sequence: number | undefined,
  { sequence: known }: State,
  at: string,
): readonly RunEvent[] {
  return sequence === undefined || sequence === known ? [] : [{ type: "sequenced", at, sequence }];
}

/** Throws where a newer roster was applied before, which the run would undo. @internal */
export function checkSequence(sequence: number | undefined, { sequence: applied }: State): void {
  if (sequence === undefined || applied === undefined || sequence >= applied) return;
  throw stopError(
    "stale",
    "stale",
    `this run has number ${sequence}, but number ${applied} with a newer roster was already applied`,
    "nothing was read or sent; let the newest pipeline run apply",
  );
}

/** A plan that is not the one that was approved. `difference`: in what, as the end of a sentence. @internal */
export function otherPlan(plan: Plan, approved: string, difference = ""): RosterError {
  return stopError(
    "stale",
    "stale",
    `the plan has the ID ${plan.id} now, and ${approved} was approved${difference}`,
    "nothing was sent; read the plan of today, and approve it",
  );
}

/** Events that are kept for everybody who iterates over them, from the first one on, until the last one was added. */
class EventLog<Event> implements AsyncIterable<Event> {
  readonly #events: Event[] = [];
  #waiting: (() => void)[] = [];
  #ended = false;

  add(event: Event): void {
    this.#events.push(event);
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void> {
    for (let next = 0; ; next += 1) {
      while (next >= this.#events.length && !this.#ended) await new Promise<void>((wake) => this.#waiting.push(wake));
      const event = this.#events[next];
      if (event === undefined) return;
      yield event;
    }
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}
