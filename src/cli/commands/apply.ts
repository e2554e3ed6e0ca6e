import { applyPlan } from "../../apply/apply-plan.ts";
import { peopleSeen } from "../../journal/people-seen.ts";
import { type RunSummary, summarizeRun } from "../../journal/run-summary.ts";
import type { RunEvent } from "../../model/run-event.ts";
import { isoTime } from "../../ports/clock.ts";
import type { StateSession } from "../../ports/state-store.ts";
import { progressLine } from "../../report/progress-line.ts";
import { renderPlan } from "../../report/render-plan.ts";
import { type Conclusion, conclude, type FormatName } from "../conclude.ts";
import { type Connection, connect } from "../connection.ts";
import type { Host } from "../host.ts";
import { painter } from "../paint.ts";
import { type LoadedRoster, loadRoster, type Planned, planFor } from "../pipeline.ts";
import { debugTrace, readProgress } from "../progress-lines.ts";
import { type PolicyFlags, readPolicy } from "../selectors.ts";
import { readSettings, type SettingFlags, type Settings } from "../settings.ts";
import { openStore } from "../state-store.ts";
import { type Stop, stopFor } from "../stop.ts";
import { sha256, systemClock, systemRandomness } from "../system.ts";
import { terminalReviewer } from "../terminal-reviewer.ts";

export interface ApplyFlags extends SettingFlags, PolicyFlags {
  readonly format: FormatName;
  readonly autoApprove?: boolean;
  readonly unmanaged?: boolean;
  readonly debug?: boolean;
}

/** What an apply works with once everything that could be wrong before the first call was found right. */
interface Work {
  readonly flags: ApplyFlags;
  readonly host: Host;
  readonly settings: Settings;
  readonly loaded: LoadedRoster;
  readonly service: Connection;
  readonly session: StateSession;
  readonly run: string;
}

/** Brings the service to the roster: plans under the state's lock, asks, runs the plan, saves what it learned. */
export async function apply(paths: readonly string[], flags: ApplyFlags, host: Host): Promise<number> {
  return conclude(await conclusionOf(paths, flags, host), flags.format, host);
}

async function conclusionOf(paths: readonly string[], flags: ApplyFlags, host: Host): Promise<Conclusion> {
  let so: Conclusion = { command: "apply", tells: "what-remains", diagnostics: [] };
  const settings = await readSettings(flags, host);
  if (!settings.ok) return { ...so, stop: settings.error };
  const loaded = await loadRoster(paths, settings.value, host);
  if (!loaded.ok) return { ...so, stop: loaded.error };
  so = { ...so, roster: loaded.value.counts, diagnostics: loaded.value.warnings };
  const store = await openStore(settings.value, host);
  if (!store.ok) return { ...so, stop: store.error };
  const connection = await connect(settings.value, host, debugTrace(flags, host));
  if (!connection.ok) return { ...so, stop: connection.error };
  const service = connection.value;
  try {
    const run = systemRandomness.identifier();
    const locked = await store.value.lock({ run, operation: "apply", at: isoTime(systemClock) });
    if (!locked.ok) return { ...so, stop: stopFor(locked.error) };
    const session = locked.value;
    const work = { flags, host, settings: settings.value, loaded: loaded.value, service, session, run };
    return await underLock({ ...so }, work);
  } finally {
    await service.close();
  }
}

/** Whatever happens in between, the state is saved and unlocked. */
async function underLock(so: Conclusion, work: Work): Promise<Conclusion> {
  let concluded = so;
  try {
    concluded = await planAndRun(so, work);
  } finally {
    const closed = await work.session.close();
    if (!closed.ok) concluded = { ...concluded, stop: concluded.stop ?? stopFor(closed.error) };
  }
  return concluded;
}

async function planAndRun(so: Conclusion, work: Work): Promise<Conclusion> {
  const planned = await planUnderLock(work);
  if (!planned.ok) return { ...so, stop: planned.error };
  const { plan, reading } = planned.value;
  const told = { ...so, plan, reading };
  await work.session.append(whatThePlanTaught(work, planned.value));
  if (plan.actions.length === 0 || work.host.interruption.by() !== undefined) return told;
  const refused = await approval(work, planned.value);
  if (refused !== undefined) return { ...told, stop: refused };
  return { ...told, run: await runPlan(work, planned.value) };
}

async function planUnderLock({ flags, host, settings, loaded, service, session }: Work): ReturnType<typeof planFor> {
  const policy = readPolicy(flags, { reportUnmanaged: flags.unmanaged === true });
  if (!policy.ok) return policy;
  const everyone = flags.unmanaged === true ? "always" : "when-needed";
  const question = { roster: loaded.roster, state: session.state, policy: policy.value, everyone } as const;
  const ports = { service, progress: readProgress(host), parallelism: settings.parallelism };
  return planFor(question, { ...ports, signal: host.interruption.signal });
}

function whatThePlanTaught({ loaded }: Work, { settled, snapshot, state }: Planned): readonly RunEvent[] {
  const seen = peopleSeen(loaded.roster, snapshot, state, isoTime(systemClock));
  return seen === undefined ? settled : [...settled, seen];
}

async function approval({ flags, host }: Work, { plan, reading }: Planned): Promise<Stop | undefined> {
  if (flags.autoApprove === true) {
    if (flags.format === "text") host.stdout.write(`${renderPlan(plan, { paint: painter(host.stdout), reading })}\n`);
    return undefined;
  }
  const answer = await terminalReviewer(host, { reading, results: flags.format }).approve(plan);
  if (answer.approved) return undefined;
  const problem = {
    code: answer.code,
    message: answer.why,
    ...(answer.hint === undefined ? {} : { hint: answer.hint }),
  };
  return { reason: "refused", problem };
}

async function runPlan(work: Work, { plan, snapshot }: Planned): Promise<RunSummary> {
  const { flags, host, settings, service, session, run } = work;
  const ports = {
    service,
    session,
    clock: systemClock,
    digest: sha256,
    parallelism: settings.parallelism,
    signal: host.interruption.signal,
  };
  const events: RunEvent[] = [];
  for await (const event of applyPlan({ plan, run, factsAt: snapshot.readAt }, ports)) {
    events.push(event);
    const line = flags.format === "text" ? progressLine(event, plan) : undefined;
    if (line !== undefined) host.stderr.write(`${line}\n`);
  }
  return summarizeRun(events);
}
