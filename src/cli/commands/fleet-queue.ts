import { join } from "node:path";
import { validFleetSummary } from "../../codec/generated/fleet-summary.js";
import type { Target } from "../../fleet/expand-fleet.ts";
import type { FleetSummary, fleetSummary, TargetOutcome } from "../../fleet/fleet-summary.ts";
import { summaryOf } from "../../fleet/outcomes.ts";
import { isLabel, makeTables, readStatus, type Sql, setPause } from "../../fleet/queue.ts";
import { showDuration } from "../../library/duration.ts";
import { invalidSetting, stopError } from "../../library/error.ts";
import { definedFields } from "../../model/collections.ts";
import type { Static } from "../../model/declare.ts";
import { parseJson } from "../../model/json.ts";
import { isoTime } from "../../ports/clock.ts";
import { readInput } from "../files.ts";
import { durationOf } from "../flag-values.ts";
import { changedTargets, commitOf, type FleetFlags, readFleet } from "../fleet/read-fleet.ts";
import { createDirectories, summaryReports } from "../fleet/reports.ts";
import { notStarted } from "../fleet/run-fleet.ts";
import type { Host } from "../host.ts";
import { type OutputFlags, printedForPeople } from "../output/output-flags.ts";
import type { Report } from "../output/report-flags.ts";
import { type FinishedCommand, runCommand } from "../run-command.ts";
import { runContextOf } from "../run-context.ts";
import { variable } from "../settings/environment.ts";
import { checkFleetTrust, readCount } from "./fleet.ts";

interface QueueFlags extends FleetFlags {
  readonly queue?: string;
}

function queueAddress({ queue }: QueueFlags, host: Host): string {
  const address = queue ?? variable(host, "ROSTER_QUEUE");
  if (address !== undefined) return address;
  const hint = "Pass --queue postgres://USER@HOST/DATABASE or set ROSTER_QUEUE.";
  throw invalidSetting("missing-setting", "No queue is set.", hint);
}

interface WorkerFlags extends QueueFlags {
  readonly parallelism?: string;
  readonly every?: string;
  readonly callsPerSecond?: string;
}

/** Works until the process is asked to end. */
export function fleetWorker(flags: WorkerFlags, host: Host): Promise<FinishedCommand> {
  return runCommand("fleet", printedForPeople, host, async () => {
    const fleet = await readFleet(flags, host);
    checkFleetTrust(fleet, host);
    const parallelism = readCount("--parallelism", flags.parallelism, 64) ?? fleet.defaults.parallelism;
    const callsPerSecond = readCount("--calls-per-second", flags.callsPerSecond, 10_000);
    const schedule = flags.every === undefined ? undefined : scheduleOf(flags.every);
    const commit = await commitOf(fleet, host);
    const address = queueAddress(flags, host);
    const { openQueue, runWorker } = await import("../fleet/worker.ts");
    const queue = await openQueue(address, "work", host);
    host.stderr.write(`Waiting for jobs of the commit ${commit}.\n`);
    await runWorker(fleet, queue, { commit, parallelism, ...definedFields({ callsPerSecond, schedule }) }, host);
  });
}

/** A time that divides an hour or a day, as cron has it. */
function scheduleOf(every: string): string {
  const minutes = (durationOf("--every", every) ?? 0) / 60_000;
  const hours = minutes / 60;
  if (Number.isInteger(minutes) && minutes > 0 && 60 % minutes === 0 && minutes < 60) return `*/${minutes} * * * *`;
  if (Number.isInteger(hours) && hours > 0 && 24 % hours === 0) return `0 ${hours === 24 ? "0" : `*/${hours}`} * * *`;
  const hint = "Use minutes that divide an hour, or hours that divide a day, such as 15m, 1h or 24h.";
  throw invalidSetting("bad-flag-value", `--every ${every} is no part of an hour or a day.`, hint);
}

interface EnqueueFlags extends QueueFlags {
  readonly changedSince?: string;
  readonly plans?: string;
  readonly round?: string;
}

/** Enqueues a drift of each target, or an apply of each plan in a directory. Needs no key. */
export function fleetEnqueue(flags: EnqueueFlags, host: Host): Promise<FinishedCommand> {
  return runCommand("fleet", printedForPeople, host, async (command) => {
    const { plans, changedSince, round: named } = flags;
    const fleet = await readFleet(flags, host);
    const chosen = changedSince === undefined ? fleet.targets : await changedTargets(changedSince, fleet, host);
    const approved = plans === undefined ? undefined : await readPlanIds(plans, chosen, host);
    const targets = approved === undefined ? chosen : chosen.filter(({ name }) => approved.has(name));
    if (named !== undefined && !isLabel(named))
      throw invalidSetting("bad-flag-value", "The name after --round is not 1 to 200 characters of one line.");
    const round = named ?? `${approved === undefined ? "drift" : "apply"}-${isoTime(host.clock)}`;
    const commit = await commitOf(fleet, host);
    const address = queueAddress(flags, host);
    const { enqueueJobs, openQueue } = await import("../fleet/worker.ts");
    const queue = await openQueue(address, "enqueue", host);
    try {
      await enqueueJobs(queue, targets, ({ name: target }) => {
        const expectedPlan = approved?.get(target);
        const job = { target, commit, round };
        return expectedPlan === undefined ? { ...job, command: "drift" } : { ...job, command: "apply", expectedPlan };
      });
    } finally {
      await queue.boss.stop({ graceful: false });
    }
    command.tell({ ownWords: { text: `Enqueued: ${targets.length} of ${fleet.targets.length}, round ${round}.\n` } });
  });
}

/** The IDs of the plans that have something to do, as `roster fleet plan --report json=DIR` wrote them. */
async function readPlanIds(directory: string, targets: readonly Target[], host: Host): Promise<Map<string, string>> {
  const hint = "Write the plans with `roster fleet plan --report json=DIR`.";
  const ids = new Map<string, string>();
  for (const { name } of targets) {
    const path = join(directory, "targets", `${name}.json`);
    const bytes = await readInput(path, { what: "plan", largest: 256 * 1024 * 1024, hint }, host);
    const { plan_id: id, actions }: Partial<Record<string, unknown>> = Object(parseJson(bytes.toString("utf8")));
    // A target that could not be planned has none.
    if (typeof id === "string" && Array.isArray(actions) && actions.length > 0) ids.set(name, id);
  }
  return ids;
}

async function withTables<T>(address: string, host: Host, work: (sql: Sql) => Promise<T>): Promise<T> {
  const { openQueueDatabase } = await import("../../library/stores/open-postgres.ts");
  const { connect, failed } = await openQueueDatabase(address, host);
  const database = await connect().catch((error: unknown) => {
    throw failed(error);
  });
  try {
    const sql: Sql = async (statement, values) => (await database.run("used", statement, values)).rows;
    await makeTables(sql);
    return await work(sql);
  } catch (error) {
    throw failed(error);
  } finally {
    await database.close();
  }
}

interface PauseFlags extends QueueFlags {
  readonly reason?: string;
  readonly resume?: boolean;
}

/** Stops all writes of all workers, or lets them go on. Checks go on meanwhile. */
export function fleetPause(flags: PauseFlags, host: Host): Promise<FinishedCommand> {
  return runCommand("fleet", printedForPeople, host, async (command) => {
    const { reason, resume = false } = flags;
    if ((reason === undefined) !== resume)
      throw invalidSetting("usage", "A pause has either --reason TEXT or --resume.", "Pass one of the two.");
    const who = runContextOf(host).actor.name;
    await withTables(queueAddress(flags, host), host, (sql) => setPause(sql, who, reason));
    command.tell({ ownWords: { text: resume ? "The workers write again.\n" : "Paused: no worker writes.\n" } });
  });
}

interface StatusFlags extends QueueFlags {
  readonly format: OutputFlags["format"];
  readonly report?: readonly Report[];
  readonly maxAge?: string;
}

/** What is known of each target, and what the queue holds. Needs no key and no service. */
export function fleetStatus(flags: StatusFlags, host: Host): Promise<FinishedCommand> {
  const { format, report: directories = [] } = flags;
  const report: Report[] = [];
  return runCommand("fleet", { format, report }, host, async (command) => {
    const fleet = await readFleet(flags, host);
    const maxAge = durationOf("--max-age", flags.maxAge) ?? 26 * 3_600_000;
    const { targets: found, queue } = checkedStatus(await withTables(queueAddress(flags, host), host, readStatus));
    const known = new Map(found.map((target) => [target.name, target]));
    const targets = fleet.targets.map((target) => agedOutcome(target, known.get(target.name), maxAge, host));
    await createDirectories(directories, host);
    report.push(...summaryReports(directories));
    const about = { did: "status", file: fleet.path, finished_at: isoTime(host.clock) } as const;
    command.tell({ fleet: summaryOf({ ...about, ...definedFields({ queue }), targets }) });
  });
}

/** Others may have written into the database: nothing of it is shown that has not the form of a summary. */
function checkedStatus(found: object): Pick<FleetSummary, "targets" | "queue"> {
  const fleet = { ...summaryOf({ did: "status", file: "", finished_at: "", targets: [] }), ...found };
  const rest = { format_version: "1.0", command: "fleet", diagnostics: [], error: null, exit_code: 0 };
  const document: unknown = { ...rest, fleet };
  if (!validFleetSummary(document))
    throw stopError("failed", "bad-file", "the tables of the queue are not as roster writes them");
  // The schema has just found it valid.
  const { fleet: checked = fleet } = document as Static<typeof fleetSummary>;
  // Workers write no reports: a file that a row names would be a link to anywhere.
  return { ...checked, targets: checked.targets.map((target) => ({ ...target, reports: [] })) };
}

/** A target that nobody has checked for too long is a task. */
function agedOutcome(target: Target, known: TargetOutcome | undefined, maxAge: number, host: Host): TargetOutcome {
  const { last_success: last } = known ?? {};
  if (last !== undefined && host.clock.now() - Date.parse(last) <= maxAge) return known ?? notStarted(target);
  const message = last === undefined ? "never checked" : `not checked for ${showDuration(maxAge)}, last at ${last}`;
  const error = { code: "not-checked", message };
  if (known?.status === "failed") return known;
  const { exit_code: _, ...checked } = known ?? notStarted(target);
  return { ...checked, status: "not-started", error };
}
