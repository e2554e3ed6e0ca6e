import { validFleetSummary } from "../../codec/generated/fleet-summary.js";
import { type Target, targetQueue } from "../../fleet/fleet-file.ts";
import type { FleetCommand, TargetOutcome } from "../../fleet/fleet-summary.ts";
import { summaryOf } from "../../fleet/outcomes.ts";
import { makeTables, readStatus, type Sql, setPause } from "../../fleet/queue.ts";
import { checkEndpoint } from "../../library/connect.ts";
import { showDuration } from "../../library/duration.ts";
import { invalidInput, invalidSetting, rosterError, stopError } from "../../library/error.ts";
import { definedFields } from "../../model/collections.ts";
import type { Diagnostic } from "../../model/failure.ts";
import type { RosterCounts } from "../../model/plan.ts";
import { isoTime, stopwatch } from "../../ports/clock.ts";
import { durationOf, printedForPeople, readDeadline } from "../flags.ts";
import { type Fleet, type FleetFlags, readFleet } from "../fleet/read-fleet.ts";
import { notStarted, openReports, openTargets } from "../fleet/run-target.ts";
import type { Host } from "../host.ts";
import { openLog, readLockOptions } from "../log.ts";
import { loadRoster } from "../open.ts";
import type { Report } from "../report-flags.ts";
import { type FinishedCommand, runCommand } from "../run-command.ts";
import { runContextOf } from "../run-context.ts";
import { variable } from "../settings/environment.ts";
import { readSettings } from "../settings/settings.ts";
import { trustsCheckout } from "../trust.ts";

/** Checks the fleet file, the roster of each target and its addresses. Needs no service, no key and no log. */
export function fleetValidate(flags: FleetFlags, host: Host): Promise<FinishedCommand> {
  return runCommand("fleet", flags, host, async (command) => {
    await readSettings({}, host);
    const fleet = await readFleet(flags, host);
    const targets: { readonly name: string; readonly roster: RosterCounts }[] = [];
    // Several targets may have the same files.
    const found = new Map<string, Diagnostic>();
    const note = (faults: readonly Diagnostic[]) => {
      for (const one of faults) found.set(JSON.stringify(one), one);
    };
    for (const { name, roster, endpoint, account, state, at } of fleet.targets) {
      const settings = await readSettings({ endpoint, state, ...definedFields({ account }) }, host);
      try {
        const { counts, warnings } = await loadRoster(roster, settings, host, "not-asked");
        note(warnings);
        targets.push({ name, roster: counts });
      } catch (error) {
        note(rosterError(error).diagnostics);
      }
      // What a run would refuse of the addresses before its first call, but for what the environment of a run provides.
      for (const open of [async () => (await openLog(settings, host)).close(), async () => checkEndpoint(endpoint)])
        await open().catch((error: unknown) => {
          const faults = rosterError(error).diagnostics.filter(({ code }) => !ofTheEnvironment.includes(code));
          note(faults.map((one) => ({ ...one, place: at.place })));
        });
    }
    const diagnostics = [...found.values()];
    if (diagnostics.some(({ severity }) => severity === "error")) throw invalidInput(diagnostics);
    command.tell({ diagnostics, fleet: { did: "validated", file: fleet.path, targets } });
  });
}

const ofTheEnvironment = ["missing-setting", "bad-key"];

/** Runs the command for each target, in this process. */
export function fleetRun(did: FleetCommand, flags: FleetFlags, host: Host): Promise<FinishedCommand> {
  const { format, report: directories = [], person, ...given } = flags;
  const only = person === undefined ? undefined : [`user:${person}`];
  const report: Report[] = [];
  return runCommand("fleet", { format, report }, host, async (command) => {
    if (did === "apply" && flags.autoApprove !== true) {
      const hint = "read the plans with `roster fleet plan --report text=DIR`, then pass --auto-approve";
      throw stopError("refused", "not-approved", "Cannot ask for approval of many plans", hint);
    }
    // A target reads them once more: what is wrong with them is said once.
    await readSettings({}, host);
    readLockOptions(flags, host);
    const fleet = await readFleet(flags, host);
    checkFleetTrust(fleet, host);
    const parallelism = readCount("--parallelism", flags.parallelism, 64) ?? fleet.defaults.parallelism;
    const maxFailures = readCount("--max-failures", flags.maxFailures, 100_000) ?? Number.POSITIVE_INFINITY;
    const deadline = readDeadline(flags) ?? Number.POSITIVE_INFINITY;
    report.push(...(await openReports(directories, host)));
    // The access of a target has no report of its own: it stands in the summary.
    const reports = did === "access" ? [] : directories;
    const opened = command.closing(openTargets(fleet, host));
    const outcomes = new Map<string, TargetOutcome>();
    const elapsed = stopwatch(host.clock);
    const takeTarget = targetQueue(fleet.targets);
    let failures = 0;
    const next = () => {
      const mayStart = !host.interruption.signal.aborted && failures < maxFailures && elapsed() < deadline;
      return mayStart ? takeTarget() : undefined;
    };
    const work = async () => {
      for (let taken = next(); taken !== undefined; taken = next()) {
        const left = Math.max(1000, deadline - elapsed());
        const own = Number.isFinite(left) ? { deadline: showDuration(left) } : {};
        const outcome = await opened.run(taken.target, { command: did, flags: { ...given, only, ...own }, reports });
        taken.end();
        outcomes.set(outcome.name, outcome);
        if (outcome.status === "failed") failures += 1;
      }
    };
    await Promise.all(Array.from({ length: Math.min(parallelism, fleet.targets.length) }, work));
    const targets = fleet.targets.map((target) => outcomes.get(target.name) ?? notStarted(target));
    const about = { did, file: fleet.path, finished_at: isoTime(host.clock), ...definedFields({ person }) };
    command.tell({ fleet: summaryOf({ ...about, targets }) });
  });
}

export function readCount(flag: string, said: string | undefined, most: number): number | undefined {
  if (said === undefined) return undefined;
  if (/^[1-9]\d{0,5}$/u.test(said) && Number(said) <= most) return Number(said);
  throw invalidSetting("bad-flag-value", `${flag} ${said} is not a whole number from 1 to ${most}.`);
}

/** A change to the checkout could send a key anywhere. */
export function checkFleetTrust({ path, insideCheckout }: Fleet, host: Host): void {
  if (!insideCheckout || trustsCheckout(host)) return;
  const message = `${path} is in a checkout. A change to it could send the keys to other servers.`;
  const hint = "Name a fleet file outside the checkout with --fleet, or set ROSTER_TRUST_SETTINGS=1.";
  throw invalidSetting("untrusted", message, hint);
}

/** Lists the targets, such as for the matrix of a pipeline. Needs no key. */
export function fleetList(flags: FleetFlags, host: Host): Promise<FinishedCommand> {
  return runCommand("fleet", { format: flags.format }, host, async (command) => {
    const { targets } = await readFleet(flags, host);
    const named = targets.map(({ name, key }) => ({ name, ...definedFields({ key: key.env }) }));
    const text = named.map(({ name }) => `${name}\n`).join("");
    command.tell({ ownWords: { text, json: `${JSON.stringify(named)}\n` } });
  });
}

export function queueAddress({ queue }: FleetFlags, host: Host): string {
  const address = queue ?? variable(host, "ROSTER_QUEUE");
  if (address !== undefined) return address;
  const hint = "Pass --queue postgres://USER@HOST/DATABASE or set ROSTER_QUEUE.";
  throw invalidSetting("missing-setting", "No queue is set.", hint);
}

async function withTables<T>(flags: FleetFlags, host: Host, work: (sql: Sql) => Promise<T>): Promise<T> {
  const { openQueueDatabase } = await import("../../library/stores/open-postgres.ts");
  const { connect, failed } = await openQueueDatabase(queueAddress(flags, host), host);
  try {
    const database = await connect();
    const sql: Sql = async (statement, values) => (await database.run("used", statement, values)).rows;
    return await makeTables(sql)
      .then(() => work(sql))
      .finally(() => database.close());
  } catch (error) {
    throw failed(error);
  }
}

/** Stops all writes of all workers, or lets them go on. Checks go on meanwhile. */
export function fleetPause(flags: FleetFlags, host: Host): Promise<FinishedCommand> {
  return runCommand("fleet", printedForPeople, host, async (command) => {
    const { reason, resume = false } = flags;
    if ((reason === undefined) !== resume)
      throw invalidSetting("usage", "A pause has either --reason TEXT or --resume.", "Pass one of the two.");
    await withTables(flags, host, (sql) => setPause(sql, runContextOf(host).actor.name, reason));
    command.tell({ ownWords: { text: resume ? "The workers write again.\n" : "Paused: no worker writes.\n" } });
  });
}

/** What is known of each target, and what the queue holds. Needs no key and no service. */
export function fleetStatus(flags: FleetFlags, host: Host): Promise<FinishedCommand> {
  const report: Report[] = [];
  return runCommand("fleet", { format: flags.format, report }, host, async (command) => {
    const fleet = await readFleet(flags, host);
    const maxAge = durationOf("--max-age", flags.maxAge) ?? 26 * 3_600_000;
    const { targets: found, queue } = await withTables(flags, host, readStatus);
    const known = new Map(found.map((target) => [target.name, target]));
    const targets = fleet.targets.map((target) => agedOutcome(target, known.get(target.name), maxAge, host));
    const about = { did: "status", file: fleet.path, finished_at: isoTime(host.clock) } as const;
    const summary = summaryOf({ ...about, ...definedFields({ queue }), targets });
    const document = { format_version: "1.0", command: "fleet", diagnostics: [], error: null, exit_code: 0 };
    // Others may have written into the database.
    if (!validFleetSummary({ ...document, fleet: summary }))
      throw stopError("failed", "bad-file", "the tables of the queue are not as roster writes them");
    report.push(...(await openReports(flags.report ?? [], host)));
    command.tell({ fleet: summary });
  });
}

/** A target that nobody has checked for too long is a task. */
function agedOutcome(target: Target, known: TargetOutcome | undefined, maxAge: number, host: Host): TargetOutcome {
  const { exit_code, ...checked } = known ?? notStarted(target);
  const { last_success: last, status } = checked;
  const isFresh = last !== undefined && host.clock.now() - Date.parse(last) <= maxAge;
  if (known !== undefined && (isFresh || status === "failed")) return known;
  const message = last === undefined ? "never checked" : `not checked for ${showDuration(maxAge)}, last at ${last}`;
  return { ...checked, status: "not-started", error: { code: "not-checked", message } };
}
