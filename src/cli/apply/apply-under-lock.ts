import type { ApplyInput } from "../../apply/apply-session.ts";
import { applyPlan } from "../../apply/run.ts";
import { applyEvents } from "../../journal/fold.ts";
import { allowedRetries } from "../../journal/recorded-refusals.ts";
import { type RunSummary, summarizeRun } from "../../journal/summary.ts";
import type { RunEvent } from "../../model/event.ts";
import type { Plan } from "../../model/plan.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { accountStatus } from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import { peopleReader } from "../../observe/read-users.ts";
import { computeDrift } from "../../plan/drift/compute-drift.ts";
import { withDisarmedMembers } from "../../plan/memberships/extra-members.ts";
import type { UserQuery } from "../../ports/account-service.ts";
import { isoTime } from "../../ports/clock.ts";
import { wrap } from "../../report/text/lines.ts";
import { renderPlan } from "../../report/text/text.ts";
import { type CommandError, invalidSetting } from "../command-error.ts";
import { fixedByRun, recordSightings } from "../drift/sightings.ts";
import { textStyleOf } from "../host.ts";
import type { CommandResult } from "../output/finish.ts";
import { isFollowed, type OutputFlags, shownAs } from "../output/output-flags.ts";
import { learnedEvents, type Planned, type PlanningInput, planFor } from "../planning/pipeline.ts";
import { selectedPart } from "../planning/policy-flags.ts";
import { type RehearsalOptions, rehearseIfWanted } from "../planning/rehearsal.ts";
import { type PlanningSession, readPorts, type Session } from "../session.ts";
import type { SettingFlags } from "../settings/settings.ts";
import { type Locked, recordEvents } from "../stores/lock.ts";
import { sha256 } from "../system.ts";
import type { Cancellation } from "../time-limits.ts";
import {
  announceBreakGlass,
  type BreakGlassRequest,
  breakGlassBegun,
  closeTakenBack,
  refuseIdleBreakGlass,
  withAcceptedBreakGlass,
} from "./break-glass.ts";
import { type ExpectedPlan, unexpectedPlan } from "./expected-plan.ts";
import { applyRetention } from "./retention.ts";

/** A session that plans and applies under the lock of its state. */
export type LockedPlanning = Locked<PlanningSession>;

/** How a person wants a plan applied. */
export interface ApplyOptions {
  readonly flags: OutputFlags & SettingFlags & { readonly autoApprove?: boolean; readonly unmanaged?: boolean };
  /** The number of this run among all applies. */
  readonly sequence?: number;
  /** Absent: this command never rehearses. */
  readonly rehearsal?: RehearsalOptions;
  /** The plan that was approved; absent where any plan may be applied. */
  readonly expected?: ExpectedPlan | undefined;
  /** Guards that are passed in an emergency. */
  readonly breakGlass?: BreakGlassRequest | undefined;
}

/** Plans, asks and runs the plan. What planning learned is recorded before anything is sent. */
export async function applyUnderLock(
  result: CommandResult,
  session: LockedPlanning,
  options: ApplyOptions,
): Promise<CommandResult> {
  const late = supersededRun(options.sequence, session.lock.state);
  if (late !== undefined) return { ...result, stop: late };
  const made = await planFor(planningInput(session, options.flags), readPorts(session));
  if (!made.ok) return { ...result, stop: made.error };
  const planned = await withAcceptedBreakGlass(made.value, session);
  if (!planned.ok) return { ...result, stop: planned.error };
  const unexpected =
    unexpectedPlan(planned.value.plan, options.expected) ??
    (options.breakGlass === undefined ? undefined : refuseIdleBreakGlass(planned.value, session));
  if (unexpected !== undefined) return { ...shownPlan(result, session, planned.value, options), stop: unexpected };
  const ended = await runUnderLock(result, session, planned.value, {
    ...options,
    events: planningEvents(session, planned.value),
  });
  const seen = await recordDriftAfterRun(ended, session, planned.value);
  return applyRetention(seen, session, planned.value);
}

/** Records what planning learned, asks, and runs the plan. */
export async function runUnderLock(
  result: CommandResult,
  session: LockedPlanning,
  planned: Planned,
  options: ApplyOptions & { readonly events: PlanningEvents },
): Promise<CommandResult> {
  const { plan, settled } = planned;
  const { cancellation, lock } = session;
  const { learned, applied } = options.events;
  const shown = shownPlan(result, session, planned, options);
  session.observer.planned(plan);
  // Without a place for what was learned, no call can be announced: nothing is sent.
  const record = (events: readonly RunEvent[]) => recordEvents(lock, events, "nothing was sent");
  const unrecorded = await record(learned);
  if (unrecorded !== undefined) return { ...shown, stop: unrecorded };
  const rehearsed = await rehearseUnderLock(shown, session, planned, options);
  const { breakGlass } = options;
  const emergency = () =>
    breakGlass === undefined ? undefined : breakGlassBegun(breakGlass, planned, session, lock.run);
  const refused = rehearsed.stop ?? (await confirmPlan(session, planned, { ...rehearsed, flags: options.flags }));
  const begun = refused === undefined && !cancellation.signal.aborted ? emergency() : undefined;
  const stop =
    refused ??
    (await record([...startEvents(session, options.sequence, applied), ...(begun === undefined ? [] : [begun])]));
  if (stop !== undefined) return { ...rehearsed, stop };
  // Interrupted: nothing was begun, which the exit code says.
  if (cancellation.signal.aborted || plan.actions.length + settled.length === 0) return rehearsed;
  const unaudited = await lock.begin();
  if (unaudited !== undefined) return { ...rehearsed, stop: unaudited };
  if (begun !== undefined && breakGlass !== undefined)
    await announceBreakGlass(breakGlass, begun, { service: plan.service, flags: options.flags, host: session.host });
  const ran = await runPlan(session, planToRun(planned), [...learned, ...(begun === undefined ? [] : [begun])]);
  return { ...rehearsed, ...ran, plan: await closeTakenBack(ran.plan, planned, ran.run, session) };
}

function shownPlan(
  result: CommandResult,
  { policy }: LockedPlanning,
  { plan, reading }: Planned,
  { flags }: ApplyOptions,
): CommandResult {
  return { ...result, plan, reading, ...shownAs(flags, policy), ...selectedPart(policy) };
}

/** A plan without actions is not rehearsed. */
async function rehearseUnderLock(
  shown: CommandResult,
  session: LockedPlanning,
  planned: Planned,
  { flags, rehearsal }: ApplyOptions,
): Promise<CommandResult> {
  if (rehearsal === undefined || planned.plan.actions.length === 0) return shown;
  const { everyone } = planningInput(session, flags);
  const { keyPrefix: keyInUse } = session.service;
  return rehearseIfWanted(shown, planned, session, { ...rehearsal, everyone, keyInUse });
}

/** What is planned under the lock. */
export function planningInput(
  { loaded, policy, lock }: LockedPlanning,
  { unmanaged }: ApplyOptions["flags"],
): PlanningInput {
  const everyone = unmanaged === true ? "always" : "when-needed";
  return { roster: loaded.roster, state: lock.state, policy, everyone };
}

/** What was learned counts even if the plan is not approved. That the roster is applied does not. */
interface PlanningEvents {
  readonly learned: readonly RunEvent[];
  readonly applied: readonly RunEvent[];
}

export function planningEvents({ host, loaded, policy }: LockedPlanning, planned: Planned): PlanningEvents {
  const { roster } = loaded;
  const events = learnedEvents(planned, { roster, policy, at: isoTime(host.clock) });
  const ofType = (type: RunEvent["type"]) => events.filter((event) => event.type === type);
  const others = events.filter(({ type }) => type !== "records-moved" && type !== "roster-applied");
  return {
    learned: [...ofType("records-moved"), ...planned.settled, ...others],
    applied: ofType("roster-applied"),
  };
}

/** Recorded even if nothing is left to do: an older roster that comes later must not be applied, and nobody is forgotten. */
function startEvents(
  { lock, host, cancellation }: LockedPlanning,
  sequence: number | undefined,
  applied: readonly RunEvent[],
): readonly RunEvent[] {
  if (cancellation.signal.aborted) return [];
  return [...sequenceEvents(sequence, lock.state, isoTime(host.clock)), ...applied];
}

interface ApprovalOptions extends Pick<ApplyOptions, "flags">, Pick<CommandResult, "rehearsal" | "repeats"> {}

/** Why the plan is not run: out of time, refused by guards, or not approved. Without actions there is no question. */
async function confirmPlan(
  { host, policy, observer, cancellation }: LockedPlanning,
  { plan, reading, refusal }: Planned,
  { flags, rehearsal, repeats }: ApprovalOptions,
): Promise<CommandError | undefined> {
  const { signal } = cancellation;
  if (signal.aborted) return cancellation.outOfTime();
  if (refusal !== undefined) return refusal;
  if (plan.actions.length === 0) return undefined;
  const rehearsed = rehearsal === undefined ? {} : { rehearsal };
  const repeated = repeats === undefined ? {} : { repeats };
  const shown = { reading, ...shownAs(flags, policy), ...selectedPart(policy), ...rehearsed, ...repeated };
  if (flags.autoApprove === true) {
    if (isFollowed(flags)) host.stdout.write(`${renderPlan(plan, { ...textStyleOf(host.stdout), ...shown })}\n`);
    return undefined;
  }
  observer.asking();
  const { askForApproval } = await import("./approval.ts");
  const refused = await askForApproval(plan, host, { flags, shown, signal, privileged: policy.privilegedRoles });
  return refused === undefined ? undefined : (cancellation.outOfTime() ?? refused);
}

/** Records the differences that an apply has seen and left, so that a later drift says since when they exist. */
async function recordDriftAfterRun(
  result: CommandResult,
  { lock, policy, loaded, host }: LockedPlanning,
  planned: Planned,
): Promise<CommandResult> {
  if (result.stop !== undefined) return result;
  const { plan, snapshot, state } = planned;
  const { roster } = loaded;
  const drift = computeDrift({
    plan,
    snapshot,
    state,
    roster,
    privilegedRoles: policy.privilegedRoles,
    digest: sha256,
  });
  const recorded = await recordSightings(
    lock,
    { planned, drift, policy, settled: fixedByRun(result.run, drift) },
    host,
  );
  return typeof recorded === "string" ? result : { ...result, stop: recorded };
}

/** A plan, and what is known of the service that it rests on. */
export interface PlanToRun extends Pick<ApplyInput, "plan" | "factsAt" | "capabilities" | "stale" | "shown"> {
  /** Users who exist: a search that does not find them proves no absence. */
  readonly known: readonly UserQuery[];
}

/** A plan that this run has made. */
function planToRun({ plan, snapshot }: Planned): PlanToRun {
  const { readAt: factsAt, capabilities, users } = snapshot;
  return {
    plan,
    factsAt,
    capabilities,
    shown: users,
    known: users.filter(({ status }) => accountStatus(status) !== "deleted"),
  };
}

/** Runs a plan to its end. `before`: what this run has recorded already. Returns the run and the plan as it stands after it. */
export async function runPlan(
  { host, settings, cancellation, observer, policy, service, lock }: Locked<Session<PlanPart>>,
  { known, ...input }: PlanToRun,
  before: readonly RunEvent[],
): Promise<{ readonly plan: Plan; readonly run: RunSummary }> {
  const { parallelism } = settings;
  const people = peopleReader({ service, parallelism, known });
  const { signal, deadline } = cancellation;
  const ports = { service, people, session: lock, clock: host.clock, digest: sha256, parallelism, signal, deadline };
  const events: RunEvent[] = [];
  const report = (event: RunEvent) => {
    events.push(event);
    observer.event(event);
  };
  const { privilegedRoles, consistency } = policy;
  for (const event of before) report(event);
  const notify = () => {
    const sent = events.some(({ type }) => type === "intended") ? "some" : "nothing";
    host.stderr.write(`${wrap(cancellationNotice(cancellation, sent), host.stderr.columns ?? maxWidth).join("\n")}\n`);
  };
  signal.addEventListener("abort", notify, { once: true });
  try {
    const started = applyPlan({ ...input, run: lock.run, privilegedRoles, consistency }, ports);
    for await (const event of started) report(event);
  } finally {
    signal.removeEventListener("abort", notify);
  }
  const retry = allowedRetries(applyEvents(lock.state, events), input.plan.id);
  const run = { ...summarizeRun(events), ...(retry.length === 0 ? {} : { retry }) };
  const isEmptied = (prefix: string) => run.rolesRead.get(prefix)?.length === 0;
  return { plan: withDisarmedMembers(input.plan, isEmptied, sha256), run };
}

/** What a session needs to run a plan. */
export type PlanPart = "policy" | "observer" | "store" | "service";

/** Where no terminal shows it, a notice is one line. */
const maxWidth = Number.POSITIVE_INFINITY;

/** `sent`: which actions had started before the run was stopped. */
function cancellationNotice({ deadline }: Cancellation, sent: "some" | "nothing"): string {
  const why = deadline.aborted ? "time is over" : "interrupted";
  if (sent === "nothing") return `${why}: reading was stopped, and nothing was sent`;
  const rest = "no new call starts; calls in progress finish";
  return deadline.aborted ? `${why}: ${rest}` : `${why}: ${rest}. Press Ctrl-C again to exit at once`;
}

export interface SequenceFlags {
  readonly sequence?: string | undefined;
}

/** The place that a run names for itself among all applies; undefined where it names none. */
export function readSequence({ sequence }: SequenceFlags): Result<number | undefined, CommandError> {
  if (sequence === undefined) return success(undefined);
  const number = Number(sequence);
  if (/^\d+$/u.test(sequence) && Number.isSafeInteger(number)) return success(number);
  return problem(
    invalidSetting(
      "bad-sequence",
      `--sequence ${sequence} is not a whole number.`,
      "Use a number that only grows, such as the run number of the pipeline.",
    ),
  );
}

/** What to remember of the place that a run names; nothing where it is known. */
export function sequenceEvents(
  sequence: number | undefined,
  { sequence: known }: State,
  at: string,
): readonly RunEvent[] {
  return sequence === undefined || sequence === known ? [] : [{ type: "sequenced", at, sequence }];
}

/** Why a run must not go on after a newer roster was applied, which it would undo; undefined where it may. */
export function supersededRun(sequence: number | undefined, { sequence: applied }: State): CommandError | undefined {
  if (sequence === undefined || applied === undefined || sequence >= applied) return undefined;
  const problem = {
    code: "stale",
    message: `this run has number ${sequence}, but number ${applied} with a newer roster was already applied`,
    hint: "nothing was read or sent; let the newest pipeline run apply",
  };
  return { reason: "stale", problem };
}
