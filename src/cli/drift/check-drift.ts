import type { DriftClass } from "../../model/drift.ts";
import { type Diagnostic, problem, type Result, success } from "../../model/result.ts";
import { closestMatch } from "../../model/similarity.ts";
import type { State } from "../../model/state.ts";
import { findSubjectsInProgress } from "../../plan/drift/drift.ts";
import type { LockHolder, StateSession } from "../../ports/state-store.ts";
import type { DriftRecording } from "../../report/drift.ts";
import { formatLockHolder } from "../../report/state.ts";
import { type CommandError, errorFromFailure, invalidSetting } from "../command-error.ts";
import type { Host } from "../host.ts";
import type { CommandResult } from "../output/finish.ts";
import { type Planned, planFor } from "../planning/pipeline.ts";
import { readProgress } from "../progress/progress-observer.ts";
import type { CommandSession, PlanningFlags } from "../session.ts";
import { activeRun, type LockFlags, type LockWaitOptions, runThenClose, takeLock, waitForRun } from "../stores/lock.ts";
import { type AcknowledgementsFile, readAcknowledgements } from "./acknowledgements.ts";
import { findDrift, notRecorded, recordSightings } from "./sightings.ts";
import type { WebhookFlags } from "./webhook.ts";

interface DriftSession extends CommandSession {
  readonly flags: DriftFlags;
  readonly host: Host;
  readonly patience: LockWaitOptions;
}

/** Reads everyone, says in what the service and the roster differ, and remembers what is new where it may write. */
export async function checkDrift(so: CommandResult, work: DriftSession): Promise<CommandResult> {
  const { store, settings, halting, host, patience } = work;
  const known = await readAcknowledgements(settings, host);
  if (!known.ok) return { ...so, stop: known.error };
  const waited = await waitForRun(store, patience.timeout, { host, signal: halting.signal });
  if (waited !== undefined) return { ...so, stop: waited };
  const before = await store.read();
  if (!before.ok) return { ...so, stop: errorFromFailure(before.error) };
  const holder = await activeRun(store);
  if (holder !== undefined) reportHolder(holder, host);
  const planned = await planWith(before.value, work);
  if (!planned.ok) return { ...so, stop: planned.error };
  const { plan, reading, refusal } = planned.value;
  work.onlooker.planned(plan);
  const told = { ...so, plan, reading, diagnostics: [...so.diagnostics, ...guardWarnings(refusal)] };
  return compareWithLaterState(told, work, {
    planned: planned.value,
    before: before.value,
    holder,
    known: known.value,
  });
}

/** What guards have against applying all of it is no reason not to tell it. */
function guardWarnings(refusal: Planned["refusal"]): readonly Diagnostic[] {
  return (refusal?.diagnostics ?? []).map((one) => ({ ...one, severity: "warning" }));
}

interface DriftReading {
  readonly planned: Planned;
  readonly before: State;
  readonly holder: LockHolder | undefined;
  readonly known: AcknowledgementsFile;
}

function planWith(state: State, { loaded, policy, service, settings, halting, host, onlooker }: DriftSession) {
  const question = { roster: loaded.roster, state, policy, everyone: "always" } as const;
  const ports = { service, clock: host.clock, progress: readProgress(onlooker), parallelism: settings.parallelism };
  return planFor(question, { ...ports, signal: halting.signal });
}

function reportHolder(holder: LockHolder, host: Host): void {
  host.stderr.write(
    `the state is locked (${formatLockHolder(holder)}): what that run has announced is pending, and what it has not begun shows as to apply\n`,
  );
}

/** Looks at the state once more, since a run may have worked meanwhile; best under the lock, under which the look is recorded. */
async function compareWithLaterState(
  so: CommandResult,
  work: DriftSession,
  read: DriftReading,
): Promise<CommandResult> {
  const locked = await lockToRecord(work);
  if ("session" in locked) {
    const { session } = locked;
    return saveAndClose(session, () => driftOutcome(so, work, { ...read, after: session.state, session }));
  }
  const again = await work.store.read();
  const holder = read.holder ?? (await activeRun(work.store));
  return driftOutcome(so, work, {
    ...read,
    holder,
    after: again.ok ? again.value : read.before,
    record: locked.record,
  });
}

/** What could not be saved was not recorded, and is told all the same. */
async function saveAndClose(session: StateSession, work: () => Promise<CommandResult>): Promise<CommandResult> {
  const { concluded: told, closed } = await runThenClose(session, work);
  if (closed.ok || told.drift === undefined) return told;
  return { ...told, drift: { ...told.drift, record: notRecorded(closed.error) } };
}

async function lockToRecord(
  work: DriftSession,
): Promise<{ readonly session: StateSession } | { readonly record: DriftRecording }> {
  const { flags, store, halting, host, patience } = work;
  if (flags.record === false || halting.signal.aborted) return { record: { is: "not-wanted" } };
  const run = { run: host.randomness.identifier(), operation: "drift" };
  const locked = await takeLock(store, run, patience, { host, signal: halting.signal });
  return locked.ok ? { session: locked.value } : { record: notRecorded(locked.error) };
}

type DriftReadAgain = DriftReading & { readonly after: State } & (
    | { readonly session: StateSession }
    | { readonly record: DriftRecording }
  );

async function driftOutcome(so: CommandResult, work: DriftSession, read: DriftReadAgain): Promise<CommandResult> {
  const { flags, loaded, policy, host } = work;
  const { planned, before, after, known, holder } = read;
  const moving = findSubjectsInProgress({ before, after, underWay: holder !== undefined });
  const drift = findDrift(planned, { roster: loaded.roster, policy, known, moving });
  const record =
    "session" in read ? await recordIfPossible(read.session, { planned, drift, policy }, host) : read.record;
  const { privilegedRoles } = policy;
  return {
    ...so,
    privilegedRoles,
    drift: { drift, tells: flags.onlyNew === true ? "what-is-new" : "everything", record },
  };
}

/** A look that cannot be recorded has been one all the same. */
async function recordIfPossible(...looked: Parameters<typeof recordSightings>): Promise<DriftRecording> {
  const done = await recordSightings(...looked);
  if (typeof done === "string") return { is: done };
  return notRecorded({ message: done.problem?.message ?? "the state cannot be written" });
}

export interface DriftFlags extends PlanningFlags, LockFlags, WebhookFlags {
  readonly onlyNew?: boolean;
  /** False where nothing is to be written. */
  readonly record?: boolean;
  readonly heal?: readonly string[];
  readonly autoApprove?: boolean;
}

const healable = ["tampered", "to-apply"] as const;

/** The classes to heal; undefined where none is. What calls cannot correct cannot be healed. */
export function readHealClasses(flags: DriftFlags): Result<ReadonlySet<DriftClass> | undefined, CommandError> {
  const { heal, record, autoApprove, onlyNew } = flags;
  if (heal === undefined) return autoApprove === true ? problem(nothingToApprove) : success(undefined);
  if (record === false) return problem(contradiction);
  if (onlyNew === true) return problem(partOfPart);
  const classes = new Set<DriftClass>();
  for (const word of heal.flatMap((text) => text.split(",")).map((text) => text.trim())) {
    const known = healable.find((name) => name === word);
    if (known === undefined) return problem(notHealable(word));
    classes.add(known);
  }
  return success(classes);
}

const contradiction = invalidSetting(
  "heal-without-record",
  "--heal makes calls, each of which is recorded before it is sent, and --no-record writes nothing.",
  "Leave one of them out.",
);

const partOfPart = invalidSetting(
  "heal-with-only-new",
  "--only-new is about what is told, and --heal applies what is of a class, new or not.",
  "Leave one of them out.",
);

const nothingToApprove = invalidSetting(
  "nothing-to-approve",
  "--auto-approve approves what --heal applies, and nothing is to be healed.",
  "Say what to heal, such as --heal tampered.",
);

function notHealable(word: string): CommandError {
  const close = closestMatch(word, healable);
  return invalidSetting(
    "not-healable",
    `--heal ${word} is not a class that calls can correct.`,
    close === undefined ? `Write --heal ${healable.join(" or --heal ")}.` : `Did you mean ${close}?`,
  );
}
