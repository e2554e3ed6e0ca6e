import { resolve } from "node:path";
import { Readable } from "node:stream";
import pLimit from "p-limit";
import type { Target } from "../../fleet/expand-fleet.ts";
import type { FleetCommand, TargetOutcome } from "../../fleet/fleet-summary.ts";
import { statusOf } from "../../fleet/outcomes.ts";
import { targetQueue } from "../../fleet/select-targets.ts";
import type { KeySource } from "../../library/connect.ts";
import { showDuration } from "../../library/duration.ts";
import { invalidSetting, stopError } from "../../library/error.ts";
import { countOutcomes } from "../../log/summary.ts";
import { definedFields } from "../../model/collections.ts";
import { isOpenProblem } from "../../model/finding.ts";
import type { Diagnostic } from "../../model/result.ts";
import { isoTime, stopwatch } from "../../ports/clock.ts";
import { countDrift, remainingExceptGains } from "../../report/document/drift.ts";
import { formatTarget } from "../../report/document/fleet.ts";
import { safe } from "../../report/safe.ts";
import type { Transport } from "../../service/caller.ts";
import { type OpenTransport, openTransport } from "../../service/client.ts";
import { apply } from "../commands/apply.ts";
import { drift } from "../commands/drift.ts";
import { plan } from "../commands/plan.ts";
import type { SomeFlags } from "../flags.ts";
import { type Host, newEventBuffer, type Output } from "../host.ts";
import type { CommandResult } from "../output/exit-code.ts";
import type { Report } from "../output/report-flags.ts";
import { commandLine, type FinishedCommand } from "../run-command.ts";
import { keyInFile, keyOfCommand } from "../settings/credentials.ts";
import { keyVariablePrefix } from "../settings/environment.ts";
import { type Fleet, type FleetFlags, fromFleet } from "./read-fleet.ts";
import { targetReports } from "./reports.ts";

export interface FleetLimits {
  readonly parallelism: number;
  readonly callsPerOrigin: number;
  /** No target is started after so many have failed; absent: every one is started. */
  readonly maxFailures?: number;
  /** Milliseconds after which no target is started, and those under way end. */
  readonly deadline?: number;
}

export async function runFleet(
  command: TargetCommand,
  { fleet, host, limits }: { readonly fleet: Fleet; readonly host: Host; readonly limits: FleetLimits },
): Promise<readonly TargetOutcome[]> {
  const { clock, interruption } = host;
  const { targets } = fleet;
  const queue = targetQueue(targets);
  const opened = openTargets(fleet, host, limits);
  const elapsed = stopwatch(clock);
  const left = limits.deadline === undefined ? undefined : () => (limits.deadline ?? 0) - elapsed();
  const outcomes = new Map<string, TargetOutcome>();
  let failures = 0;
  const mayStart = () =>
    !interruption.signal.aborted &&
    failures < (limits.maxFailures ?? Number.POSITIVE_INFINITY) &&
    (left === undefined || left() > 0);
  const work = async () => {
    for (;;) {
      const target = mayStart() ? queue.take() : undefined;
      if (target === undefined) return;
      const deadline = left === undefined ? {} : { deadline: showDuration(Math.max(1000, left())) };
      const outcome = await opened.run(target, { ...command, flags: { ...command.flags, ...deadline } });
      queue.end(target);
      outcomes.set(target.name, outcome);
      if (outcome.status === "failed") failures += 1;
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(limits.parallelism, targets.length) }, work));
  } finally {
    await opened.close();
  }
  return targets.map((target) => outcomes.get(target.name) ?? notStarted(target));
}

export interface OpenedTargets {
  /** Says on standard error what became of the target. Never rejects. */
  run(target: Target, command: TargetCommand, own?: OwnHost): Promise<TargetOutcome>;
  close(): Promise<void>;
}

/** What a target may have of its own: who ends it, and what each of its calls waits for. */
type OwnHost = Partial<Pick<Host, "interruption" | "mayStart">>;

/** Targets that share their connections. */
export function openTargets(
  fleet: Fleet,
  host: Host,
  { callsPerOrigin }: Pick<FleetLimits, "callsPerOrigin">,
): OpenedTargets {
  const transports = sharedTransports(callsPerOrigin, host.openTransport);
  const { terminal: _, ...shared } = host;
  const quiet = { stdin: () => Readable.from([]), stdout: silent, stderr: silent };
  const inside = { ...shared, ...quiet, env: environmentForTargets(fleet, host), openTransport: transports.open };
  return {
    async run(target, command, own = {}) {
      const keySource = () => keySourceOf(target, fleet, host);
      const outcome = await runTarget(target, command, fleet, { ...inside, ...own, keySource, live: newEventBuffer() });
      host.stderr.write(`${safe(formatTarget(outcome))}\n`);
      return outcome;
    },
    close: () => transports.close(),
  };
}

export function notStarted({ name, endpoint }: Target): TargetOutcome {
  const counts = { privileged_gains: 0, changes: 0, problems: 0, done: 0 };
  return { name, service: withoutCredentials(endpoint), status: "not-started", ...counts, reports: [] };
}

interface SharedTransports {
  readonly open: OpenTransport;
  close(): Promise<void>;
}

/** One transport for each origin, with so many calls at once from all targets. A write waits for no read that has not begun. @internal */
export function sharedTransports(callsPerOrigin: number, open: OpenTransport = openTransport): SharedTransports {
  const opened = new Map<string, Transport>();
  return {
    open(options) {
      const { origin, proxy, ca, timeout, largestAnswer } = options;
      const key = JSON.stringify([origin, proxy, ca, timeout, largestAnswer]);
      const shared = opened.get(key) ?? limited(open({ ...options, connections: callsPerOrigin }), callsPerOrigin);
      opened.set(key, shared);
      return { send: shared.send, close: async () => undefined };
    },
    async close() {
      await Promise.all([...opened.values()].map((transport) => transport.close()));
    },
  };
}

function limited(transport: Transport, most: number): Transport {
  const limit = pLimit(most);
  return {
    send: (call, key, signal) =>
      call.effect === "write" ? transport.send(call, key, signal) : limit(() => transport.send(call, key, signal)),
    close: () => transport.close(),
  };
}

/** A read waits for its turn when a connection is free for it, so that those behind a slow answer do not leave all at once. @internal */
export function readsInTurn(
  { openTransport: open = openTransport, clock }: Pick<Host, "openTransport" | "clock">,
  waitForTurn: (origin: string, signal?: AbortSignal) => Promise<void>,
): OpenTransport {
  return (options) => {
    const transport = open(options);
    const isTurn = (signal: AbortSignal | undefined) =>
      waitForTurn(options.origin, signal).then(
        () => true,
        () => false,
      );
    return {
      ...transport,
      async send(call, key, signal) {
        // While the database does not answer, nothing is sent.
        while (call.effect === "read" && !signal?.aborted && !(await isTurn(signal))) await clock.wait(1000, signal);
        return transport.send(call, key, signal);
      },
    };
  };
}

interface TargetCommand {
  readonly command: FleetCommand;
  readonly flags: SomeFlags & Pick<FleetFlags, "fleet">;
  readonly reports: readonly Report[];
}

/** The command that applies one target, for a person who allows something. */
function planAgain(target: string, { fleet, unmanaged }: TargetCommand["flags"], host: Host): string {
  const named = fleet === undefined ? [] : ["--fleet", fleet];
  const wide = unmanaged === true ? ["--unmanaged"] : [];
  return commandLine(["fleet", "apply", "--auto-approve", "--only", target, ...wide, ...named], host);
}

/** Runs the command of one target as if it were run alone, and keeps of it only what a summary needs. */
async function runTarget(
  target: Target,
  { command, flags: given, reports }: TargetCommand,
  fleet: Fleet,
  host: Host,
): Promise<TargetOutcome> {
  const startedAt = isoTime(host.clock);
  const { name, account } = target;
  const files = targetReports(name, reports);
  const flags = {
    ...given,
    format: "text",
    report: files,
    title: name,
    planAgain: planAgain(name, given, host),
    // Of a fleet, it says how many targets run at the same time.
    parallelism: undefined,
    endpoint: target.endpoint,
    state: fromFleetAddress(fleet, target.state),
    ...definedFields({ account }),
  } as const;
  const paths = target.roster.map((path) => fromFleet(fleet, path));
  const ended = await finished(() => commands[command](paths, flags, host));
  const ran = { exit_code: ended.exitCode, started_at: startedAt, finished_at: isoTime(host.clock) };
  const service = withoutCredentials(target.endpoint);
  return { name, service, ...ran, ...countsOf(ended), reports: files.map(({ shown }) => shown) };
}

const commands = { plan, drift, apply } as const;

/** A defect that one target meets ends no other. */
async function finished(run: () => Promise<FinishedCommand>): Promise<FinishedCommand> {
  try {
    return await run();
  } catch (error) {
    const message = `a defect of roster ended the command: ${error instanceof Error ? error.message : String(error)}`;
    const stop = stopError("failed", "internal", message);
    return { result: { command: "fleet", tells: "success-only", diagnostics: [], stop }, exitCode: 1 };
  }
}

function countsOf({
  result,
  exitCode,
}: FinishedCommand): Pick<TargetOutcome, "status" | "privileged_gains" | "changes" | "problems" | "done" | "error"> {
  const { drift, run } = result;
  const counts = remainingOf(result);
  const status = statusOf(exitCode, counts);
  const told = drift === undefined ? counts : remainingExceptGains(drift);
  return {
    status,
    privileged_gains: drift === undefined ? 0 : countDrift(drift).privilegedGains,
    ...told,
    done: run === undefined ? 0 : countOutcomes(run).succeeded,
    ...definedFields({ error: status === "failed" ? errorOf(result) : undefined }),
  };
}

function remainingOf({ drift, plan, run }: CommandResult): { readonly changes: number; readonly problems: number } {
  if (drift !== undefined) {
    const { changes, blocking } = countDrift(drift);
    return { changes, problems: blocking };
  }
  const findings = [...(plan?.findings ?? []), ...(run?.findings ?? [])];
  const changes = run === undefined ? (plan?.actions.length ?? 0) : 0;
  return { changes, problems: findings.filter(isOpenProblem).length };
}

function errorOf({ stop, diagnostics, run }: CommandResult): TargetOutcome["error"] {
  const faults = [...diagnostics, ...(stop?.diagnostics ?? [])].filter(({ severity }) => severity === "error");
  const [fault] = stop?.problem === undefined ? faults : [stop.problem];
  if (fault !== undefined) return { code: fault.code, message: fault.message };
  const outcomes = run === undefined ? [] : [...run.outcomes.values()];
  const [failure] = outcomes.flatMap((one) => (one.is === "failed" || one.is === "unknown" ? [one.failure] : []));
  return failure === undefined ? undefined : { code: failure.code, message: failure.message };
}

export function fromFleetAddress(fleet: Fleet, address: string): string {
  return address.startsWith("file:") ? `file:${fromFleet(fleet, address.slice("file:".length))}` : address;
}

function withoutCredentials(address: string): string {
  return address.replace(/(?<=:\/\/)[^/?#]*@/u, "");
}

/** What each target has of its own, so that nothing of the fleet's environment stands in for it. */
const notInherited: readonly string[] = [
  "ROSTER_ENDPOINT",
  "ROSTER_API_KEY",
  "ROSTER_API_KEY_FILE",
  "ROSTER_STATE",
  "ROSTER_ACCOUNT",
  // A step has one summary, and one output of each name.
  "GITHUB_STEP_SUMMARY",
  "GITHUB_OUTPUT",
];

/** The environment without what is a target's own, and without every key. */
function environmentForTargets({ all }: Pick<Fleet, "all">, { env }: Host): Host["env"] {
  const keys = new Set(all.flatMap(({ key }) => (key.from === "env" ? [key.name] : [])));
  const isLeftOut = (name: string) =>
    notInherited.includes(name) || name.startsWith(keyVariablePrefix) || keys.has(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isLeftOut(name)));
}

const silent: Output = { write: () => undefined, isTerminal: false, hasColours: false };

/** Where the key of a target comes from. Nothing is read or run yet. */
function keySourceOf({ name, key }: Target, fleet: Fleet, { env, cwd }: Host): KeySource {
  switch (key.from) {
    case "env": {
      const text = env[key.name] ?? "";
      if (text !== "") return { name: key.name, ask: async () => text };
      throw invalidSetting("no-key", `The key of ${name} is in ${key.name}, which is not set.`, `Set ${key.name}.`);
    }
    case "file":
      return keyInFile(fromFleet(fleet, key.path), cwd);
    case "command":
      return keyOfCommand(key.words, resolve(cwd, fleet.directory));
  }
}

export function untrustedKeyVariables({
  insideCheckout,
  targets,
}: Pick<Fleet, "insideCheckout" | "targets">): readonly Diagnostic[] {
  return targets.flatMap(({ name, key, keyAt }) => {
    if (!insideCheckout || key.from !== "env" || key.name.startsWith(keyVariablePrefix)) return [];
    const message = `The key of ${name} is in ${key.name}, but the fleet file is in a checkout.`;
    const hint = `Use a name that begins with ${keyVariablePrefix}, or keep the fleet file outside the checkout.`;
    return [{ code: "untrusted", severity: "error", message, hint, place: keyAt.place } as const];
  });
}
