import { setMaxListeners } from "node:events";
import { hostname } from "node:os";
import { join } from "node:path";
import { parseJson } from "../../codec/document.ts";
import type { Target } from "../../fleet/fleet-file.ts";
import { enqueueJobs, type JobQueue, startQueue } from "../../fleet/job-queue.ts";
import { isLabel } from "../../fleet/queue-tables.ts";
import { work } from "../../fleet/worker.ts";
import { invalidSetting } from "../../library/error.ts";
import { isoTime } from "../../ports/clock.ts";
import { safe } from "../../report/safe.ts";
import { readInput } from "../files.ts";
import { queueDatabase } from "../fleet/database.ts";
import { commitOf, type FleetFlags, readFleet } from "../fleet/read-fleet.ts";
import { openTargets } from "../fleet/run-targets.ts";
import { type Host, interruptExitCodes } from "../host.ts";
import type { Command } from "../run-command.ts";

export async function fleetEnqueue(command: Command, plans: string | undefined, flags: FleetFlags): Promise<void> {
  const { host, tell } = command;
  const fleet = await readFleet(flags, host);
  const approved = plans === undefined ? undefined : await readPlanIds(plans, fleet.targets, host);
  const round = flags.round ?? `${approved === undefined ? "drift" : "apply"}-${isoTime(host.clock)}`;
  if (!isLabel(round))
    throw invalidSetting("bad-flag-value", "The name after --round is not 1 to 200 characters of one line.");
  const commit = await commitOf(fleet, host);
  const count = await enqueueJobs(await openQueue(command, flags), fleet.targets, (target) => {
    if (approved === undefined) return { target, command: "drift", commit, round };
    const expectedPlan = approved.get(target);
    return expectedPlan === undefined ? undefined : { target, command: "apply", commit, round, expectedPlan };
  });
  tell({ ownWords: { text: `Enqueued: ${count} of ${fleet.all.length}, round ${round}.\n` } });
}

/** Takes jobs until the process is asked to end. */
export async function fleetWorker(command: Command, flags: FleetFlags): Promise<void> {
  const { host } = command;
  const fleet = await readFleet(flags, host, "run");
  const commit = await commitOf(fleet, host);
  const queue = await openQueue(command, flags, fleet.every);
  const opened = command.closing(openTargets(fleet, host));
  const own = { name: `${hostname()}:${process.pid}`, commit };
  const { clock, interruption } = host;
  const say = (line: string) => host.stderr.write(`${safe(line)}\n`);
  await work({ ...fleet, ...own, clock, signal: interruption.signal, say, run }, queue);

  async function run(...[target, job, { signal, ...turns }]: Parameters<Parameters<typeof work>[0]["run"]>) {
    setMaxListeners(0, signal);
    const interruption = { signal, by: () => (signal.aborted ? ("SIGTERM" as const) : undefined) };
    const approved = job.command === "apply" && { autoApprove: true, expectPlan: job.expectedPlan };
    const given = { ...approved, breakStaleLock: "2m" };
    const outcome = await opened.run(target, job.command, given, { interruption, ...turns });
    return outcome.exit_code === interruptExitCodes.SIGTERM ? "interrupted" : outcome;
  }
}

/** Processes without a schedule leave it to the others. */
async function openQueue({ host, closing }: Command, flags: FleetFlags, every?: number): Promise<JobQueue> {
  if (process.version.localeCompare("v22.12", "en", { numeric: true }) < 0) {
    const message = `This command needs Node 22.12 or later, and this is Node ${process.version}.`;
    const hint = "Run it with a newer Node. Only `fleet worker` and `fleet enqueue` need it.";
    throw invalidSetting("usage", message, hint);
  }
  const { options, failed } = await queueDatabase(flags, host);
  const problem = (message: string) => host.stderr.write(`queue: ${safe(message)}\n`);
  const starting = startQueue({ ...options, schedule: every !== undefined }, problem, closing);
  return starting.catch((error: unknown) => Promise.reject(failed(error)));
}

/** The IDs of the plans that have something to do. A target that could not be planned has none. */
async function readPlanIds(directory: string, targets: readonly Target[], host: Host): Promise<Map<string, string>> {
  const kind = { what: "plan", hint: "Write the plans with `roster fleet plan --report json=DIR`." };
  const ids = new Map<string, string>();
  for (const { name } of targets) {
    const bytes = await readInput(join(directory, "targets", `${name}.json`), { ...kind, largest: 2 ** 28 }, host);
    const { plan_id: id, actions }: Partial<Record<string, unknown>> = Object(parseJson(bytes.toString("utf8")));
    if (typeof id === "string" && Array.isArray(actions) && actions.length > 0) ids.set(name, id);
  }
  return ids;
}
