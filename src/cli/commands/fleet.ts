import { targetsInTurn } from "../../fleet/fleet-file.ts";
import type { FleetCommand } from "../../fleet/fleet-summary.ts";
import { notStarted, summaryOf } from "../../fleet/outcomes.ts";
import { checkEndpoint } from "../../library/connect.ts";
import { invalidInput, RosterError, rosterError, stopError } from "../../library/error.ts";
import { definedFields } from "../../model/collections.ts";
import type { Diagnostic } from "../../model/failure.ts";
import type { RosterCounts } from "../../model/plan.ts";
import { isoTime, stopwatch } from "../../ports/clock.ts";
import { showDuration } from "../../yaml/duration.ts";
import { readCount, readDeadline, readSelection } from "../flags.ts";
import { type FleetFlags, readFleet } from "../fleet/read-fleet.ts";
import { openReports } from "../fleet/reports.ts";
import { openTargets } from "../fleet/run-targets.ts";
import { isPipeline } from "../host.ts";
import { openLog, readLockOptions } from "../log.ts";
import { loadRoster } from "../open.ts";
import type { Command } from "../run-command.ts";
import { readSettings } from "../settings/settings.ts";

/** Runs the command for each target, in this process. */
export const fleetRun = (did: FleetCommand) => async (command: Command, flags: FleetFlags) => {
  const { host } = command;
  const { person, report = [] } = flags;
  if (did === "apply" && flags.autoApprove !== true) {
    const hint = "read the plans with `roster fleet plan --report text=DIR`, then pass --auto-approve";
    throw stopError("refused", "not-approved", "Cannot ask for approval of many plans", hint);
  }
  const include = person === undefined ? undefined : [`user:${person}`];
  readSelection(include, ["user"]);
  // A target reads them once more: what is wrong with them is said once.
  await readSettings({}, host);
  readLockOptions(flags, host);
  const fleet = await readFleet(flags, host, "run");
  const maxFailures = readCount("--max-failures", flags.maxFailures, { least: 1, most: 100_000 }) ?? Infinity;
  const deadline = readDeadline(flags) ?? Number.POSITIVE_INFINITY;
  command.tell({ reports: await openReports(report, host) });
  const opened = command.closing(openTargets(fleet, host));
  const outcomes = new Map(fleet.targets.map((target) => [target.name, notStarted(target)]));
  const elapsed = stopwatch(host.clock);
  const inTurn = targetsInTurn(fleet.targets);
  let failures = 0;
  const work = async () => {
    for (const { target, end } of inTurn) {
      if (host.interruption.signal.aborted || failures >= maxFailures || elapsed() >= deadline) return;
      const left = flags.deadline && showDuration(Math.max(1000, deadline - elapsed()));
      const outcome = await opened.run(target, did, { ...flags, include, deadline: left });
      end();
      outcomes.set(outcome.name, outcome);
      if (outcome.status === "failed") failures += 1;
    }
  };
  await Promise.all(Array.from({ length: fleet.parallelism }, work));
  const about = { did, file: fleet.path, finished_at: isoTime(host.clock), ...definedFields({ person }) };
  command.tell({ fleet: summaryOf({ ...about, targets: [...outcomes.values()] }) });
};

export async function fleetValidate({ host, tell }: Command, flags: FleetFlags): Promise<void> {
  // A person may check the file of their own checkout.
  const fleet = await readFleet(flags, host, isPipeline(host) ? "run" : "read");
  const targets: { readonly name: string; readonly roster: RosterCounts }[] = [];
  const found: Diagnostic[] = [];
  for (const target of fleet.targets) {
    const { name, roster, endpoint, at } = target;
    const settings = await readSettings(target, host);
    const loaded = await loadRoster(roster, settings, { ...host, target: name }, "not-asked").catch(rosterError);
    if (!(loaded instanceof RosterError)) targets.push({ name, roster: loaded.counts });
    found.push(...(loaded instanceof RosterError ? loaded.diagnostics : loaded.warnings));
    // What a run would refuse of the addresses before its first call, but for what the environment of a run provides.
    for (const open of [async () => (await openLog(settings, host)).close(), async () => checkEndpoint(endpoint)]) {
      const { diagnostics = [] } = (await open().catch(rosterError)) ?? {};
      const faults = diagnostics.filter(({ code }) => code !== "missing-setting" && code !== "bad-key");
      found.push(...faults.map((one) => ({ ...one, place: at.place })));
    }
  }
  // Several targets may have the same files.
  const diagnostics = [...new Map(found.map((one) => [JSON.stringify(one), one])).values()];
  if (diagnostics.some(({ severity }) => severity === "error")) throw invalidInput(diagnostics);
  tell({ diagnostics, fleet: { did: "validated", file: fleet.path, targets } });
}

export async function fleetList({ host, tell }: Command, flags: FleetFlags): Promise<void> {
  const { targets } = await readFleet(flags, host);
  const named = targets.map(({ name, key }) => ({ name, ...definedFields({ key: key.env }) }));
  tell({ ownWords: { text: named.map(({ name }) => `${name}\n`).join(""), json: `${JSON.stringify(named)}\n` } });
}
