import type { RunSummary } from "../../journal/summary.ts";
import type { Drift, DriftClass } from "../../model/drift.ts";
import type { Plan } from "../../model/plan.ts";
import { type Diagnostic, problem, type Result, success } from "../../model/result.ts";
import { closestMatch } from "../../model/similarity.ts";
import { formatLockHolder, type LockHolder, type State } from "../../model/state.ts";
import { repairPlan } from "../../plan/drift/classify.ts";
import { findSubjectsInProgress } from "../../plan/drift/compute-drift.ts";
import type { DriftRecording } from "../../report/drift.ts";
import { safe } from "../../report/safe.ts";
import { type LockedPlanning, planningEvents, planningInput, runUnderLock } from "../apply/apply-under-lock.ts";
import { refuseUnsigned } from "../approvals/check-approvals.ts";
import { type CommandError, errorFromFailure, invalidSetting } from "../command-error.ts";
import { type AcknowledgementsFile, readAcknowledgements } from "../drift/acknowledgements.ts";
import { findDrift, findTodo, fixedByRun, notRecorded, recordSightings } from "../drift/sightings.ts";
import { notifyWebhooks, readWebhooks, type WebhookFlags } from "../drift/webhook.ts";
import type { Host } from "../host.ts";
import { type CommandResult, finish } from "../output/finish.ts";
import { rosterSummary } from "../planning/load-roster.ts";
import { type Planned, planFor } from "../planning/pipeline.ts";
import { repeatedArguments } from "../planning/policy-flags.ts";
import {
  type CommandCall,
  type PlanningFlags,
  type PlanningSession,
  planningParts,
  readPorts,
  runCommand,
} from "../session.ts";
import {
  activeRun,
  type Locked,
  type LockFlags,
  type LockWaitOptions,
  lockState,
  readLockOptions,
  waitForRun,
} from "../stores/lock.ts";
import { sha256 } from "../system.ts";
import { readDeadline } from "../time-limits.ts";

export interface DriftFlags extends PlanningFlags, LockFlags, WebhookFlags {
  readonly onlyNew?: boolean;
  /** False where nothing is to be written. */
  readonly record?: boolean;
  readonly repair?: readonly string[];
  readonly autoApprove?: boolean;
}

/**
 * Reads everyone and says in what the service and the roster differ, why and since when. Locks the state only to remember
 * what it saw, and only where it can; with classes to repair it is an apply of just these.
 */
export async function drift(paths: readonly string[], flags: DriftFlags, host: Host): Promise<number> {
  const webhook = await readWebhooks(flags, host);
  if (!webhook.ok) return finish({ ...nothingFound, stop: webhook.error }, flags, host);
  const began = host.clock.now();
  const result = await runCommand((open) => findDifferences("drift", paths, { flags, host, open }));
  const exitCode = await finish(result, flags, host);
  const limit = readDeadline(flags, host);
  const isOver = limit.ok && limit.value !== undefined && host.clock.now() - began >= limit.value;
  const attempts = isOver ? "one" : "several";
  if (webhook.value !== undefined)
    await notifyWebhooks(webhook.value, { conclusion: result, exitCode }, { flags, host, attempts });
  return exitCode;
}

const nothingFound: CommandResult = { command: "drift", tells: "what-remains", diagnostics: [] };

/** Says in what the service and the roster differ, records it where it can, and repairs what was asked for. */
export async function findDifferences(
  command: "drift" | "todo",
  paths: readonly string[],
  { flags: given, host, open }: CommandCall<DriftFlags>,
): Promise<CommandResult> {
  const base: CommandResult = { ...nothingFound, command };
  const wait = readLockOptions(given, host);
  if (!wait.ok) return { ...base, stop: wait.error };
  const classes = readRepairClasses(given);
  if (!classes.ok) return { ...base, stop: classes.error };
  const flags = { ...given, unmanaged: true };
  const session = await open({ command, paths, flags, host, needs: planningParts });
  if (!session.ok) return { ...base, ...session.error };
  const result = { ...base, ...rosterSummary(session.value.loaded), ...repeatedArguments(paths, flags) };
  if (classes.value === undefined) return checkDrift(result, session.value, { flags, wait: wait.value });
  const unsigned = refuseUnsigned("drift --repair", session.value.settings);
  if (unsigned !== undefined) return { ...result, stop: unsigned };
  const locked = await lockState(session.value, "drift --repair", wait.value);
  if (!locked.ok) return { ...result, stop: locked.error };
  return repairUnderLock(result, locked.value, { flags, classes: classes.value });
}

/** Applies the part of the plan that is of some classes, through the same guards, approval and journal as an apply. */
async function repairUnderLock(
  result: CommandResult,
  session: LockedPlanning,
  { flags, classes }: { readonly flags: DriftFlags; readonly classes: ReadonlySet<DriftClass> },
): Promise<CommandResult> {
  const { settings, host, policy, loaded } = session;
  const known = await readAcknowledgements(settings, host);
  if (!known.ok) return { ...result, stop: known.error };
  const made = await planFor(planningInput(session, flags), readPorts(session));
  if (!made.ok) return { ...result, stop: made.error };
  const planned = made.value;
  const drift = findDrift(planned, { roster: loaded.roster, policy, known: known.value });
  const part = repairPlan(planned.plan, drift, classes, sha256);
  // What was repaired is a part of the roster: it is not applied as a whole.
  const { learned } = planningEvents(session, planned);
  const events = { learned, applied: [] };
  const ended = await runUnderLock(result, session, repairToRun(planned, part), { flags, events });
  return recordRepair(ended, session, { planned, drift, classes });
}

/** Guards have no say about a plan without actions. */
function repairToRun(planned: Planned, plan: Plan): Planned {
  if (plan.actions.length > 0) return { ...planned, plan };
  const { refusal: _, ...rest } = planned;
  return { ...rest, plan };
}

interface Repair {
  readonly planned: Planned;
  readonly drift: Drift;
  readonly classes: ReadonlySet<DriftClass>;
}

async function recordRepair(
  ended: CommandResult,
  session: LockedPlanning,
  { planned, drift, classes }: Repair,
): Promise<CommandResult> {
  if (ended.stop !== undefined) return ended;
  const { lock, policy, host } = session;
  const settled = fixedByRun(ended.run, drift);
  const left = { ...drift, items: drift.items.filter(({ fingerprint }) => !settled.has(fingerprint)) };
  const checked = { planned, drift, policy, settled };
  const todo = findTodo(checked, lock.state, session);
  const recorded = await recordSightings(lock, checked, host);
  const record: DriftRecording =
    typeof recorded === "string" ? { is: recorded } : { is: "not-recorded", why: "the state is lost" };
  const repaired: CommandResult = {
    ...ended,
    plan: shownPlan(ended.run, planned, ended.plan),
    drift: { drift: left, todo, shows: "everything", record, repairing: [...classes] },
  };
  return typeof recorded === "string" ? repaired : { ...repaired, stop: recorded };
}

/** What was run; where nothing was, all that differs. */
function shownPlan(run: RunSummary | undefined, { plan }: Planned, ran: Plan | undefined): Plan {
  return run === undefined || ran === undefined ? plan : ran;
}

interface DriftOptions {
  readonly flags: DriftFlags;
  readonly wait: LockWaitOptions;
}

/** Reads all users, says how the service and the roster differ, and records what is new where it may write. */
async function checkDrift(
  result: CommandResult,
  session: PlanningSession,
  options: DriftOptions,
): Promise<CommandResult> {
  const { store, settings, cancellation, host, loaded, policy } = session;
  const known = await readAcknowledgements(settings, host);
  if (!known.ok) return { ...result, stop: known.error };
  const locked = await waitForRun(store, options.wait.timeout, { host, signal: cancellation.signal });
  if (locked !== undefined) return { ...result, stop: locked };
  const before = await store.read();
  if (!before.ok) return { ...result, stop: errorFromFailure(before.error) };
  const holder = await activeRun(store);
  if (holder !== undefined) reportHolder(holder, host);
  const input = { roster: loaded.roster, state: before.value, policy, everyone: "always" } as const;
  const planned = await planFor(input, readPorts(session));
  if (!planned.ok) return { ...result, stop: planned.error };
  const { plan, reading, refusal } = planned.value;
  session.observer.planned(plan);
  const shown = { ...result, plan, reading, diagnostics: [...result.diagnostics, ...guardWarnings(refusal)] };
  return compareWithLaterState(shown, session, {
    ...options,
    planned: planned.value,
    before: before.value,
    holder,
    known: known.value,
  });
}

/** A plan that guards refuse is reported all the same. */
function guardWarnings(refusal: Planned["refusal"]): readonly Diagnostic[] {
  return (refusal?.diagnostics ?? []).map((one) => ({ ...one, severity: "warning" }));
}

interface DriftReading extends DriftOptions {
  readonly planned: Planned;
  readonly before: State;
  readonly holder: LockHolder | undefined;
  readonly known: AcknowledgementsFile;
}

function reportHolder(holder: LockHolder, host: Host): void {
  const held = safe(formatLockHolder(holder));
  host.stderr.write(`The state is locked ${held}. Calls in progress show as pending, and later ones as not applied.\n`);
}

/** Reads the state once more, since a run may have worked meanwhile. Best under the lock, under which the drift is recorded. */
async function compareWithLaterState(
  result: CommandResult,
  session: PlanningSession,
  read: DriftReading,
): Promise<CommandResult> {
  const { store } = session;
  const locked = await lockToRecord(session, read);
  if ("lock" in locked) return recordUnderLock(result, locked, read);
  const again = await store.read();
  const holder = read.holder ?? (await activeRun(store));
  const after = again.ok ? again.value : read.before;
  return reportDrift(result, session, { ...read, holder, after, record: locked.record });
}

async function lockToRecord(
  session: PlanningSession,
  { flags, wait }: DriftOptions,
): Promise<Locked<PlanningSession> | { readonly record: DriftRecording }> {
  if (flags.record === false || session.cancellation.signal.aborted) return { record: { is: "not-wanted" } };
  const locked = await lockState(session, "drift", { ...wait, audit: "none" });
  return locked.ok
    ? locked.value
    : { record: notRecorded(locked.error.problem ?? { message: "the state cannot be locked" }) };
}

/** What could not be saved was not recorded. The drift is reported all the same. */
async function recordUnderLock(
  result: CommandResult,
  session: Locked<PlanningSession>,
  read: DriftReading,
): Promise<CommandResult> {
  const { lock, policy, host } = session;
  const { planned } = read;
  const record = (drift: Drift) => recordIfPossible(lock, { planned, drift, policy }, host);
  const recorded = await reportDrift(result, session, { ...read, after: lock.state, record });
  const closed = await lock.close();
  if (closed.ok || recorded.drift === undefined) return recorded;
  return { ...recorded, drift: { ...recorded.drift, record: notRecorded(closed.error) } };
}

interface DriftReadAgain extends DriftReading {
  readonly after: State;
  /** How the drift is recorded, or why it is not. */
  readonly record: DriftRecording | ((drift: Drift) => Promise<DriftRecording>);
}

async function reportDrift(
  result: CommandResult,
  session: PlanningSession,
  { flags, planned, before, after, known, holder, record }: DriftReadAgain,
): Promise<CommandResult> {
  const { loaded, policy } = session;
  const moving = findSubjectsInProgress({ before, after, underWay: holder !== undefined });
  const drift = findDrift(planned, { roster: loaded.roster, policy, known, moving });
  const { privilegedRoles } = policy;
  const shows = flags.onlyNew === true ? "what-is-new" : "everything";
  const todo = findTodo({ planned, drift, policy }, after, session);
  const recorded = typeof record === "function" ? await record(drift) : record;
  return { ...result, privilegedRoles, drift: { drift, todo, shows, record: recorded } };
}

/** A drift that cannot be recorded is reported all the same. */
async function recordIfPossible(...sighted: Parameters<typeof recordSightings>): Promise<DriftRecording> {
  const recorded = await recordSightings(...sighted);
  if (typeof recorded === "string") return { is: recorded };
  return notRecorded({ message: recorded.problem?.message ?? "the state cannot be written" });
}

const repairable = ["tampered", "unapplied"] as const;

/** The classes to repair; undefined where none is. What calls cannot correct cannot be repaired. */
function readRepairClasses(flags: DriftFlags): Result<ReadonlySet<DriftClass> | undefined, CommandError> {
  const { repair, record, autoApprove, onlyNew } = flags;
  if (repair === undefined) return autoApprove === true ? problem(nothingToApprove) : success(undefined);
  if (record === false) return problem(contradiction);
  if (onlyNew === true) return problem(partOfPart);
  const classes = new Set<DriftClass>();
  for (const word of repair.flatMap((text) => text.split(",")).map((text) => text.trim())) {
    const known = repairable.find((name) => name === word);
    if (known === undefined) return problem(notRepairable(word));
    classes.add(known);
  }
  return success(classes);
}

const contradiction = invalidSetting(
  "repair-without-record",
  "--repair records its calls, and --no-record records nothing.",
  "Remove one of the two flags.",
);

const partOfPart = invalidSetting(
  "repair-with-only-new",
  "--only-new limits the report, but --repair applies all drift of a class.",
  "Remove one of the two flags.",
);

const nothingToApprove = invalidSetting(
  "unused-auto-approve",
  "--auto-approve needs --repair.",
  "Add the class to repair, such as --repair tampered.",
);

function notRepairable(word: string): CommandError {
  const close = closestMatch(word, repairable);
  return invalidSetting(
    "not-repairable",
    `--repair ${word} is not a class that roster can repair.`,
    close === undefined ? `Write --repair ${repairable.join(" or --repair ")}.` : `Did you mean ${close}?`,
  );
}
