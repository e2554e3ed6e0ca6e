import { setMaxListeners } from "node:events";
import type { PlanningEvent } from "../codec/plan-file-format.ts";
import { applyEvents } from "../log/fold.ts";
import { recordsMoved } from "../log/moved-records.ts";
import { rosterApplied, serviceLearned, usersObserved } from "../log/observed-events.ts";
import { resolveAbsentTeamCreations } from "../log/operator-resolution.ts";
import { withFormerUsers } from "../log/prune.ts";
import type { EventOf, RunEvent } from "../model/event.ts";
import type { Diagnostic } from "../model/failure.ts";
import type { Plan } from "../model/plan.ts";
import { type Allowance, allowedSubjects, type Policy } from "../model/policy.ts";
import { type Roster, rosterDigest } from "../model/roster.ts";
import { findServiceReset } from "../model/service-reset.ts";
import type { ReadSummary, Snapshot } from "../model/snapshot.ts";
import { type State, stateFlag } from "../model/state.ts";
import { privilegedKeys } from "../model/user.ts";
import { type ObservePorts, observe } from "../observe/observe.ts";
import { buildPlanContext, type PlanContext } from "../plan/context.ts";
import { makePlan } from "../plan/make-plan.ts";
import type { PlanFacts } from "../plan/snapshot-index.ts";
import { type Clock, isoTime, type Moment, momentOf } from "../ports/clock.ts";
import type { ReadStep } from "../ports/operator.ts";
import { type ResolutionTimes, resolveOpen } from "../run/assess.ts";
import type { Service } from "./connect.ts";
import { invalidSetting, orThrow, type Redaction, RosterError, stopError, withoutSecrets } from "./error.ts";
import type { LoadedRoster } from "./load-roster.ts";
import type { Log } from "./log.ts";
import { checkOptions, is, type OptionChecks } from "./options.ts";
import { isWhole, readPolicy, suggestSelector } from "./policy.ts";

/** What a plan is made of. */
export interface PlanOptions {
  readonly roster: LoadedRoster;
  readonly service: Service;
  readonly log: Log;
  /** Which part, what is allowed and which guards hold, as `readPolicy` gives it. Absent: everything, with the usual guards. */
  readonly policy?: Policy | undefined;
  /** Ends the work: reads are given up; in an apply no new call starts, and calls in progress finish. */
  readonly signal?: AbortSignal | undefined;
  /** Called often: how far the reads are. */
  readonly progress?: ((step: ReadStep) => void) | undefined;
  /** Whether all users of the service are read, where `reportUnmanaged` does not ask for it. @internal */
  readonly everyone?: ((roster: Roster, state: State) => "when-needed" | "always") | undefined;
}

export const planChecks: OptionChecks<PlanOptions> = {
  roster: is.required(is.givenBy("loadRoster", "roster")),
  service: is.required(is.givenBy("connect", "connection")),
  log: is.required(is.givenBy("openLog", "store")),
  policy: is.givenBy("readPolicy", "guards"),
  signal: is.signal,
  progress: is.function,
  everyone: is.function,
};

/** A plan, and what it rests on. */
export interface PlanResult {
  /** The actions, in an order that respects every dependency, and the findings. */
  readonly plan: Plan;
  /** Guards refuse the plan: it may be shown, and `apply` does not run it. `allow` has the codes that let it pass. */
  readonly refusal?: RosterError | undefined;
  /** How the service was read, and when. */
  readonly reading: ReadSummary;
}

/** Plans what `apply` would do. Reads the service and the log, takes no lock and writes nothing. */
export async function plan(options: PlanOptions): Promise<PlanResult> {
  checkOptions("plan", planChecks, options);
  const work = workOf(options);
  return withoutSecrets(work.secrets, async () => {
    return planResult(await planFor(work, orThrow(await work.log.store.read())), work.secrets);
  });
}

export function planResult(made: Planned, secrets: Redaction): PlanResult {
  const { plan, reading, refusal } = made;
  const result = { ...secrets.redactAll({ plan, reading }), refusal: refusal?.without(secrets) };
  bases.set(result, { ...made, secrets });
  return result;
}

const bases = new WeakMap<PlanResult, Planned & Pick<Work, "secrets">>();

/** What a plan rests on. A program does not print it with the plan: it may hold what the service should not show. */
export function basisOf(result: PlanResult): Planned & Pick<Work, "secrets"> {
  const made = bases.get(result);
  if (made === undefined) throw invalidSetting("bad-option", "This plan is a copy, or was not made here.");
  return made;
}

export interface Work extends PlanPorts, Pick<PlanOptions, "everyone"> {
  readonly roster: Roster;
  readonly policy: Policy;
  readonly log: Log;
  readonly secrets: Redaction;
}

export function workOf({
  roster,
  service,
  log,
  policy = readPolicy(),
  ...options
}: Omit<PlanOptions, "roster"> & { readonly roster: Pick<LoadedRoster, "roster"> }): Work {
  const both = { redactAll: <T>(value: T) => service.secrets.redactAll(log.secrets.redactAll(value)) };
  const secrets = service.secrets === log.secrets ? log.secrets : both;
  const ports = { ...portsFor(service, log.clock, options), storeTimes: log.store.times };
  return { roster: roster.roster, policy, log, secrets, everyone: options.everyone, ...ports };
}

export function portsFor(
  { connection, parallelism }: Service,
  clock: Clock,
  { signal: given, progress }: Pick<PlanOptions, "signal" | "progress">,
): PlanPorts {
  // Each call listens to it: of a signal that others listen to, Node would print a warning from the eleventh on.
  const signal = AbortSignal.any(given === undefined ? [] : [given]);
  setMaxListeners(0, signal);
  return { service: connection, clock, parallelism, signal, progress: (step) => progress?.(step) };
}

interface ReadForPlan {
  readonly snapshot: Snapshot;
  readonly reading: ReadSummary;
  /** The state that the plan rests on: what was open in it is resolved where reading could tell. */
  readonly state: State;
  /** Records under former addresses and names, under the present ones. */
  readonly moved?: EventOf<"records-moved"> | undefined;
  readonly resolved: readonly RunEvent[];
  /** When this process began to read. */
  readonly read?: Moment | undefined;
}

/** The rest of the path to a plan: service reads -> Snapshot; Roster x Snapshot x State x Policy -> Plan. */
export interface Planned extends ReadForPlan {
  readonly plan: Plan;
  /** A person says that the service starts anew: `state` is without what was recorded before. */
  readonly epoch?: EventOf<"epoch-started"> | undefined;
  /** Guards refuse the plan: it may be shown, and must not be run. */
  readonly refusal?: RosterError | undefined;
  readonly context: PlanContext;
  /** The state as it was read; absent for a snapshot. */
  readonly before?: State | undefined;
}

export type PlanPorts = ObservePorts & { readonly signal: AbortSignal };

type Addressed = Pick<Log, "address">;

/** Reads the service, resolves by it what the state has left open, and makes the plan. */
export async function planFor(
  work: Omit<Work, "log" | "secrets"> & { readonly log: Addressed },
  state: State,
): Promise<Planned> {
  const { roster, policy, service, clock, log } = work;
  checkService(state, service, log);
  const { guards, consistency } = policy;
  const namesakes = guards.nearDuplicate === "on" ? "sought" : undefined;
  const privilegedRoles = guards.privilegedRoles === "off" ? [] : guards.privilegedRoles.roles;
  const sensitive = { privilegedRoles, protectedUsers: guards.protect.users };
  const everyone = policy.reportUnmanaged ? "always" : (work.everyone?.(roster, state) ?? "when-needed");
  const keyInUse = service.keyPrefix;
  const began = momentOf(clock);
  const snapshot = orThrow(await observe({ roster, state, everyone, namesakes, sensitive }, work));
  const read = resolveBySnapshot(snapshot, { roster, state, at: isoTime(clock), consistency });
  return { ...planFromReading({ ...read, read: began }, { roster, policy, keyInUse }), before: state };
}

export function planFromReading(
  read: ReadForPlan,
  input: Omit<PlanFacts, "snapshot" | "state">,
  part?: (plan: Plan) => Plan,
): Planned {
  const { snapshot, state } = read;
  const { roster, policy } = input;
  const reading = { ...read.reading, privileges: privilegedKeys(snapshot.users, policy.privilegedRoles) };
  const context = buildPlanContext({ ...input, snapshot, state });
  const known = { ...read, reading, context, epoch: undefined, refusal: undefined };
  const made = makePlan(context, part);
  if (made.ok) return withAllowances({ ...known, plan: made.value });
  if (made.error.code === "guard") {
    const { plan, stops, ...problem } = made.error;
    // Each guard speaks for itself, and the problem names what would let the plan pass.
    const diagnostics = stops.map(({ code, message }): Diagnostic => ({ code, severity: "error", message }));
    const allow = [...new Set(stops.flatMap((stop) => stop.allow ?? []))];
    return { ...known, plan, refusal: new RosterError("refused", { diagnostics, problem: { ...problem, allow } }) };
  }
  const { code, message, hint } = suggestSelector(made.error, [...policy.include, ...policy.exclude], roster);
  throw code === "unknown-selector" ? invalidSetting(code, message, hint) : stopError("refused", code, message, hint);
}

/** Allowances count for the apply too: a creation with a team was not done, and a service that starts anew has nothing of what was recorded. */
function withAllowances(planned: Planned): Planned {
  const { plan, snapshot, resolved: before } = planned;
  const resolved = resolveAbsentTeamCreations(planned.state.open, plan.allowed ?? [], snapshot.readAt);
  const state = resolved.length === 0 ? planned.state : applyEvents(planned.state, resolved);
  const known = { ...planned, state, resolved: [...before, ...resolved] };
  if (allowedSubjects(plan.allowed, "service-reset").size === 0) return known;
  const epoch: EventOf<"epoch-started"> = { type: "epoch-started", at: snapshot.readAt, service: snapshot.service };
  return { ...known, epoch, state: applyEvents(state, [epoch]) };
}

/** Throws where the service itself is in doubt: then nothing may be done, and no drift is reported. */
export function checkServiceDoubt({ plan, reading, refusal }: Planned): void {
  if (refusal !== undefined && plan.findings.some(({ code }) => code === "service-reset"))
    throw refusal.after({ plan, reading });
}

/** Recorded before the first call. Users are released only where the roster is applied as a whole. */
export function allowancesUsed(
  { allowed = [] }: Plan,
  applied: "whole" | "part",
  at: string,
): readonly EventOf<"allowances-used">[] {
  const isRelease = ({ code }: Allowance) => code.startsWith("user-removed:");
  const allowances = applied === "whole" ? allowed : allowed.filter((one) => !isRelease(one));
  return allowances.length === 0 ? [] : [{ type: "allowances-used", at, allowances }];
}

export function resolveBySnapshot(
  snapshot: Snapshot,
  { roster, state, ...times }: ResolutionTimes & { readonly roster: Roster; readonly state: State },
): ReadForPlan {
  const known = withFormerUsers(state, roster, snapshot);
  const moved = recordsMoved(roster, snapshot, known, times.at);
  const named = moved === undefined ? known : applyEvents(known, [moved]);
  // What a service in doubt does not show may have been done all the same.
  const isInDoubt = findServiceReset(roster, snapshot, named, times.consistency) !== undefined;
  const consistency = isInDoubt ? Number.POSITIVE_INFINITY : times.consistency;
  const resolved = resolveOpen(named, snapshot, { ...times, consistency });
  const { service, readAt, everyone, capabilities, readings } = snapshot;
  const reading = { service, readAt, everyone, capabilities, readings };
  return { snapshot, reading, state: applyEvents(named, resolved), resolved, moved };
}

/** Throws where the state is of another service: what is remembered of one would be taken for facts of the other. */
export function checkService({ service: remembered }: State, { address }: Addressed, log: Addressed): void {
  if (remembered === undefined || remembered === address) return;
  const message = `The log at ${log.address} is about the service ${remembered}, but this run uses ${address}.`;
  const hint =
    "If the address is a typing error, correct it. If it is another service, give it a log of its own. " +
    `Only if the service has moved to this address, run \`roster state set-endpoint ${address} ${stateFlag(log.address)}\`.`;
  throw invalidSetting("other-service", message, hint);
}

/** Throws where a plan is for another service than the one that is used. */
export function checkPlanService({ service }: Plan, address: string): void {
  if (service === address) return;
  const message = `The plan is for the service ${service}, but this run uses ${address}.`;
  throw invalidSetting("other-service", message, "Use the service of the plan, or plan again.");
}

/** What an apply records before it sends anything: changed addresses and names first, the people of the roster last. */
export function learnedEvents(
  { plan, snapshot, state, moved, epoch }: Planned,
  { roster, policy, at }: { readonly roster: Roster; readonly policy: Policy; readonly at: string },
): readonly PlanningEvent[] {
  const { allowed } = plan;
  const seen = usersObserved(roster, snapshot, state, { at, allowed });
  const learned = serviceLearned(snapshot, state, at);
  // A run for a part of the roster applies no whole roster: users outside that part were not dropped.
  const applied = isWhole(policy)
    ? rosterApplied(roster, snapshot, state, { at, allowed, digest: rosterDigest(roster) })
    : undefined;
  return [moved, epoch, seen, learned, applied].filter((event) => event !== undefined);
}
