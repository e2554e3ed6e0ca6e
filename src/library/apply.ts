import { EventEmitter, once } from "node:events";
import type { PlanFile } from "../codec/plan-file-format.ts";
import { applyEvents } from "../log/fold.ts";
import { resolveAbsentTeamCreations } from "../log/operator-resolution.ts";
import { changedPreconditions, isUnmoved, whyStale } from "../log/preconditions.ts";
import { allowedRetries } from "../log/refusals.ts";
import { isFixedBy, type RunSummary, summarizeRun } from "../log/summary.ts";
import { definedFields } from "../model/collections.ts";
import { unshownUntil } from "../model/consistency-window.ts";
import type { RunEvent } from "../model/event.ts";
import { factValue } from "../model/fact.ts";
import { accountStatus } from "../model/key.ts";
import { type ActionId, type Drift, type DriftClass, lostRoles, type Plan, prefixOf } from "../model/plan.ts";
import type { Policy } from "../model/policy.ts";
import type { LogHead, State } from "../model/state.ts";
import { type MembershipKey, membershipKeyOf } from "../model/team.ts";
import type { AddressedUser, RecordedUser } from "../model/user.ts";
import { observe } from "../observe/observe.ts";
import { peopleReader } from "../observe/read-users.ts";
import { computeDrift, repairPlan, withRolesRevoked } from "../plan/drift/compute-drift.ts";
import type { ActionPart } from "../plan/drift/outside-changes.ts";
import { isoTime } from "../ports/clock.ts";
import { emptyRoster } from "../roster/build.ts";
import type { ApplyInput, StaleActions } from "../run/apply-input.ts";
import { resolveOpen } from "../run/assess.ts";
import { applyPlan } from "../run/run.ts";
import { timeLeft } from "../service/port.ts";
import { findTasks, recordOpenFindings } from "./drift.ts";
import { type ApplyResult, abortedBefore, havingApplied, orThrow, stopError, withoutSecrets } from "./error.ts";
import { type LockedLog, type LockOptions, lockChecks, lockLog, record, underLock } from "./log.ts";
import { checkOptions, is, type OptionChecks } from "./options.ts";
import {
  allowancesUsed,
  checkPlanService,
  checkService,
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
import { guardsDigest, isWhole, policyForSaved, readPolicy } from "./policy.ts";
import type { SavedPlan } from "./saved-plan.ts";

export interface ApplyOptions extends PlanOptions, RunOptions {
  /**
   * Which plan may run. `{ id }`: the plan with this ID alone, as `plan` returned it. A function: the plan that it says yes to;
   * nothing was sent by then. `any`: every plan that its guards let pass.
   */
  readonly approve: { readonly id: string } | ((planned: PlanResult) => boolean | Promise<boolean>) | "any";
  /** Applies only what differs in these classes: `tampered` was changed by others, `unapplied` was never done. */
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
  // The differences that it has seen and left: a later drift says since when they exist. What it has put right counts where that was recorded, or where others had changed it.
  const isRecorded = lock.state.openFindings !== undefined;
  const isLeft = (part: ActionPart) =>
    isRecorded ||
    !isFixedBy(applied.run, part.action.id, part.person) ||
    planned.context.outside.behindAction(part).length > 0;
  const drift = computeDrift(planned.plan, planned.context, { isLeft });
  const seen = { planned, drift, policy, closed: fixedBy(applied.run, drift) };
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
  const approved = allowancesUsed(made.plan, "part", isoTime(clock));
  const applied = await runPlanned(run, repairs, { learned, approved });
  const closed = fixedBy(applied.run, drift);
  const checked = { planned, drift, policy, closed };
  const tasks = findTasks(checked, lock.state, work.roster);
  const left = { ...drift, items: drift.items.filter(({ fingerprint }) => !closed.has(fingerprint)) };
  // Where nothing was run, all that differs is shown.
  const shown = { ...applied, plan: applied.run === undefined ? planned.plan : applied.plan };
  const unrecorded = { drift: left, tasks, record: { is: "not-recorded", why: "the state is lost" } } as const;
  const is = await havingApplied({ ...shown, found: unrecorded }, () => recordOpenFindings(lock, checked, work));
  return { ...shown, found: { ...unrecorded, record: { is } } };
}

/** Fingerprints of what a run has put right. */
function fixedBy(run: RunSummary | undefined, { items }: Drift): ReadonlySet<string> {
  const fixed = items.filter(({ of }) => of.is === "action" && isFixedBy(run, of.action, of.person));
  return new Set(fixed.map(({ fingerprint }) => fingerprint));
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
  const { readAt, capabilities, users, absences } = snapshot;
  const isGone = (record: RecordedUser) =>
    absences.get(record.address)?.proven === true && Date.parse(readAt) >= unshownUntil(record, undefined);
  const former = [...state.users.values()].filter(isGone).map(({ address }) => address);
  const known = users.filter(({ status }) => accountStatus(status) !== "deleted");
  const facts = { factsRead, capabilities, shown: users, known, former };
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

/** Throws where a plan is not the one that was approved. */
export function checkApproved({ id }: Plan, approved: string | undefined): void {
  if (approved === undefined || id === approved) return;
  const message = `the plan has the ID ${id} now, but the approved plan has the ID ${approved}`;
  throw stopError("stale", "stale", message, `nothing was changed. If this plan is right, pass the ID ${id}`);
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

export interface ApplyRun {
  /** Each event of the run, durable in the log by then. Everybody who iterates gets all of them. Nothing waits for it. */
  readonly events: AsyncIterable<RunEvent>;
  /** Resolves when the log is written and unlocked. It rejects with a `RosterError`, of which `applied` says how far it came. */
  readonly result: Promise<ApplyResult>;
}

/** A run that has locked its log. */
interface Run<Options extends RunOptions> {
  readonly work: Work;
  readonly options: Options;
  readonly lock: LockedLog;
  readonly event: (event: RunEvent) => void;
}

/** Locks the log, works, and unlocks it. Nothing that a program gets of it holds a secret. */
function startRun<Options extends RunOptions>(
  options: Options,
  prepare: () => { readonly operation: string; readonly work: Work },
  act: (run: Run<Options>) => Promise<ApplyResult>,
): ApplyRun {
  const kept: RunEvent[] = [];
  const news = new EventEmitter().setMaxListeners(0);
  let isOver = false;
  const runUnderLock = async () => {
    const { operation, work } = prepare();
    const { log, policy, signal, secrets } = work;
    return withoutSecrets(secrets, async () => {
      const lock = await lockLog(log, operation, { ...options, policy, signal });
      const event = (one: RunEvent) => {
        kept.push(secrets.redactAll(one));
        news.emit("news");
      };
      const applied = await underLock(lock, () => {
        checkSequence(options.sequence, lock.state);
        return act({ work, options, lock, event });
      });
      const result = secrets.redactAll({ ...applied, head: lock.ownHead() });
      // A signal that came too late has ended nothing.
      if (!signal.aborted || (result.run !== undefined && result.run.ended?.ended !== "interrupted")) return result;
      const within = stopError("aborted", "aborted", "the signal was aborted before every action was done");
      throw (result.run === undefined ? abortedBefore() : within).after(result);
    });
  };
  const result = runUnderLock().finally(() => {
    isOver = true;
    news.emit("news");
  });
  // A program that iterates over the events first gets an error after them.
  result.catch(() => undefined);
  async function* eventsFromTheFirst(): AsyncGenerator<RunEvent, void> {
    for (let next = 0; ; next += 1) {
      while (next >= kept.length && !isOver) await once(news, "news");
      const event = kept[next];
      if (event === undefined) return;
      yield event;
    }
  }
  return { events: { [Symbol.asyncIterator]: eventsFromTheFirst }, result };
}

/** Throws where a newer roster was applied before, which the run would undo. */
function checkSequence(sequence: number | undefined, { sequence: applied }: State): void {
  if (sequence === undefined || applied === undefined || sequence >= applied) return;
  const message = `this run has the sequence ${sequence}, but a run with the sequence ${applied} has applied a newer roster`;
  throw stopError("stale", "stale", message, "nothing was read or sent. Apply in the newest pipeline");
}

/** A plan, what it rests on, and what is recorded before its first call. */
interface PlanToRun
  extends Pick<ApplyInput, "plan" | "factsRead" | "capabilities" | "stale" | "shown" | "former" | "teamMembers"> {
  /** Users who exist: a search that does not find them proves no absence. */
  readonly known: readonly AddressedUser[];
  /** By what was read or allowed. */
  readonly resolved: readonly RunEvent[];
  /** Counts even if the plan is not approved. */
  readonly learned: readonly RunEvent[];
  /** Counts once the plan is approved. */
  readonly approved: readonly RunEvent[];
}

/** Once the signal is aborted, no new call starts, and calls in progress finish. The plan is as it stands after the run. */
async function runPlan(
  { work, options, lock, event: emit }: Run<RunOptions>,
  { known, resolved, learned, approved, ...input }: PlanToRun,
  decide?: () => Promise<void>,
): Promise<Pick<ApplyResult, "plan" | "run">> {
  const { service, clock, parallelism, signal, policy } = work;
  const { sequence, begins, deadline } = options;
  const { plan } = input;
  // Whoever held the lock before may still send what it had announced by then: such a call is not given up before that is over.
  const isGivenUp = (event: RunEvent) => event.type === "resolved" && !event.as.done && event.as.unproven;
  if (resolved.some(isGivenUp)) await clock.wait(Math.max(0, timeLeft - lock.heldFor()), signal);
  // Without a place for what was learned, no call can be announced: nothing is sent.
  await record(lock, learned, "nothing was sent");
  if (signal.aborted) throw abortedBefore();
  await decide?.();
  if (signal.aborted) throw abortedBefore();
  const sequenced: readonly RunEvent[] =
    sequence === undefined || sequence === lock.state.sequence
      ? []
      : [{ type: "sequenced", at: isoTime(clock), sequence }];
  // Recorded even if nothing is left to do: an older roster that comes later must not be applied, and nobody is forgotten.
  await record(lock, [...sequenced, ...approved], "nothing was sent");
  if (plan.actions.length + resolved.length === 0) return { plan };
  await begins?.(plan, lock);
  const people = peopleReader({ service, parallelism, known, ...definedFields({ shown: input.shown }) });
  const ports = { service, people, session: lock, clock, parallelism, signal, ...definedFields({ deadline }) };
  const events: RunEvent[] = [];
  const report = (event: RunEvent) => {
    events.push(event);
    emit(event);
  };
  for (const event of learned) report(event);
  const { privilegedRoles, consistency, throttling, resolve } = policy;
  const started = applyPlan({ ...input, run: lock.run, privilegedRoles, consistency, throttling, resolve }, ports);
  for await (const together of started) for (const event of together) report(event);
  const retry = allowedRetries(lock.now(), plan);
  const run = { ...summarizeRun(events), ...(retry.length === 0 ? {} : { retry }), head: lock.head() };
  return { plan: withRolesRevoked(plan, (prefix) => run.rolesRead.get(prefix)?.length === 0), run };
}

/** What planning has taught: what of it counts at once, and what only when the plan is applied. */
function splitLessons<Event extends RunEvent>(events: readonly Event[]) {
  const startsAnew = events.some(({ type }) => type === "epoch-started");
  const late: readonly string[] = [...(startsAnew ? ["epoch-started", "users-observed"] : []), "roster-applied"];
  return {
    moved: events.filter(({ type }) => type === "records-moved"),
    others: events.filter(({ type }) => type !== "records-moved" && !late.includes(type)),
    applied: late.flatMap((type) => events.filter((event) => event.type === type)),
  };
}

export interface ApplySavedOptions extends RunOptions, Omit<PlanOptions, "roster" | "policy" | "everyone"> {
  /** It may have been saved elsewhere: the service and the lineage of the log must be those of its plan. */
  readonly saved: SavedPlan;
  /** Runs no plan but the one with this ID. */
  readonly approve?: { readonly id: string } | undefined;
  /** Its guards must be those with which the plan was made. What is planned and allowed, the saved plan says alone. */
  readonly policy?: Policy | undefined;
}

const { roster: _planned, everyone: _read, planned: _seen, repair: _part, ...runChecks } = applyChecks;

const applySavedChecks: OptionChecks<ApplySavedOptions> = {
  saved: is.required(is.givenBy("readSavedPlan", "file")),
  ...runChecks,
  approve: is.shape({ id: is.required(is.text) }, "`{ id }` with the ID of a plan"),
};

/**
 * Runs a saved plan under the log's lock, without planning anew. It is recorded as begun before anything is sent, and runs once.
 * Actions whose facts have changed since are not run.
 */
export function applySaved(options: ApplySavedOptions): ApplyRun {
  const prepare = () => {
    checkOptions("applySaved", applySavedChecks, options);
    const { saved, approve, service, policy: usual = readPolicy() } = options;
    checkPlanService(saved.plan, service.address);
    checkApproved(saved.plan, approve?.id);
    // Whether other guards would let a plan pass is known only when it is made anew.
    if (saved.file.policy.guards !== guardsDigest(usual)) {
      const message = "the plan was made with other guards than the settings of this run have";
      const hint =
        "nothing was sent; use the settings of the plan here too, or plan again with `roster plan --out FILE`";
      throw stopError("refused", "stale", message, hint);
    }
    const policy = policyForSaved(usual, saved.file);
    return { operation: "apply", work: workOf({ ...options, policy, roster: { roster: emptyRoster } }) };
  };
  return startRun(options, prepare, applyFile);
}

async function applyFile(run: Run<ApplySavedOptions>): Promise<ApplyResult> {
  const { work, options, lock } = run;
  const { service, clock, policy } = work;
  const { state } = lock;
  const { file } = options.saved;
  const { plan, basis, witnesses } = file;
  checkService(state, service, work.log);
  checkStale(file, state, clock.now());
  const { moved, others, applied } = splitLessons(file.lessons);
  const renamed = applyEvents(state, moved);
  const resolved = await resolveOpenCalls(renamed, file, work);
  const isMoved = !isUnmoved(basis.state, state);
  const message = `The state has changed since the plan was made (the log ends at position ${state.serial} now). Actions with changed facts are not applied.`;
  const warnings = isMoved ? [{ code: "state-changed-since-plan", severity: "warning", message } as const] : [];
  const known = applyEvents(renamed, [...resolved, ...applied]);
  const at = isoTime(clock);
  // A file without actions may be applied again.
  const begun: readonly RunEvent[] =
    plan.actions.length === 0 ? [] : [{ type: "plan-file-begun", at, file: file.file }];
  // One of each team that people are added to, who may show its identifier.
  const teams = new Set(plan.actions.flatMap((action) => (action.kind === "add-members" ? [action.team] : [])));
  const members = [...known.memberships.values()].flatMap(({ team, address }) =>
    teams.delete(team) ? [{ address, email: known.users.get(address)?.email ?? address }] : [],
  );
  const used = allowancesUsed(plan, applied.length > 0 ? "whole" : "part", at);
  const toRun = {
    plan,
    capabilities: basis.capabilities,
    stale: staleActions(file, known, service.keyPrefix, policy),
    known: witnesses,
    teamMembers: [...witnesses, ...members],
    resolved,
    // What the reads taught of the service is old where the state has moved on since; what the roster says is not.
    learned: [...moved, ...resolved, ...(isMoved ? [] : others)],
    approved: [...begun, ...applied, ...used],
  };
  return havingApplied({ plan, warnings }, async () => ({ ...(await runPlan(run, toRun)), warnings }));
}

/** Nothing is read where nothing is open. */
async function resolveOpenCalls(state: State, { plan }: PlanFile, work: Work): Promise<readonly RunEvent[]> {
  if (state.open.length === 0 && state.presumedUndone === undefined) return [];
  // Names no user: only what the open calls are about is read.
  const snapshot = orThrow(await observe({ roster: emptyRoster, state, everyone: "when-needed" }, work));
  const at = isoTime(work.clock);
  const events = resolveOpen(state, snapshot, { at, consistency: work.policy.consistency });
  const { open } = applyEvents(state, events);
  return [...events, ...resolveAbsentTeamCreations(open, plan.allowed ?? [], at)];
}

function checkStale(file: PlanFile, state: State, now: number): void {
  const begun = state.planFiles?.find((one) => one.file === file.file);
  const again = "this run sent nothing; plan again with `roster plan --out FILE`";
  // It may have ended in the middle: what it did is recorded, and only a new plan knows what is left.
  if (begun !== undefined) {
    const message = `this plan file was already applied: its apply started at ${begun.at}`;
    const hint = "this run sent nothing; to see what is left, run `roster plan`";
    throw stopError("stale", "stale", message, hint);
  }
  const why = whyStale(file, state, now);
  if (why !== undefined) throw stopError("stale", "stale", why, again);
}

/** What does not fit any more, as far as that is known without reading the service. */
function staleActions(
  { plan, records }: PlanFile,
  state: State,
  keyInUse: string | undefined,
  { privilegedRoles }: Policy,
): StaleActions {
  const actions = new Map<ActionId, string>();
  const members = new Map<MembershipKey, string>();
  for (const { about, action, member } of changedPreconditions(plan, state, records)) {
    const why = `the state of the ${about} has changed since the plan was made`;
    if (action.kind === "add-members" && member !== undefined) members.set(membershipKeyOf(action.team, member), why);
    else actions.set(action.id, why);
  }
  for (const action of plan.actions) {
    if (action.kind === "add-members") {
      const planned = plan.teams.get(action.team);
      const known = state.teams.get(action.team)?.identifier;
      const meant = planned && factValue(planned.identifier);
      const why = `the state has the team ${planned?.name} with the identifier ${known}, and the plan adds to ${meant}`;
      if (known !== undefined && meant !== undefined && known !== meant) actions.set(action.id, why);
    }
    if (action.kind !== "replace-roles" || keyInUse === undefined || prefixOf(action) !== keyInUse) continue;
    if (lostRoles(action, privilegedRoles).length > 0)
      actions.set(action.id, "the key is the one in use by now, and no call would be allowed after it");
  }
  return { actions, members };
}
