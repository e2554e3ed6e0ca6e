import type { Target } from "../../fleet/expand-fleet.ts";
import type { FleetCommand, Shard } from "../../fleet/outcomes.ts";
import { formatMatrix, type MatrixFormat, readShard, shardTargets } from "../../fleet/select-targets.ts";
import { invalidInput, invalidSetting, type RosterError, stopError } from "../../library/error.ts";
import type { RosterCounts } from "../../model/plan.ts";
import { type Diagnostic, problem, type Result, success } from "../../model/result.ts";
import { definedFields } from "../../model/role-set.ts";
import { sha256 } from "../../model/sha256.ts";
import { isoTime } from "../../ports/clock.ts";
import { endpointProblem } from "../../service/requests.ts";
import { changedTargets, type Fleet, type FleetFlags, fromFleet, readFleet } from "../fleet/read-fleet.ts";
import { readSummaries } from "../fleet/read-summaries.ts";
import { createDirectories, type FleetReportFlag, summaryReports } from "../fleet/reports.ts";
import {
  type FleetLimits,
  fromFleetAddress,
  runFleet,
  type TargetFlags,
  untrustedKeyVariables,
} from "../fleet/run-fleet.ts";
import type { Host } from "../host.ts";
import { type CommandResult, finish, finishStopped } from "../output/finish.ts";
import { type OutputFlags, printedForPeople } from "../output/output-flags.ts";
import { loadRoster } from "../planning/roster-files.ts";
import { readSettings, type Settings } from "../settings/settings.ts";
import { readLockOptions } from "../stores/lock.ts";
import { openUsableStore } from "../stores/open-store.ts";
import { readDeadline } from "../time-limits.ts";
import { trustsCheckout } from "../trust/checkout.ts";

const base = { command: "fleet", tells: "success-only", diagnostics: [] } as const satisfies CommandResult;

/** Checks the fleet file, the roster of each target and its addresses. Needs no service, no key and no state. */
export async function fleetValidate(flags: FleetFlags & OutputFlags, host: Host): Promise<number> {
  return finish(await validateFleet(flags, host), flags, host);
}

async function validateFleet(flags: FleetFlags, host: Host): Promise<CommandResult> {
  const settings = await readSettings({}, host);
  if (!settings.ok) return { ...base, stop: settings.error };
  const fleet = await readFleet(flags, host);
  if (!fleet.ok) return { ...base, stop: fleet.error };
  const untrusted = untrustedKeyVariables(fleet.value);
  if (untrusted.length > 0) return { ...base, stop: invalidInput(untrusted) };
  const targets: { readonly name: string; readonly roster: RosterCounts }[] = [];
  const diagnostics = new Map<string, Diagnostic>();
  for (const target of fleet.value.targets) {
    const loaded = await loadTarget(target, fleet.value, settings.value, host);
    const found = [
      ...(loaded.ok ? loaded.value.warnings : (loaded.error.diagnostics ?? [])),
      ...(await addressFaults(target, fleet.value, settings.value, host)),
    ];
    // Several targets may have the same files.
    for (const one of found) diagnostics.set(JSON.stringify(one), one);
    if (loaded.ok) targets.push({ name: target.name, roster: loaded.value.counts });
  }
  const faults = [...diagnostics.values()];
  if (faults.some(({ severity }) => severity === "error")) return { ...base, stop: invalidInput(faults) };
  return { ...base, diagnostics: faults, fleet: { did: "validated", file: fleet.value.path, targets } };
}

/** What a run would refuse of a target's addresses before its first call. What the environment of a run provides is not needed here. */
async function addressFaults(
  target: Target,
  fleet: Fleet,
  settings: Settings,
  host: Host,
): Promise<readonly Diagnostic[]> {
  const { endpoint, at } = target;
  const flag = (address: string) => ({ value: fromFleetAddress(fleet, address), from: "flag" }) as const;
  const state = flag(target.state);
  const store = await openUsableStore({ ...settings, state }, host);
  if (store.ok) await store.value.close();
  const wrong = endpointProblem(endpoint);
  const errors = [
    ...(wrong === undefined ? [] : [invalidSetting("bad-value", wrong)]),
    ...(store.ok ? [] : [store.error]),
  ];
  const faults = errors.flatMap(({ diagnostics }) => diagnostics ?? []);
  return faults.filter(({ code }) => !ofTheEnvironment.includes(code)).map((one) => ({ ...one, place: at.place }));
}

const ofTheEnvironment = ["missing-setting", "bad-key"];

/** The flags of `roster fleet plan`, `drift` and `apply`. */
export interface FleetRunFlags extends FleetFlags, TargetFlags {
  readonly format: OutputFlags["format"];
  readonly report?: readonly FleetReportFlag[];
  readonly parallelism?: string;
  readonly maxFailures?: string;
  readonly shard?: string;
  readonly deadline?: string;
}

/** Runs a command for each target, and sums up what became of them. */
export async function fleetRun(command: FleetCommand, flags: FleetRunFlags, host: Host): Promise<number> {
  const { format, report: reports = [] } = flags;
  const opened = await openRun(command, flags, host);
  if (!opened.ok) return finish({ ...base, stop: opened.error }, { format }, host);
  const { fleet, limits, shard } = opened.value;
  const { path: file, targets: selected } = fleet;
  const targets = await runFleet(
    shard === undefined ? selected : shardTargets(selected, shard, sha256),
    { command, flags: targetFlags(flags), reports },
    { fleet, host, limits },
  );
  const finishedAt = isoTime(host.clock);
  const summary = { command, file, selected: selected.length, ...definedFields({ shard }), finishedAt, targets };
  const report = summaryReports(summary, reports);
  return await finish({ ...base, fleet: { did: "ran", summary } }, { format, report }, host);
}

/** What a run needs before its first target. */
interface OpenRun {
  readonly fleet: Fleet;
  readonly limits: FleetLimits;
  readonly shard: Shard | undefined;
}

async function openRun(command: FleetCommand, flags: FleetRunFlags, host: Host): Promise<Result<OpenRun, RosterError>> {
  if (command === "apply" && flags.autoApprove !== true) return problem(notApproved);
  const settings = await readSettings({}, host);
  if (!settings.ok) return settings;
  const fleet = await readFleet(flags, host);
  if (!fleet.ok) return fleet;
  const untrusted = untrustedFleet(fleet.value, host);
  if (untrusted !== undefined) return problem(untrusted);
  const limits = readLimits(flags, fleet.value);
  if (!limits.ok) return limits;
  const locks = readLockOptions(flags);
  if (!locks.ok) return locks;
  const shard = shardOf(flags, host);
  if (!shard.ok) return shard;
  const unwritable = await createDirectories(flags.report ?? [], host);
  if (unwritable !== undefined) return problem(unwritable);
  return success({ fleet: fleet.value, limits: limits.value, shard: shard.value });
}

function shardOf({ shard }: FleetRunFlags, { env }: Host): Result<Shard | undefined, RosterError> {
  if (shard === undefined) return success(undefined);
  const read = readShard(shard, env["JOB_COMPLETION_INDEX"]);
  if (read !== undefined) return success(read);
  const hint = "Write I/N, such as 2/4. auto/N works only in an Indexed Job of Kubernetes.";
  return problem(invalidSetting("bad-flag-value", `--shard ${shard} is no part of a whole.`, hint));
}

/** What each target takes over; the rest is about the fleet. */
function targetFlags(flags: FleetRunFlags): TargetFlags {
  const { onlyNew, record, unmanaged, detailedExitcode, autoApprove, lockTimeout, breakStaleLock } = flags;
  return definedFields({ onlyNew, record, unmanaged, detailedExitcode, autoApprove, lockTimeout, breakStaleLock });
}

function readLimits(flags: FleetRunFlags, { defaults }: Fleet): Result<FleetLimits, RosterError> {
  const parallelism = readCount("--parallelism", flags.parallelism, 64);
  if (!parallelism.ok) return parallelism;
  const maxFailures = readCount("--max-failures", flags.maxFailures, 100_000);
  if (!maxFailures.ok) return maxFailures;
  const deadline = readDeadline(flags);
  if (!deadline.ok) return deadline;
  return success({
    ...defaults,
    ...definedFields({ parallelism: parallelism.value, maxFailures: maxFailures.value, deadline: deadline.value }),
  });
}

function readCount(flag: string, said: string | undefined, most: number): Result<number | undefined, RosterError> {
  if (said === undefined) return success(undefined);
  if (/^[1-9]\d{0,5}$/u.test(said) && Number(said) <= most) return success(Number(said));
  return problem(invalidSetting("bad-flag-value", `${flag} ${said} is not a whole number from 1 to ${most}.`));
}

/** A change to the checkout could send a key anywhere. */
function untrustedFleet(fleet: Fleet, host: Host): RosterError | undefined {
  const variables = untrustedKeyVariables(fleet);
  if (variables.length > 0) return invalidInput(variables);
  if (!fleet.insideCheckout || trustsCheckout(host)) return undefined;
  return invalidSetting(
    "untrusted",
    `${fleet.path} is in a checkout. A change to it could send the keys to other servers.`,
    "Name a fleet file outside the checkout with --fleet, or set ROSTER_TRUST_SETTINGS=1.",
  );
}

const notApproved: RosterError = stopError(
  "refused",
  "not-approved",
  "Cannot ask for approval of many plans",
  "read the plans with `roster fleet plan --report text=DIR`, then pass --auto-approve",
);

export interface FleetMatrixFlags extends FleetFlags {
  readonly format: MatrixFormat;
  readonly changedSince?: string;
}

/** Prints a job for each target, for a pipeline that runs them side by side. Needs no key. */
export async function fleetMatrix({ format, changedSince, ...flags }: FleetMatrixFlags, host: Host): Promise<number> {
  const fleet = await readFleet(flags, host);
  if (!fleet.ok) return finishStopped("fleet", fleet.error, host);
  const { targets } = fleet.value;
  const chosen = changedSince === undefined ? success(targets) : await changedTargets(changedSince, fleet.value, host);
  if (!chosen.ok) return finishStopped("fleet", chosen.error, host);
  const named = chosen.value.map(({ name, key }) => (key.from === "env" ? { name, key: key.name } : { name }));
  return finish({ ...base, ownWords: { text: formatMatrix(format, named, sha256) } }, printedForPeople, host);
}

/** Joins the summaries of the jobs or shards of a fleet. */
export async function fleetSummarize(
  directory: string,
  { format, report = [] }: Pick<FleetRunFlags, "format" | "report">,
  host: Host,
): Promise<number> {
  const stopped = (stop: RosterError) => finish({ ...base, stop }, { format }, host);
  const summary = await readSummaries(directory, host);
  if (!summary.ok) return stopped(summary.error);
  const unwritable = await createDirectories(report, host);
  if (unwritable !== undefined) return stopped(unwritable);
  const fleet = { did: "ran", summary: summary.value } as const;
  return finish({ ...base, fleet }, { format, report: summaryReports(summary.value, report) }, host);
}

function loadTarget({ roster, account }: Target, fleet: Fleet, settings: Settings, host: Host) {
  const { accountAt: _, ...others } = settings;
  const own = account === undefined ? settings : { ...others, account };
  return loadRoster(
    roster.map((path) => fromFleet(fleet, path)),
    own,
    host,
    "not-asked",
  );
}
