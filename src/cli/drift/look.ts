import type { Diagnostic } from "../../model/diagnostic.ts";
import type { State } from "../../model/state.ts";
import { findSubjectsInProgress } from "../../plan/drift/in-motion.ts";
import type { LockHolder, StateSession } from "../../ports/state-store.ts";
import type { DriftRecording } from "../../report/drift/drift-told.ts";
import { formatLockHolder } from "../../report/state/holder-words.ts";
import type { Host } from "../host.ts";
import { readProgress } from "../onlooking/onlooker.ts";
import type { Conclusion } from "../output/conclude.ts";
import { type Planned, planFor } from "../planning/pipeline.ts";
import type { Prepared } from "../planning/prepare.ts";
import { stopFor } from "../stop.ts";
import type { LockPatience } from "../stores/lock-patience.ts";
import { runUnderWay } from "../stores/run-under-way.ts";
import { takeLock } from "../stores/take-lock.ts";
import { closedAfter } from "../stores/under-lock.ts";
import { type AcknowledgementsFile, readAcknowledgements } from "./acknowledgements-file.ts";
import type { DriftFlags } from "./drift-flags.ts";
import { judgeDrift } from "./judge-drift.ts";
import { notRecorded, recordLook } from "./record-look.ts";
import { waitForRun } from "./wait-for-run.ts";

export interface LookWork extends Prepared {
  readonly flags: DriftFlags;
  readonly host: Host;
  readonly patience: LockPatience;
}

/** Reads everyone, says in what the service and the roster differ, and remembers what is new where it may write. */
export async function look(so: Conclusion, work: LookWork): Promise<Conclusion> {
  const { store, settings, halting, host, patience } = work;
  const known = await readAcknowledgements(settings, host);
  if (!known.ok) return { ...so, stop: known.error };
  const waited = await waitForRun(store, patience.timeout, { host, signal: halting.signal });
  if (waited !== undefined) return { ...so, stop: waited };
  const before = await store.read();
  if (!before.ok) return { ...so, stop: stopFor(before.error) };
  const holder = await runUnderWay(store);
  if (holder !== undefined) tellHolder(holder, host);
  const planned = await planWith(before.value, work);
  if (!planned.ok) return { ...so, stop: planned.error };
  const { plan, reading, refusal } = planned.value;
  work.onlooker.planned(plan);
  const told = { ...so, plan, reading, diagnostics: [...so.diagnostics, ...heard(refusal)] };
  return afterwards(told, work, { planned: planned.value, before: before.value, holder, known: known.value });
}

/** What guards have against applying all of it is no reason not to tell it. */
function heard(refusal: Planned["refusal"]): readonly Diagnostic[] {
  return (refusal?.diagnostics ?? []).map((one) => ({ ...one, severity: "warning" }));
}

interface Read {
  readonly planned: Planned;
  readonly before: State;
  readonly holder: LockHolder | undefined;
  readonly known: AcknowledgementsFile;
}

function planWith(state: State, { loaded, policy, service, settings, halting, host, onlooker }: LookWork) {
  const question = { roster: loaded.roster, state, policy, everyone: "always" } as const;
  const ports = { service, clock: host.clock, progress: readProgress(onlooker), parallelism: settings.parallelism };
  return planFor(question, { ...ports, signal: halting.signal });
}

function tellHolder(holder: LockHolder, host: Host): void {
  host.stderr.write(
    `the state is locked (${formatLockHolder(holder)}): what that run has announced is pending, and what it has not begun shows as to apply\n`,
  );
}

/** Looks at the state once more, since a run may have worked meanwhile; best under the lock, under which the look is recorded. */
async function afterwards(so: Conclusion, work: LookWork, read: Read): Promise<Conclusion> {
  const locked = await lockToRecord(work);
  if ("session" in locked) {
    const { session } = locked;
    return savedAfter(session, () => toldAs(so, work, { ...read, after: session.state, session }));
  }
  const again = await work.store.read();
  const holder = read.holder ?? (await runUnderWay(work.store));
  return toldAs(so, work, { ...read, holder, after: again.ok ? again.value : read.before, record: locked.record });
}

/** What could not be saved was not recorded, and is told all the same. */
async function savedAfter(session: StateSession, work: () => Promise<Conclusion>): Promise<Conclusion> {
  const { concluded: told, closed } = await closedAfter(session, work);
  if (closed.ok || told.drift === undefined) return told;
  return { ...told, drift: { ...told.drift, record: notRecorded(closed.error) } };
}

async function lockToRecord(
  work: LookWork,
): Promise<{ readonly session: StateSession } | { readonly record: DriftRecording }> {
  const { flags, store, halting, host, patience } = work;
  if (flags.record === false || halting.signal.aborted) return { record: { is: "not-wanted" } };
  const run = { run: host.randomness.identifier(), operation: "drift" };
  const locked = await takeLock(store, run, patience, { host, signal: halting.signal });
  return locked.ok ? { session: locked.value } : { record: notRecorded(locked.error) };
}

type ReadAgain = Read & { readonly after: State } & (
    | { readonly session: StateSession }
    | { readonly record: DriftRecording }
  );

async function toldAs(so: Conclusion, work: LookWork, read: ReadAgain): Promise<Conclusion> {
  const { flags, loaded, policy, host } = work;
  const { planned, before, after, known, holder } = read;
  const moving = findSubjectsInProgress({ before, after, underWay: holder !== undefined });
  const drift = judgeDrift(planned, { roster: loaded.roster, policy, known, moving });
  const record = "session" in read ? await recorded(read.session, { planned, drift, policy }, host) : read.record;
  const { privilegedRoles } = policy;
  return {
    ...so,
    privilegedRoles,
    drift: { drift, tells: flags.onlyNew === true ? "what-is-new" : "everything", record },
  };
}

/** A look that cannot be recorded has been one all the same. */
async function recorded(...looked: Parameters<typeof recordLook>): Promise<DriftRecording> {
  const done = await recordLook(...looked);
  if (typeof done === "string") return { is: done };
  return notRecorded({ message: done.problem?.message ?? "the state cannot be written" });
}
