import type { TargetOutcome } from "../../fleet/fleet-summary.ts";
import { notStarted, summaryOf } from "../../fleet/outcomes.ts";
import { readStatus, setPause } from "../../fleet/queue-tables.ts";
import { invalidSetting, stopError } from "../../library/error.ts";
import { definedFields } from "../../model/collections.ts";
import { isoTime } from "../../ports/clock.ts";
import { saysSomething } from "../../roster/decode.ts";
import { showDuration } from "../../yaml/duration.ts";
import { openTables } from "../fleet/database.ts";
import { type FleetFlags, readFleet } from "../fleet/read-fleet.ts";
import { openReports } from "../fleet/reports.ts";
import { fleetCommandLine } from "../fleet/run-targets.ts";
import type { Command } from "../run-command.ts";
import { runContextOf } from "../run-context.ts";

export async function fleetStatus(command: Command, flags: FleetFlags): Promise<void> {
  const { host, tell } = command;
  const fleet = await readFleet(flags, host);
  const { maxAge = 26 * 3_600_000 } = fleet;
  const { targets: found, queue } = await readStatus(await openTables(command, flags));
  const known = new Map(found.map((target) => [target.name, target]));
  const targets = fleet.targets.map((target): TargetOutcome => {
    const outcome = known.get(target.name) ?? notStarted(target);
    const { last_success: last, status } = outcome;
    const isGivenUp = queue?.given_up.includes(target.name) === true;
    const isFresh = last !== undefined && host.clock.now() - Date.parse(last) <= maxAge;
    if (status === "failed" || (isFresh && !isGivenUp)) return outcome;
    const limit = isFresh ? "" : `. \`defaults.maxAge\` of the fleet file is ${showDuration(maxAge)}`;
    const message = last === undefined ? "never checked" : `last checked at ${last}${limit}`;
    return { ...outcome, exit_code: undefined, status: "not-started", error: { code: "not-checked", message } };
  });
  const about = { did: "status", file: fleet.path, finished_at: isoTime(host.clock) } as const;
  const summary = summaryOf({ ...about, ...definedFields({ queue }), targets });
  const document = { format_version: "1.0", command: "fleet", diagnostics: [], error: null, exit_code: 0 };
  const { validFleetSummary } = await import("../../codec/generated/fleet-summary.js");
  // Others may have written into the database.
  if (!validFleetSummary({ ...document, fleet: summary }))
    throw stopError("failed", "bad-file", "the tables of the queue are not as roster writes them");
  const givenUp = fleet.all.flatMap(({ name }) => (queue?.given_up.includes(name) ? ["--include", name] : []));
  const planAgain = givenUp.length > 0 ? fleetCommandLine(["enqueue", ...givenUp], flags, host) : undefined;
  tell({ fleet: summary, planAgain, reports: await openReports(flags.report ?? [], host) });
}

export async function fleetPause(command: Command, flags: FleetFlags): Promise<void> {
  const { reason = "" } = flags;
  if (!saysSomething(reason)) throw invalidSetting("bad-flag-value", "--reason has no letter or digit.");
  await setPause(await openTables(command, flags), runContextOf(command.host).actor.name, reason);
  command.tell({ ownWords: { text: "Paused: no worker writes.\n" } });
}

export async function fleetResume(command: Command, flags: FleetFlags): Promise<void> {
  await setPause(await openTables(command, flags), runContextOf(command.host).actor.name, undefined);
  command.tell({ ownWords: { text: "The workers write again.\n" } });
}
