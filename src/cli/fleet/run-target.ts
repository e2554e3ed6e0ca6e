import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Readable } from "node:stream";
import pLimit from "p-limit";
import { systemErrorCode } from "../../files/file-system.ts";
import type { Target } from "../../fleet/fleet-file.ts";
import type { FleetCommand, TargetOutcome } from "../../fleet/fleet-summary.ts";
import { statusOf } from "../../fleet/outcomes.ts";
import type { KeySource } from "../../library/connect.ts";
import { invalidSetting, stopError } from "../../library/error.ts";
import { countOutcomes } from "../../log/summary.ts";
import { definedFields, groupBy } from "../../model/collections.ts";
import { formatSubject } from "../../model/fact.ts";
import { isOpenProblem } from "../../model/finding.ts";
import { isoTime } from "../../ports/clock.ts";
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
import { refuseLedOut } from "../trust.ts";
import type { Fleet, FleetFlags } from "./read-fleet.ts";

interface TargetCommand {
  readonly command: FleetCommand;
  readonly flags: SomeFlags & Pick<FleetFlags, "fleet">;
  readonly reports: readonly Report[];
}

export function notStarted({ name, endpoint }: Target): TargetOutcome {
  const counts = { privileged_gains: 0, changes: 0, problems: 0, done: 0 };
  // Without credentials.
  const service = endpoint.replace(/(?<=:\/\/)[^/?#]*@/u, "");
  return { name, service, status: "not-started", ...counts, reports: [] };
}

const commands = { plan, drift, apply, access } as const;

type WaitForTurn = (origin: string, signal?: AbortSignal) => Promise<void>;

/** Targets that share their connections. */
export function openTargets(fleet: Fleet, host: Host, waitForTurn?: WaitForTurn) {
  const transports = sharedTransports(fleet.defaults.callsPerOrigin, waitForTurn, host.openTransport);
  const { terminal: _, ...shared } = host;
  const silent: Output = { write: () => undefined, isTerminal: false, hasColours: false };
  const quiet = { stdin: () => Readable.from([]), stdout: silent, stderr: silent };
  const inside = { ...shared, ...quiet, env: environmentForTargets(fleet, host), openTransport: transports.open };
  return {
    /**
     * Runs the command of one target as if it were run alone, and keeps of it only what a summary needs. Says on standard
     * error what became of it. `own`: who ends it, and what each of its calls waits for. Never rejects.
     */
    async run(
      target: Target,
      { command, flags: { fleet: file, ...given }, reports }: TargetCommand,
      own: Partial<Pick<Host, "interruption" | "mayStart">> = {},
    ): Promise<TargetOutcome> {
      const { name, roster, endpoint, state, account } = target;
      const started_at = isoTime(host.clock);
      const files = reports.map((one) => reportIn(one, `targets/${name}`, one.format));
      // For a person who allows something.
      const again = ["fleet", "apply", "--auto-approve", "--only", name];
      if (given.unmanaged === true) again.push("--unmanaged");
      if (file !== undefined) again.push("--fleet", file);
      const planAgain = commandLine(again, host);
      // Of a fleet, it says how many targets run at the same time.
      const ofTarget = {
        endpoint,
        state,
        ...definedFields({ account }),
        title: name,
        planAgain,
        parallelism: undefined,
      };
      const flags = { ...given, ...ofTarget, format: "text", report: files } as const;
      const keySource = () => keySourceOf(target, fleet, host);
      const ownHost = { ...inside, ...own, keySource, live: newEventBuffer() };
      const run = runCommand(command, flags, ownHost, (running) => commands[command](running, roster, flags));
      const { result, exitCode } = await run.catch(defect);
      const counts = countsOf(result);
      // Somebody may have roles where not all was shown.
      const exit_code = command === "access" && exitCode === 0 && counts.problems > 0 ? 9 : exitCode;
      const status = statusOf(exit_code, counts);
      const outcome = {
        ...notStarted(target),
        ...{ status, exit_code, started_at, finished_at: isoTime(host.clock), ...counts },
        ...definedFields({ error: status === "failed" ? errorOf(result) : undefined }),
        reports: files.map(({ shown }) => shown),
      };
      host.stderr.write(`${safe(formatTarget(outcome))}\n`);
      return outcome;
    },
    close: transports.close,
  };
}

/**
 * One transport for each origin, with so many reads under way at the same time. Each read waits for its turn when a
 * connection is free, so that those behind a slow answer do not leave all at once. A write waits for no read that has
 * not begun. @internal
 */
export function sharedTransports(
  callsPerOrigin: number,
  waitForTurn: WaitForTurn = async () => undefined,
  open: OpenTransport = openTransport,
) {
  const opened = new Map<string, { readonly whole: Transport; readonly shared: Transport }>();
  const openShared = (options: Parameters<OpenTransport>[0]) => {
    const { origin } = options;
    const whole = open({ ...options, connections: callsPerOrigin });
    const limit = pLimit(callsPerOrigin);
    const send: Transport["send"] = async (call, key, signal) => {
      if (call.effect === "write") return whole.send(call, key, signal);
      return limit(async () => {
        await waitForTurn(origin, signal);
        return whole.send(call, key, signal);
      });
    };
    return { whole, shared: { send, close: async () => undefined } };
  };
  return {
    open: ((options) => {
      const one = opened.get(options.origin) ?? openShared(options);
      opened.set(options.origin, one);
      return one.shared;
    }) satisfies OpenTransport,
    close: async () => {
      await Promise.all([...opened.values()].map(({ whole }) => whole.close()));
    },
  };
}

/** A defect that one target meets ends no other. */
function defect(error: unknown): FinishedCommand {
  const message = `a defect of roster ended the command: ${error instanceof Error ? error.message : String(error)}`;
  const stop = stopError("failed", "internal", message);
  return { result: { command: "fleet", tells: "success-only", diagnostics: [], stop }, exitCode: 1 };
}

const maxTasks = 20;

function countsOf({ drift, plan, run, access }: CommandResult) {
  const done = run === undefined ? 0 : countOutcomes(run).succeeded;
  const nothing = { privileged_gains: 0, changes: 0, done, ...definedFields({ access: access && heldKeys(access) }) };
  if (drift !== undefined) {
    const tasks = drift.tasks.open.slice(0, maxTasks).map(({ code, subject, since, owner }) => {
      return { code, subject: formatSubject(subject), ...definedFields({ since, owner }) };
    });
    const privileged_gains = countDrift(drift).privilegedGains;
    return { ...nothing, ...remainingExceptGains(drift), privileged_gains, tasks };
  }
  if (plan === undefined && access !== undefined) {
    const unread = access.gaps.length + access.rows.filter((row) => isHeld(row) && row.not_shown !== undefined).length;
    return { ...nothing, problems: unread };
  }
  const problems = [...(plan?.findings ?? []), ...(run?.findings ?? [])].filter(isOpenProblem).length;
  const changes = run === undefined ? (plan?.actions.length ?? 0) : 0;
  return { ...nothing, changes, problems };
}

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
    await refuseLedOut([path], host);
    await mkdir(path, { recursive: true }).catch((error: unknown) => {
      const message = `The directory ${one.file} for reports cannot be created: ${systemErrorCode(error)}.`;
      throw invalidSetting("unwritable", message, "Name another directory with --report.");
    });
    for (const format of formatsOf("fleet").filter((shown) => shown === "json" || shown === one.format)) {
      const report = reportIn(one, format === "html" ? "index" : "summary", format);
      if (format !== "ndjson") files.set(report.file, report);
    }
  }
  return [...files.values()];
}
