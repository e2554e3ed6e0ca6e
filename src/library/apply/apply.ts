import { recordedPeople, withoutPerson } from "../../journal/forget-person.ts";
import { goneFor } from "../../journal/record-events.ts";
import { countOutcomes, type RunSummary } from "../../journal/summary.ts";
import type { FoldedAddress } from "../../model/address.ts";
import type { DueTimes } from "../../model/drift.ts";
import type { PeopleGone, RunEvent } from "../../model/event.ts";
import type { Plan } from "../../model/plan.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { namedPeople, type Roster } from "../../model/roster.ts";
import { isDeleted } from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import { type GoneProof, proveGone } from "../../observe/absence.ts";
import { computeDrift } from "../../plan/drift/compute-drift.ts";
import { isoTime } from "../../ports/clock.ts";
import type { Progress } from "../../ports/operator.ts";
import { type AcknowledgementsReader, fixedByRun, type Recorder, recordSightings } from "../drift/sightings.ts";
import { errorFromFailure, type RosterError, stopError } from "../error.ts";
import { isWhole, learnedEvents, type Planned, type PlanningInput, planFor } from "../planning/planning.ts";
import { sha256 } from "../system.ts";
import { recordEvents } from "./lock.ts";
import { planToRun, type RunContext, type RunObserver, runPlan } from "./run-plan.ts";

/** What an apply works with. The state is locked for it. */
export interface ApplyContext extends RunContext, Recorder {
  readonly roster: Roster;
  readonly everyone: PlanningInput["everyone"];
  readonly progress: Progress;
  readonly acknowledgements: AcknowledgementsReader;
  /** When what is left to people is due. */
  readonly due: DueTimes;
  /** What to say where the signal ended the work before anything was sent; undefined where nothing is said of it. */
  readonly whyAborted: () => RosterError | undefined;
}

/** What happens between the steps of an apply. */
export interface ApplySteps extends RunObserver {
  /** The number of this run among all applies. */
  readonly sequence?: number | undefined;
  /** Why the plan that was made is not the one to apply. Nothing is recorded by then. */
  readonly unexpected?: (plan: Plan) => RosterError | undefined;
  /** The plan is made, and nothing of it was done yet. */
  readonly planned?: (planned: Planned) => void;
  /** Why the plan is not applied. Asked where guards let it pass and it has actions. */
  readonly approve: (planned: Planned) => Promise<RosterError | undefined>;
  /** The run begins: nothing was sent by then. */
  readonly begins?: (plan: Plan) => Promise<void>;
  /** Absent: the records of people who are gone are kept for ever. */
  readonly retention?: Retention | undefined;
  /** Hears what could not be removed. */
  readonly warn?: (message: string) => void;
}

/** What an apply came to. */
export interface Applied {
  /** Why it ended before its work was done; absent where it did not. */
  readonly error?: RosterError;
  readonly planned?: Planned;
  /** As it stands after the run. */
  readonly plan?: Plan;
  /** Absent where nothing was begun. */
  readonly run?: RunSummary;
  /** Whose records were removed. */
  readonly removed?: RemovedRecords;
}

/** Plans, asks and runs the plan. What planning learned is recorded before anything is sent. */
export async function applyUnderLock(context: ApplyContext, steps: ApplySteps): Promise<Applied> {
  const late = supersededRun(steps.sequence, context.lock.state);
  if (late !== undefined) return { error: late };
  const made = await planFor(planningInput(context), context);
  if (!made.ok) return { error: made.error };
  const planned = made.value;
  const unexpected = steps.unexpected?.(planned.plan);
  if (unexpected !== undefined) return { planned, error: unexpected };
  const ran = await runPlanned(context, planned, steps, planningEvents(context, planned));
  if (ran.error !== undefined) return ran;
  const unrecorded = await recordDriftAfterRun(context, planned, ran.run);
  if (unrecorded !== undefined) return { ...ran, error: unrecorded };
  const removed = await applyRetention(ran.run, planned, context, steps);
  if (!removed.ok) return { ...ran, error: removed.error };
  return removed.value === undefined ? ran : { ...ran, removed: removed.value };
}

function planningInput({ roster, policy, lock, everyone }: ApplyContext): PlanningInput {
  return { roster, state: lock.state, policy, everyone };
}

/** What was learned counts even if the plan is not approved. That the roster is applied or the service starts anew does not. */
export interface PlanningEvents {
  readonly learned: readonly RunEvent[];
  readonly applied: readonly RunEvent[];
}

export function planningEvents(
  { clock, roster, policy }: Pick<ApplyContext, "clock" | "roster" | "policy">,
  planned: Planned,
): PlanningEvents {
  const events = learnedEvents(planned, { roster, policy, at: isoTime(clock) });
  const ofType = (type: RunEvent["type"]) => events.filter((event) => event.type === type);
  const ofNewEpoch: readonly RunEvent["type"][] = planned.epoch === undefined ? [] : ["epoch-started", "people-seen"];
  const late: readonly RunEvent["type"][] = [...ofNewEpoch, "roster-applied"];
  const others = events.filter(({ type }) => type !== "records-moved" && !late.includes(type));
  return {
    learned: [...ofType("records-moved"), ...planned.settled, ...others],
    applied: late.flatMap(ofType),
  };
}

/** Records what planning learned, asks, and runs the plan. */
export async function runPlanned(
  context: ApplyContext,
  planned: Planned,
  steps: Omit<ApplySteps, "unexpected" | "retention" | "warn">,
  { learned, applied }: PlanningEvents,
): Promise<Applied> {
  const { plan, settled } = planned;
  const { lock, signal, policy } = context;
  steps.planned?.(planned);
  // Without a place for what was learned, no call can be announced: nothing is sent.
  const record = (events: readonly RunEvent[]) => recordEvents(lock, events, "nothing was sent");
  const unrecorded = await record(learned);
  if (unrecorded !== undefined) return { planned, error: unrecorded };
  const refused = await whyNotRun(context, planned, steps);
  if (refused !== undefined) return { planned, error: refused };
  const unstarted = await record(startEvents(context, steps.sequence, applied));
  if (unstarted !== undefined) return { planned, error: unstarted };
  // Interrupted: nothing was begun.
  if (signal.aborted || plan.actions.length + settled.length === 0) return { planned };
  const unaudited = await lock.begin();
  if (unaudited !== undefined) return { planned, error: unaudited };
  await steps.begins?.(plan);
  return { planned, ...(await runPlan({ ...context, policy }, planToRun(planned), learned, steps)) };
}

/** Out of time, refused by guards, or not approved. Without actions there is no question. */
async function whyNotRun(
  { signal, whyAborted }: ApplyContext,
  planned: Planned,
  { approve }: Pick<ApplySteps, "approve">,
): Promise<RosterError | undefined> {
  if (signal.aborted) return whyAborted();
  if (planned.refusal !== undefined) return planned.refusal;
  return planned.plan.actions.length === 0 ? undefined : approve(planned);
}

/** Recorded even if nothing is left to do: an older roster that comes later must not be applied, and nobody is forgotten. */
function startEvents(
  { lock, clock, signal }: ApplyContext,
  sequence: number | undefined,
  applied: readonly RunEvent[],
): readonly RunEvent[] {
  if (signal.aborted) return [];
  return [...sequenceEvents(sequence, lock.state, isoTime(clock)), ...applied];
}

/** Records the differences that an apply has seen and left, so that a later drift says since when they exist. */
async function recordDriftAfterRun(
  context: ApplyContext,
  planned: Planned,
  run: RunSummary | undefined,
): Promise<RosterError | undefined> {
  const { lock, policy, roster, due } = context;
  const { plan, snapshot, state } = planned;
  const { privilegedRoles } = policy;
  const drift = computeDrift({ plan, snapshot, state, roster, privilegedRoles, digest: sha256 });
  const recorded = await recordSightings(
    lock,
    { planned, drift, policy, due, settled: fixedByRun(run, drift) },
    context,
  );
  return typeof recorded === "string" ? undefined : recorded;
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
export function supersededRun(sequence: number | undefined, { sequence: applied }: State): RosterError | undefined {
  if (sequence === undefined || applied === undefined || sequence >= applied) return undefined;
  return stopError(
    "stale",
    "stale",
    `this run has number ${sequence}, but number ${applied} with a newer roster was already applied`,
    "nothing was read or sent; let the newest pipeline run apply",
  );
}

/** Why a plan is not the one that was approved; undefined where it is. `difference`: in what, as the end of a sentence. */
export function otherPlan(plan: Plan, { id }: Pick<Plan, "id">, difference = ""): RosterError | undefined {
  if (plan.id === id) return undefined;
  return stopError(
    "stale",
    "plan-changed",
    `the plan has the ID ${plan.id} now, and ${id} was approved${difference}`,
    "nothing was sent; read the plan of today, and approve it",
  );
}

const millisecondsPerDay = 86_400_000;

/** For how many days the state keeps records of people who are gone. */
interface Retention {
  readonly people: number;
}

interface RetentionSteps {
  /** Absent: for ever. */
  readonly retention?: Retention | undefined;
  /** Hears what could not be removed. */
  readonly warn?: ((message: string) => void) | undefined;
}

/** Whose records were removed, since they have been gone for more days than they are kept. */
export interface RemovedRecords {
  readonly days: number;
  readonly people: readonly string[];
}

/**
 * Remembers since when recorded people are gone, and removes the records of those who have been gone for longer than the settings keep
 * them. Their key prefixes cannot be read again: so nothing is removed unless the reads of this run prove that they are gone.
 */
async function applyRetention(
  run: RunSummary | undefined,
  { state, ...planned }: Planned,
  context: RunContext & { readonly roster: Roster },
  { retention, warn }: RetentionSteps,
): Promise<Result<RemovedRecords | undefined, RosterError>> {
  const { lock, clock, signal } = context;
  if (signal.aborted) return success(undefined);
  const proofs = await proofsOf(run, context, { state, ...planned }, { retention, warn });
  if (proofs === undefined) return success(undefined);
  const gone = [...proofs].flatMap(([address, { is }]) => (is === "gone" ? [address] : []));
  const isBack = (address: FoldedAddress) => retention === undefined || proofs.get(address)?.is === "shown";
  const event: PeopleGone = {
    type: "people-gone",
    at: isoTime(clock),
    gone: gone.filter((address) => state.gone?.has(address) !== true),
    back: [...(state.gone?.keys() ?? [])].filter(isBack),
  };
  if (event.gone.length + event.back.length > 0) {
    const unrecorded = await recordEvents(lock, [event], "the calls of this run are recorded");
    if (unrecorded !== undefined) return problem(unrecorded);
  }
  const milliseconds = (retention?.people ?? 0) * millisecondsPerDay;
  const expired = retention === undefined ? [] : goneFor(gone, state, { now: clock.now(), milliseconds });
  if (retention === undefined || expired.length === 0) return success(undefined);
  const closed = await lock.close((latest) => expired.reduce(withoutPerson, latest));
  if (!closed.ok) return problem(errorFromFailure(closed.error));
  const people = expired.map((address) => state.users.get(address)?.email ?? address);
  return success({ days: retention.people, people });
}

type Proofs = ReadonlyMap<FoldedAddress, Pick<GoneProof, "is">>;

/**
 * What is known of each recorded person: shown, where the roster names them or the plan's reads show them. All others are read for,
 * unless the run is about a part of the roster, or what became of a call is not known. Undefined where that failed.
 */
async function proofsOf(
  run: RunSummary | undefined,
  { service, policy, roster, parallelism, signal }: RunContext & { readonly roster: Roster },
  { state, snapshot }: Pick<Planned, "state" | "snapshot">,
  { retention, warn }: RetentionSteps,
): Promise<Proofs | undefined> {
  const named = namedPeople(roster);
  const present = snapshot.users.filter((user) => !isDeleted(user));
  const shown = new Set<FoldedAddress>(present.map(({ address }) => address));
  const people = recordedPeople(state);
  const isKnown = (address: FoldedAddress) => named.has(address) || shown.has(address);
  const known: Proofs = new Map(people.filter(isKnown).map((address) => [address, { is: "shown" }]));
  // A person of an account that was not read may be there all the same.
  const isAccountRead = (account: string | undefined) => account === undefined || snapshot.accounts.has(account);
  const isUnsettled = state.open.length > 0 || (run !== undefined && countOutcomes(run).unknown > 0);
  const others = people.filter((address) => !isKnown(address) && isAccountRead(state.users.get(address)?.account));
  if (retention === undefined || !isWhole(policy) || isUnsettled || others.length === 0) return known;
  const recorded = others.map((address) => {
    const user = state.users.get(address);
    return { address, email: user?.email ?? address, identifier: user?.identifier };
  });
  const accounts = [...snapshot.accounts.values()];
  const ports = { service, parallelism, signal, accounts, known: present[0] };
  const read = await proveGone(recorded, ports);
  if (read.ok) return new Map([...known, ...read.value]);
  warn?.(`retention: no records were removed: ${read.error.message}`);
  return undefined;
}
