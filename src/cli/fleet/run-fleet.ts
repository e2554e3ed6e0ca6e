import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Readable } from "node:stream";
import pLimit from "p-limit";
import { systemErrorCode } from "../../files/file-system.ts";
import type { FleetCommand, TargetOutcome } from "../../fleet/fleet-summary.ts";
import { statusOf } from "../../fleet/outcomes.ts";
import { type Target, targetQueue } from "../../fleet/targets.ts";
import type { KeySource } from "../../library/connect.ts";
import { showDuration } from "../../library/duration.ts";
import { invalidSetting, stopError } from "../../library/error.ts";
import { countOutcomes } from "../../log/summary.ts";
import { definedFields, groupBy } from "../../model/collections.ts";
import { formatSubject } from "../../model/fact.ts";
import { isOpenProblem } from "../../model/finding.ts";
import { isoTime, stopwatch } from "../../ports/clock.ts";
import { type AccessMap, isHeld } from "../../report/access/access-map.ts";
import { countDrift, remainingExceptGains } from "../../report/document/drift.ts";
import { formatTarget } from "../../report/document/fleet.ts";
import { type FormatName, formatsOf } from "../../report/formats.ts";
import { safe } from "../../report/safe.ts";
import { type OpenTransport, openTransport } from "../../service/client.ts";
import type { Transport } from "../../service/retry.ts";
import { access } from "../commands/access.ts";
import { apply } from "../commands/apply.ts";
import { drift } from "../commands/drift.ts";
import { plan } from "../commands/plan.ts";
import type { SomeFlags } from "../flags.ts";
import { type Host, newEventBuffer, type Output } from "../host.ts";
import { keyInFile, keyOfCommand } from "../open.ts";
import type { Report } from "../report-flags.ts";
import { type CommandResult, commandLine, type FinishedCommand, runCommand } from "../run-command.ts";
import { keyVariablePrefix } from "../settings/environment.ts";
import { leadsOutOfCheckout } from "../trust.ts";
import type { Fleet, FleetFlags } from "./read-fleet.ts";

export interface FleetLimits extends SharedCalls {
  readonly parallelism: number;
  /** No target is started after so many have failed; absent: every one is started. */
  readonly maxFailures?: number;
  /** Milliseconds after which no target is started, and those under way end. */
  readonly deadline?: number;
}

interface TargetCommand {
  readonly command: FleetCommand;
  readonly flags: SomeFlags & Pick<FleetFlags, "fleet">;
  readonly reports: readonly Report[];
}

/** Runs every target in this process. */
export async function runFleet(
  command: TargetCommand,
  fleet: Fleet,
  limits: FleetLimits,
  host: Host,
): Promise<readonly TargetOutcome[]> {
  const { parallelism, maxFailures = Number.POSITIVE_INFINITY, deadline = Number.POSITIVE_INFINITY } = limits;
  const queue = targetQueue(fleet.targets);
  const opened = openTargets(fleet, limits, host);
  const elapsed = stopwatch(host.clock);
  const outcomes = new Map<string, TargetOutcome>();
  let failures = 0;
  const mayStart = () => !host.interruption.signal.aborted && failures < maxFailures && elapsed() < deadline;
  const work = async () => {
    for (let target = mayStart() && queue.take(); target; target = mayStart() && queue.take()) {
      const left = Math.max(1000, deadline - elapsed());
      const own = Number.isFinite(left) ? { deadline: showDuration(left) } : {};
      const outcome = await opened.run(target, { ...command, flags: { ...command.flags, ...own } });
      queue.end(target);
      outcomes.set(target.name, outcome);
      if (outcome.status === "failed") failures += 1;
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(parallelism, fleet.targets.length) }, work));
  } finally {
    await opened.close();
  }
  return fleet.targets.map((target) => outcomes.get(target.name) ?? notStarted(target));
}

export function notStarted({ name, endpoint }: Target): TargetOutcome {
  const counts = { privileged_gains: 0, changes: 0, problems: 0, done: 0 };
  // Without credentials.
  const service = endpoint.replace(/(?<=:\/\/)[^/?#]*@/u, "");
  return { name, service, status: "not-started", ...counts, reports: [] };
}

export interface OpenedTargets {
  /** Says on standard error what became of the target. Never rejects. */
  run(target: Target, command: TargetCommand, own?: OwnHost): Promise<TargetOutcome>;
  close(): Promise<void>;
}

/** What a target may have of its own: who ends it, and what each of its calls waits for. */
type OwnHost = Partial<Pick<Host, "interruption" | "mayStart">>;

/** Targets that share their connections. */
export function openTargets(fleet: Fleet, calls: SharedCalls, host: Host): OpenedTargets {
  const transports = sharedTransports(calls, host.openTransport);
  const { terminal: _, ...shared } = host;
  const quiet = { stdin: () => Readable.from([]), stdout: silent, stderr: silent };
  const inside = { ...shared, ...quiet, env: environmentForTargets(fleet, host), openTransport: transports.open };
  return {
    async run(target, command, own = {}) {
      const keySource = () => keySourceOf(target, fleet, host);
      const outcome = await runTarget(target, command, { ...inside, ...own, keySource, live: newEventBuffer() });
      host.stderr.write(`${safe(formatTarget(outcome))}\n`);
      return outcome;
    },
    close: transports.close,
  };
}

const silent: Output = { write: () => undefined, isTerminal: false, hasColours: false };

/** How the calls of all targets leave together. */
export interface SharedCalls {
  /** So many reads of one origin are under way at the same time. */
  readonly callsPerOrigin: number;
  /** A read waits for it when a connection is free, so that those behind a slow answer do not leave all at once. */
  readonly waitForTurn?: (origin: string, signal?: AbortSignal) => Promise<void>;
}

/** One transport for each origin. A write waits for no read that has not begun. @internal */
export function sharedTransports({ callsPerOrigin, waitForTurn }: SharedCalls, open: OpenTransport = openTransport) {
  const opened = new Map<string, Transport>();
  const limited = (transport: Transport, origin: string): Transport => {
    const limit = pLimit(callsPerOrigin);
    const send: Transport["send"] = async (call, key, signal) => {
      if (call.effect === "read") await waitForTurn?.(origin, signal);
      return transport.send(call, key, signal);
    };
    return {
      send: (call, ...rest) => (call.effect === "write" ? send(call, ...rest) : limit(() => send(call, ...rest))),
      close: () => transport.close(),
    };
  };
  return {
    open: ((options) => {
      const { origin, proxy, ca, timeout, largestAnswer } = options;
      const key = JSON.stringify([origin, proxy, ca, timeout, largestAnswer]);
      const shared = opened.get(key) ?? limited(open({ ...options, connections: callsPerOrigin }), origin);
      opened.set(key, shared);
      return { send: shared.send, close: async () => undefined };
    }) satisfies OpenTransport,
    close: async () => {
      await Promise.all([...opened.values()].map((transport) => transport.close()));
    },
  };
}

/** Runs the command of one target as if it were run alone, and keeps of it only what a summary needs. */
async function runTarget(
  target: Target,
  { command, flags: { fleet, ...given }, reports }: TargetCommand,
  host: Host,
): Promise<TargetOutcome> {
  const { name, roster, endpoint, state, account } = target;
  const startedAt = isoTime(host.clock);
  const files = reports.map((one) => reportIn(one, `targets/${name}`, one.format));
  // For a person who allows something.
  const again = ["fleet", "apply", "--auto-approve", "--only", name];
  if (given.unmanaged === true) again.push("--unmanaged");
  if (fleet !== undefined) again.push("--fleet", fleet);
  const flags = {
    ...given,
    format: "text",
    report: files,
    title: name,
    planAgain: commandLine(again, host),
    // Of a fleet, it says how many targets run at the same time.
    parallelism: undefined,
    endpoint,
    state,
    ...definedFields({ account }),
  } as const;
  const run = runCommand(command, flags, host, (running) => commands[command](running, roster, flags));
  const { result, exitCode } = await run.catch(defect);
  const ran = { exit_code: exitCode, started_at: startedAt, finished_at: isoTime(host.clock) };
  const counts = countsOf(result);
  const status = statusOf(exitCode, counts);
  const error = definedFields({ error: status === "failed" ? errorOf(result) : undefined });
  return { ...notStarted(target), status, ...ran, ...counts, ...error, reports: files.map(({ shown }) => shown) };
}

const commands = { plan, drift, apply, access } as const;

/** A defect that one target meets ends no other. */
function defect(error: unknown): FinishedCommand {
  const message = `a defect of roster ended the command: ${error instanceof Error ? error.message : String(error)}`;
  const stop = stopError("failed", "internal", message);
  return { result: { command: "fleet", tells: "success-only", diagnostics: [], stop }, exitCode: 1 };
}

function countsOf({ drift, plan, run, access }: CommandResult) {
  const done = run === undefined ? 0 : countOutcomes(run).succeeded;
  const held = definedFields({ access: access && heldKeys(access) });
  if (drift !== undefined) {
    const tasks = drift.tasks.open.slice(0, maxTasks).map(({ code, subject, since, owner }) => {
      return { code, subject: formatSubject(subject), ...definedFields({ since, owner }) };
    });
    return {
      privileged_gains: countDrift(drift).privilegedGains,
      ...remainingExceptGains(drift),
      done,
      tasks,
      ...held,
    };
  }
  if (plan === undefined && access !== undefined) {
    const unread = access.gaps.length + access.rows.filter((row) => isHeld(row) && row.not_shown !== undefined).length;
    return { privileged_gains: 0, changes: 0, problems: unread, done, ...held };
  }
  const findings = [...(plan?.findings ?? []), ...(run?.findings ?? [])];
  const changes = run === undefined ? (plan?.actions.length ?? 0) : 0;
  return { privileged_gains: 0, changes, problems: findings.filter(isOpenProblem).length, done, ...held };
}

const maxTasks = 20;

/** Each key that holds roles, and its user. */
function heldKeys({ rows }: AccessMap): NonNullable<TargetOutcome["access"]> {
  const keys = groupBy(rows.filter(isHeld), ({ person, prefix }) => `${person} ${prefix}`);
  return [...keys.values()].flatMap((own) => {
    const roles = own.flatMap(({ role }) => role ?? []);
    const { person, team } = own[0];
    const privileged = own.some((row) => row.privileged);
    return roles.length === 0 ? [] : [{ ...definedFields({ person, team }), roles, privileged }];
  });
}

function errorOf({ stop, diagnostics, run }: CommandResult): TargetOutcome["error"] {
  const faults = [...diagnostics, ...(stop?.diagnostics ?? [])].filter(({ severity }) => severity === "error");
  const outcomes = run === undefined ? [] : [...run.outcomes.values()];
  const failures = outcomes.flatMap((one) => (one.is === "failed" || one.is === "unknown" ? [one.failure] : []));
  const [first] = stop?.problem === undefined ? [...faults, ...failures] : [stop.problem];
  return first === undefined ? undefined : { code: first.code, message: first.message };
}

/** What each target has of its own, so that nothing of the fleet's environment stands in for it; and what a step of GitHub has once. */
const notInherited = /^(?:ROSTER_(?:ENDPOINT|API_KEY|API_KEY_FILE|STATE|ACCOUNT)|GITHUB_(?:STEP_SUMMARY|OUTPUT))$/u;

/** The environment without what is a target's own, and without every key. */
function environmentForTargets({ all }: Fleet, { env }: Host): Host["env"] {
  const keys = new Set(all.map(({ key }) => key.env));
  const isLeftOut = (name: string) => notInherited.test(name) || name.startsWith(keyVariablePrefix) || keys.has(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isLeftOut(name)));
}

/** Where the key of a target comes from. Nothing is read or run yet. */
function keySourceOf({ name, key }: Target, { directory }: Fleet, { env, cwd }: Host): KeySource {
  if (key.file !== undefined) return keyInFile(key.file, cwd);
  if (key.command !== undefined) return keyOfCommand(key.command, resolve(cwd, directory));
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
  const files = new Map<string, Report>();
  for (const one of directories) {
    const path = resolve(host.cwd, one.file, "targets");
    const unwritable = (why: string) => {
      const message = `The directory ${one.file} for reports cannot be created: ${why}.`;
      return invalidSetting("unwritable", message, "Name another directory with --report.");
    };
    if (await leadsOutOfCheckout(path, host)) throw unwritable("a symbolic link leads out of the checkout");
    await mkdir(path, { recursive: true }).catch((error: unknown) => {
      throw unwritable(systemErrorCode(error));
    });
    for (const format of formatsOf("fleet").filter((shown) => shown === "json" || shown === one.format)) {
      const report = reportIn(one, format === "html" ? "index" : "summary", format);
      if (format !== "ndjson") files.set(report.file, report);
    }
  }
  return [...files.values()];
}
