import { mkdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { Readable } from "node:stream";
import pLimit from "p-limit";
import { systemErrorCode } from "../../files/file-system.ts";
import { type Target, targetsInTurn } from "../../fleet/fleet-file.ts";
import type { FleetCommand, TargetOutcome } from "../../fleet/fleet-summary.ts";
import { notStarted, statusOf, summaryOf } from "../../fleet/outcomes.ts";
import { makeTables, readStatus, type Sql, setPause } from "../../fleet/queue.ts";
import { checkEndpoint, type KeySource } from "../../library/connect.ts";
import { showDuration } from "../../library/duration.ts";
import { invalidInput, invalidSetting, RosterError, rosterError, stopError } from "../../library/error.ts";
import { countOutcomes } from "../../log/summary.ts";
import { definedFields, groupBy } from "../../model/collections.ts";
import { formatSubject } from "../../model/fact.ts";
import type { Diagnostic } from "../../model/failure.ts";
import { isOpenProblem } from "../../model/finding.ts";
import type { RosterCounts } from "../../model/plan.ts";
import { isoTime, stopwatch } from "../../ports/clock.ts";
import { type AccessMap, isHeld } from "../../report/access/access-map.ts";
import { countDrift } from "../../report/document/drift.ts";
import { formatTarget } from "../../report/document/fleet.ts";
import { type FormatName, formatsOf } from "../../report/formats.ts";
import { safe } from "../../report/safe.ts";
import { type OpenTransport, openTransport } from "../../service/client.ts";
import type { Transport } from "../../service/retry.ts";
import { durationOf, readDeadline } from "../flags.ts";
import { type Fleet, type FleetFlags, readCount, readFleet } from "../fleet/read-fleet.ts";
import { type Host, isPipeline, newEventBuffer, type Output } from "../host.ts";
import { openLog, readLockOptions } from "../log.ts";
import { keyInFile, keyOfCommand, loadRoster } from "../open.ts";
import type { Report } from "../report-flags.ts";
import { type Command, type CommandResult, commandLine, type FinishedCommand, runCommand } from "../run-command.ts";
import { runContextOf } from "../run-context.ts";
import { variable } from "../settings/environment.ts";
import { readSettings } from "../settings/settings.ts";
import { refuseLedOut } from "../trust.ts";
import { access } from "./access.ts";
import { apply } from "./apply.ts";
import { drift } from "./drift.ts";
import { plan } from "./plan.ts";

/** Runs the command for each target, in this process. */
export const fleetRun = (did: FleetCommand) => async (command: Command, flags: FleetFlags) => {
  const { host } = command;
  const { person, report = [] } = flags;
  if (did === "apply" && flags.autoApprove !== true) {
    const hint = "read the plans with `roster fleet plan --report text=DIR`, then pass --auto-approve";
    throw stopError("refused", "not-approved", "Cannot ask for approval of many plans", hint);
  }
  // A target reads them once more: what is wrong with them is said once.
  await readSettings({}, host);
  readLockOptions(flags, host);
  const fleet = await readFleet(flags, host, "run");
  const maxFailures = readCount("--max-failures", flags.maxFailures, 100_000) ?? Number.POSITIVE_INFINITY;
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
      const only = person === undefined ? undefined : [`user:${person}`];
      const outcome = await opened.run(target, did, { ...flags, only, deadline: left });
      end();
      outcomes.set(outcome.name, outcome);
      if (outcome.status === "failed") failures += 1;
    }
  };
  await Promise.all(Array.from({ length: fleet.parallelism }, work));
  const about = { did, file: fleet.path, finished_at: isoTime(host.clock), ...definedFields({ person }) };
  command.tell({ fleet: summaryOf({ ...about, targets: [...outcomes.values()] }) });
};

const commands = { plan, drift, apply, access } as const;

export function openTargets(fleet: Fleet, host: Host) {
  const transports = sharedTransports(fleet.callsPerOrigin, host.openTransport);
  const { terminal: _, ...shared } = host;
  const silent: Output = { write: () => undefined, isTerminal: false, hasColours: false };
  const quiet = { stdin: () => Readable.from([]), stdout: silent, stderr: silent };
  const keys = new Set(fleet.all.map(({ key }) => key.env));
  const inherited = Object.entries(host.env).filter(([name]) => !notInherited.test(name) && !keys.has(name));
  const inside = { ...shared, ...quiet, env: Object.fromEntries(inherited) };
  return {
    /** Runs the command of one target as if it were run alone, and says on standard error what became of it. Never rejects. */
    async run(
      target: Target,
      command: FleetCommand,
      { report: directories = [], ...given }: Partial<FleetFlags>,
      { ended, ...own }: Partial<Pick<Host, "interruption" | "mayStart"> & { readonly ended: () => void }> = {},
    ): Promise<TargetOutcome> {
      const { name, roster, endpoint, state, account } = target;
      const started_at = isoTime(host.clock);
      // The access of a target stands in the summary alone.
      const reported = command === "access" ? [] : directories;
      const report = reported.map((one) => reportIn(one, `targets/${name}`, one.format));
      const again = ["apply", "--auto-approve", "--only", name];
      if (given.unmanaged === true) again.push("--unmanaged");
      const planAgain = fleetCommandLine(again, given, host);
      const ofTarget = { endpoint, state, account, title: name, planAgain, report };
      // Of a fleet, it says how many targets run at the same time.
      const flags = { ...given, ...ofTarget, parallelism: undefined, format: "text" } as const;
      const keySource = () => keySourceOf(target, fleet, host);
      const openTransport: OpenTransport = (options) => {
        const { send } = transports.open(options);
        return { send: (...call) => send(...call).finally(ended), close: async () => undefined };
      };
      const ownHost = { ...inside, ...own, openTransport, keySource, live: newEventBuffer() };
      const run = runCommand(command, flags, ownHost, (running) => commands[command](running, roster, flags));
      const { result, exitCode } = await run.catch(defect);
      const counts = countsOf(result);
      // Somebody may have roles where not all was shown.
      const exit_code = command === "access" && exitCode === 0 && counts.problems > 0 ? 9 : exitCode;
      const status = statusOf(exit_code, counts);
      const outcome = {
        ...notStarted(target),
        status,
        exit_code,
        started_at,
        finished_at: isoTime(host.clock),
        ...counts,
        ...definedFields({ error: status === "failed" ? errorOf(result) : undefined }),
        reports: report.map(({ shown }) => shown),
      };
      host.stderr.write(`${safe(formatTarget(outcome))}\n`);
      return outcome;
    },
    close: async () => void (await transports.close()),
  };
}

function fleetCommandLine(words: readonly string[], { fleet, queue }: Partial<FleetFlags>, host: Host): string {
  const given = Object.entries(definedFields({ fleet, queue }));
  return commandLine(["fleet", ...words, ...given.flatMap(([flag, said]) => [`--${flag}`, said])], host);
}

/** What a target has of its own, so that nothing of the fleet's environment stands in for it; and what a step of GitHub has once. */
const notInherited =
  /^(?:ROSTER_(?:ENDPOINT|API_KEY|API_KEY_FILE|STATE|ACCOUNT|KEY_.*)|GITHUB_(?:STEP_SUMMARY|OUTPUT))$/u;

/** @internal */
export function sharedTransports(callsPerOrigin: number, openWhole = openTransport) {
  const opened = new Map<string, Transport>();
  const open: OpenTransport = (options) => {
    const known = opened.get(options.origin);
    if (known !== undefined) return known;
    const whole = openWhole({ ...options, connections: callsPerOrigin });
    const limit = pLimit(callsPerOrigin);
    // A write is announced already: it leaves soon or not at all.
    const send: Transport["send"] = (call, ...others) =>
      call.effect === "write" ? whole.send(call, ...others) : limit(() => whole.send(call, ...others));
    const shared = { send, close: () => whole.close() };
    opened.set(options.origin, shared);
    return shared;
  };
  return { open, close: () => Promise.all([...opened.values()].map((one) => one.close())) };
}

/** A defect that one target meets ends no other. */
function defect(error: unknown): FinishedCommand {
  const stop = stopError("failed", "internal", `a defect of roster ended the command: ${error}`);
  return { result: { command: "fleet", tells: "success-only", diagnostics: [], stop }, exitCode: 1 };
}

function countsOf({ drift, plan, run, access }: CommandResult) {
  const done = run === undefined ? 0 : countOutcomes(run).succeeded;
  const nothing = { privileged_gains: 0, changes: 0, done, ...definedFields({ access: access && heldKeys(access) }) };
  if (drift !== undefined) {
    const tasks = drift.tasks.open.slice(0, 20).map(({ code, subject, since, owner }) => {
      return { code, subject: formatSubject(subject), ...definedFields({ since, owner }) };
    });
    const { privilegedGains: privileged_gains, besidesGains } = countDrift(drift);
    return { ...nothing, ...besidesGains, privileged_gains, tasks };
  }
  if (plan === undefined && access !== undefined) {
    const unread = access.gaps.length + access.rows.filter((row) => isHeld(row) && row.not_shown !== undefined).length;
    return { ...nothing, problems: unread };
  }
  const problems = [...(plan?.findings ?? []), ...(run?.findings ?? [])].filter(isOpenProblem).length;
  const changes = run === undefined ? (plan?.actions.length ?? 0) : 0;
  return { ...nothing, changes, problems };
}

function heldKeys({ rows }: AccessMap): NonNullable<TargetOutcome["access"]> {
  const keys = groupBy(rows.filter(isHeld), ({ person, prefix }) => `${person} ${prefix}`);
  return [...keys.values()].flatMap((own) => {
    const roles = own.flatMap(({ role }) => role ?? []);
    const { person, team } = own[0];
    const privileged = own.some((row) => row.privileged);
    return roles.length === 0 ? [] : [{ ...definedFields({ person, team }), roles, privileged }];
  });
}

function errorOf({ stop, run }: CommandResult): TargetOutcome["error"] {
  const failed = [...(run?.outcomes.values() ?? [])].find((one) => one.is === "failed" || one.is === "unknown");
  const first = stop ?? failed?.failure;
  return first && { code: first.code, message: first.message };
}

function keySourceOf({ name, key }: Target, { path }: Fleet, { env, cwd }: Host): KeySource {
  if (key.file !== undefined) return keyInFile(key.file, cwd);
  if (key.command !== undefined) return keyOfCommand(key.command, resolve(cwd, dirname(path)));
  const variable = key.env ?? "";
  const text = env[variable] ?? "";
  if (text !== "") return { name: variable, ask: async () => text };
  throw invalidSetting("no-key", `The key of ${name} is in ${variable}, which is not set.`, `Set ${variable}.`);
}

/** How the files of a format end, where that is not its name. Two formats may share a directory. */
const extensions: Readonly<Partial<Record<FormatName, string>>> = {
  text: "txt",
  github: "github.txt",
  gitlab: "gitlab.json",
  "gitlab-terraform": "gitlab-terraform.json",
  prometheus: "prom",
  markdown: "md",
};

function reportIn({ file: directory }: Report, name: string, format: FormatName) {
  const shown = `${name}.${extensions[format] ?? format}`;
  return { format, file: join(directory, shown), shown };
}

/** Creates the directories. Returns the files of the summary: as JSON in each of them, and in each format that can show it. */
export async function openReports(directories: readonly Report[], host: Host): Promise<readonly Report[]> {
  for (const { file } of directories) {
    const path = resolve(host.cwd, file, "targets");
    await refuseLedOut([path], host);
    await mkdir(path, { recursive: true }).catch((error: unknown) => {
      const message = `The directory ${file} for reports cannot be created: ${systemErrorCode(error)}.`;
      throw invalidSetting("unwritable", message, "Name another directory with --report.");
    });
  }
  const shown = formatsOf("fleet").filter((format) => format !== "ndjson");
  const files = directories.flatMap((one) => {
    const formats = shown.filter((format) => format === "json" || format === one.format);
    return formats.map((format) => reportIn(one, format === "html" ? "index" : "summary", format));
  });
  return [...new Map(files.map((report) => [report.file, report])).values()];
}

export async function fleetValidate({ host, tell }: Command, flags: FleetFlags): Promise<void> {
  // A person may check the file of their own checkout.
  const fleet = await readFleet(flags, host, isPipeline(host) ? "run" : "read");
  const targets: { readonly name: string; readonly roster: RosterCounts }[] = [];
  const found: Diagnostic[] = [];
  for (const target of fleet.targets) {
    const { name, roster, endpoint, at } = target;
    const settings = await readSettings(target, host);
    const loaded = await loadRoster(roster, settings, host, "not-asked").catch(rosterError);
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

export async function fleetPause(command: Command, flags: FleetFlags): Promise<void> {
  const { reason, resume = false } = flags;
  if ((reason === undefined) !== resume)
    throw invalidSetting("usage", "A pause has either --reason TEXT or --resume.", "Pass one of the two.");
  await setPause(await openTables(command, flags), runContextOf(command.host).actor.name, reason);
  command.tell({ ownWords: { text: resume ? "The workers write again.\n" : "Paused: no worker writes.\n" } });
}

export async function queueDatabase({ queue }: FleetFlags, host: Host) {
  const address = queue ?? variable(host, "ROSTER_QUEUE");
  const hint = "Pass --queue postgres://USER@HOST/DATABASE or set ROSTER_QUEUE.";
  if (address === undefined) throw invalidSetting("missing-setting", "No queue is set.", hint);
  const { openQueueDatabase } = await import("../../library/stores/open-postgres.ts");
  return openQueueDatabase(address, host);
}

async function openTables({ host, closing }: Command, flags: FleetFlags): Promise<Sql> {
  const { connect, failed } = await queueDatabase(flags, host);
  const rethrow = (error: unknown) => Promise.reject(failed(error));
  const database = closing(await connect().catch(rethrow));
  const sql: Sql = async (statement, values) => (await database.run("used", statement, values).catch(rethrow)).rows;
  await makeTables(sql);
  return sql;
}

export async function fleetStatus(command: Command, flags: FleetFlags): Promise<void> {
  const { host, tell } = command;
  const fleet = await readFleet(flags, host);
  const maxAge = durationOf("--max-age", flags.maxAge) ?? 26 * 3_600_000;
  const { targets: found, queue } = await readStatus(await openTables(command, flags));
  const known = new Map(found.map((target) => [target.name, target]));
  const targets = fleet.targets.map((target): TargetOutcome => {
    const outcome = known.get(target.name) ?? notStarted(target);
    const { last_success: last, status } = outcome;
    const isGivenUp = queue?.given_up.includes(target.name) === true;
    const isFresh = last !== undefined && host.clock.now() - Date.parse(last) <= maxAge;
    if (status === "failed" || (isFresh && !isGivenUp)) return outcome;
    const message = last === undefined ? "never checked" : `last checked at ${last}`;
    return { ...outcome, exit_code: undefined, status: "not-started", error: { code: "not-checked", message } };
  });
  const about = { did: "status", file: fleet.path, finished_at: isoTime(host.clock) } as const;
  const summary = summaryOf({ ...about, ...definedFields({ queue }), targets });
  const document = { format_version: "1.0", command: "fleet", diagnostics: [], error: null, exit_code: 0 };
  const { validFleetSummary } = await import("../../codec/generated/fleet-summary.js");
  // Others may have written into the database.
  if (!validFleetSummary({ ...document, fleet: summary }))
    throw stopError("failed", "bad-file", "the tables of the queue are not as roster writes them");
  const givenUp = fleet.all.flatMap(({ name }) => (queue?.given_up.includes(name) ? ["--only", name] : []));
  const planAgain = givenUp.length > 0 ? fleetCommandLine(["enqueue", ...givenUp], flags, host) : undefined;
  tell({ fleet: summary, planAgain, reports: await openReports(flags.report ?? [], host) });
}
