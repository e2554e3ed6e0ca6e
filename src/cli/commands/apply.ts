import { peopleSeen } from "../../journal/people-seen.ts";
import { serviceLearned } from "../../journal/service-learned.ts";
import type { Policy } from "../../model/policy.ts";
import type { RunEvent } from "../../model/run-event.ts";
import { isoTime } from "../../ports/clock.ts";
import type { StateSession } from "../../ports/state-store.ts";
import { renderPlan } from "../../report/render-plan.ts";
import { type Conclusion, conclude, type FormatName } from "../conclude.ts";
import type { Connection } from "../connection.ts";
import type { Host } from "../host.ts";
import { painter } from "../paint.ts";
import { type LoadedRoster, type Planned, planFor } from "../pipeline.ts";
import { type PlanningFlags, prepared } from "../prepare.ts";
import { readProgress } from "../progress-lines.ts";
import { runPlan } from "../run-plan.ts";
import type { Settings } from "../settings.ts";
import { type Stop, stopFor } from "../stop.ts";
import { terminalReviewer } from "../terminal-reviewer.ts";

export interface ApplyFlags extends PlanningFlags {
  readonly format: FormatName;
  readonly autoApprove?: boolean;
}

/** What an apply works with once everything that could be wrong before the first call was found right. */
interface Work {
  readonly flags: ApplyFlags;
  readonly host: Host;
  readonly settings: Settings;
  readonly policy: Policy;
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
  const begun: Conclusion = { command: "apply", tells: "what-remains", diagnostics: [] };
  return prepared(begun, { paths, flags, host }, async (so, { store, ...ready }) => {
    const run = host.randomness.identifier();
    const locked = await store.lock({ run, operation: "apply", at: isoTime(host.clock) });
    if (!locked.ok) return { ...so, stop: stopFor(locked.error) };
    return underLock(so, { flags, host, ...ready, session: locked.value, run });
  });
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
  const { plan, reading, settled } = planned.value;
  const told = { ...so, plan, reading };
  const taught = whatThePlanTaught(work, planned.value);
  const lost = await record(taught, work);
  if (lost !== undefined) return { ...told, stop: lost };
  if (work.host.interruption.by() !== undefined) return told;
  if (plan.actions.length === 0) {
    return settled.length === 0 ? told : { ...told, run: await runPlan(work, planned.value, taught) };
  }
  const refused = await approval(work, planned.value);
  if (refused !== undefined) return { ...told, stop: refused };
  return { ...told, run: await runPlan(work, planned.value, taught) };
}

function planUnderLock({ flags, host, settings, policy, loaded, service, session }: Work): ReturnType<typeof planFor> {
  const everyone = flags.unmanaged === true ? "always" : "when-needed";
  const question = { roster: loaded.roster, state: session.state, policy, everyone } as const;
  const ports = { service, clock: host.clock, progress: readProgress(host), parallelism: settings.parallelism };
  return planFor(question, { ...ports, signal: host.interruption.signal });
}

function whatThePlanTaught({ host, loaded, policy }: Work, { settled, snapshot, state }: Planned): readonly RunEvent[] {
  const said = { at: isoTime(host.clock), recreate: policy.recreate };
  const seen = peopleSeen(loaded.roster, snapshot, state, said);
  const learned = serviceLearned(snapshot, state, said.at);
  return [...settled, ...[seen, learned].filter((event) => event !== undefined)];
}

/** Without a place for what was learned, no call can be announced: nothing is sent. */
async function record(events: readonly RunEvent[], { session }: Work): Promise<Stop | undefined> {
  try {
    await session.append(events);
    return undefined;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const hint = "nothing was sent; mend the place of the state, or name another one with --state, and apply again";
    return stopFor({ code: "state", message: error.message, hint });
  }
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
