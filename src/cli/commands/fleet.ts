import type { Target } from "../../fleet/expand-fleet.ts";
import type { FleetCommand } from "../../fleet/fleet-summary.ts";
import { summaryOf } from "../../fleet/outcomes.ts";
import { checkEndpoint } from "../../library/connect.ts";
import { invalidInput, invalidSetting, RosterError, rosterError, stopError } from "../../library/error.ts";
import { definedFields } from "../../model/collections.ts";
import type { RosterCounts } from "../../model/plan.ts";
import type { Diagnostic } from "../../model/result.ts";
import { isoTime } from "../../ports/clock.ts";
import { readDeadline } from "../flag-values.ts";
import type { Flags } from "../flags.ts";
import { changedTargets, type Fleet, type FleetFlags, fromFleet, readFleet } from "../fleet/read-fleet.ts";
import { createDirectories, summaryReports } from "../fleet/reports.ts";
import { type FleetLimits, fromFleetAddress, runFleet, untrustedKeyVariables } from "../fleet/run-fleet.ts";
import type { Host } from "../host.ts";
import { openLog, readLockOptions } from "../log.ts";
import { loadRoster } from "../open.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import type { Report } from "../output/report-flags.ts";
import { type FinishedCommand, runCommand } from "../run-command.ts";
import { readSettings, type Settings } from "../settings/settings.ts";
import { trustsCheckout } from "../trust/checkout.ts";

/** Checks the fleet file, the roster of each target and its addresses. Needs no service, no key and no log. */
export function fleetValidate(flags: FleetFlags & OutputFlags, host: Host): Promise<FinishedCommand> {
  return runCommand("fleet", flags, host, async (command) => {
    const settings = await readSettings({}, host);
    const fleet = await readFleet(flags, host);
    const untrusted = untrustedKeyVariables(fleet);
    if (untrusted.length > 0) throw invalidInput(untrusted);
    const targets: { readonly name: string; readonly roster: RosterCounts }[] = [];
    const diagnostics = new Map<string, Diagnostic>();
    for (const target of fleet.targets) {
      const loaded = await loadTarget(target, fleet, settings, host).catch(rosterError);
      const found = [
        ...(loaded instanceof RosterError ? loaded.diagnostics : loaded.warnings),
        ...(await addressFaults(target, fleet, settings, host)),
      ];
      // Several targets may have the same files.
      for (const one of found) diagnostics.set(JSON.stringify(one), one);
      if (!(loaded instanceof RosterError)) targets.push({ name: target.name, roster: loaded.counts });
    }
    const faults = [...diagnostics.values()];
    if (faults.some(({ severity }) => severity === "error")) throw invalidInput(faults);
    command.tell({ diagnostics: faults, fleet: { did: "validated", file: fleet.path, targets } });
  });
}

function loadTarget({ roster, account }: Target, fleet: Fleet, settings: Settings, host: Host) {
  const { accountAt: _, ...others } = settings;
  const own = account === undefined ? settings : { ...others, account };
  const paths = roster.map((path) => fromFleet(fleet, path));
  return loadRoster(paths, own, host, "not-asked");
}

/** What a run would refuse of a target's addresses before its first call. What the environment of a run provides is not needed here. */
async function addressFaults(
  target: Target,
  fleet: Fleet,
  settings: Settings,
  host: Host,
): Promise<readonly Diagnostic[]> {
  const { endpoint, at } = target;
  const state = { value: fromFleetAddress(fleet, target.state), from: "flag" } as const;
  const checks = [
    async () => checkEndpoint(endpoint),
    async () => (await openLog({ ...settings, state }, host)).close(),
  ];
  const errors: RosterError[] = [];
  for (const check of checks) await check().catch((error: unknown) => void errors.push(rosterError(error)));
  const faults = errors.flatMap(({ diagnostics }) => diagnostics);
  return faults.filter(({ code }) => !ofTheEnvironment.includes(code)).map((one) => ({ ...one, place: at.place }));
}

const ofTheEnvironment = ["missing-setting", "bad-key"];

export interface FleetRunFlags extends FleetFlags, Flags {
  readonly maxFailures?: string;
}

export function fleetRun(of: FleetCommand, flags: FleetRunFlags, host: Host): Promise<FinishedCommand> {
  const { format, report: directories = [] } = flags;
  const report: Report[] = [];
  return runCommand("fleet", { format, report }, host, async (command) => {
    if (of === "apply" && flags.autoApprove !== true)
      throw stopError(
        "refused",
        "not-approved",
        "Cannot ask for approval of many plans",
        "read the plans with `roster fleet plan --report text=DIR`, then pass --auto-approve",
      );
    // A target reads them once more: what is wrong with them is said once.
    await readSettings({}, host);
    const fleet = await readFleet(flags, host);
    checkFleetTrust(fleet, host);
    const limits = readLimits(flags, fleet);
    readLockOptions(flags, host);
    await createDirectories(directories, host);
    const targets = await runFleet({ command: of, flags, reports: directories }, { fleet, host, limits });
    report.push(...summaryReports(directories));
    const summary = summaryOf({ did: of, file: fleet.path, finished_at: isoTime(host.clock), targets });
    command.tell({ fleet: summary });
  });
}

function readLimits(flags: FleetRunFlags, { defaults }: Fleet): FleetLimits {
  const parallelism = readCount("--parallelism", flags.parallelism, 64);
  const maxFailures = readCount("--max-failures", flags.maxFailures, 100_000);
  const deadline = readDeadline(flags);
  return { ...defaults, ...definedFields({ parallelism, maxFailures, deadline }) };
}

export function readCount(flag: string, said: string | undefined, most: number): number | undefined {
  if (said === undefined) return undefined;
  if (/^[1-9]\d{0,5}$/u.test(said) && Number(said) <= most) return Number(said);
  throw invalidSetting("bad-flag-value", `${flag} ${said} is not a whole number from 1 to ${most}.`);
}

/** A change to the checkout could send a key anywhere. */
export function checkFleetTrust(fleet: Fleet, host: Host): void {
  const variables = untrustedKeyVariables(fleet);
  if (variables.length > 0) throw invalidInput(variables);
  if (!fleet.insideCheckout || trustsCheckout(host)) return;
  throw invalidSetting(
    "untrusted",
    `${fleet.path} is in a checkout. A change to it could send the keys to other servers.`,
    "Name a fleet file outside the checkout with --fleet, or set ROSTER_TRUST_SETTINGS=1.",
  );
}

export interface FleetListFlags extends FleetFlags {
  readonly format: OutputFlags["format"];
  readonly changedSince?: string;
}

/** Lists the targets, such as for the matrix of a pipeline. Needs no key. */
export function fleetList({ format, changedSince, ...flags }: FleetListFlags, host: Host): Promise<FinishedCommand> {
  return runCommand("fleet", { format }, host, async (command) => {
    const fleet = await readFleet(flags, host);
    const chosen = changedSince === undefined ? fleet.targets : await changedTargets(changedSince, fleet, host);
    const named = chosen.map(({ name, key }) => (key.from === "env" ? { name, key: key.name } : { name }));
    command.tell({
      ownWords: { text: named.map(({ name }) => `${name}\n`).join(""), json: `${JSON.stringify(named)}\n` },
    });
  });
}
