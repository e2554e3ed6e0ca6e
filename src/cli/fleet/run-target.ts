import type { Target } from "../../fleet/expand-fleet.ts";
import { type FleetCommand, statusOf, type TargetOutcome } from "../../fleet/outcomes.ts";
import { countOutcomes } from "../../journal/summary.ts";
import { definedFields } from "../../model/role-set.ts";
import { isoTime } from "../../ports/clock.ts";
import { countPrivilegedGains, remainingDrift } from "../../report/drift.ts";
import type { OpenTransport } from "../../service/client.ts";
import { runApply } from "../commands/apply.ts";
import { runDrift } from "../commands/drift.ts";
import { runPlan } from "../commands/plan.ts";
import type { Host } from "../host.ts";
import { type CommandResult, type FinishedCommand, finish } from "../output/finish.ts";
import { type Fleet, fromFleet } from "./read-fleet.ts";
import { type FleetReports, targetReports } from "./reports.ts";
import { keySourceOf, targetHost } from "./target-host.ts";

/** What every target of a fleet runs, and how. */
export interface TargetCommand {
  readonly command: FleetCommand;
  readonly flags: TargetFlags;
  readonly reports: readonly FleetReports[];
}

/** The flags of the command that are the same for every target. */
export interface TargetFlags {
  readonly onlyNew?: boolean;
  readonly record?: boolean;
  readonly unmanaged?: boolean;
  readonly detailedExitcode?: boolean;
  readonly autoApprove?: boolean;
  readonly lockTimeout?: string;
  readonly breakStaleLock?: string;
}

/** Runs the command of one target as if it were run alone, and keeps of it only what a summary needs. Never rejects. */
export async function runTarget(
  target: Target,
  { command, flags: given, reports }: TargetCommand,
  { fleet, host, deadline, ...own }: TargetContext,
): Promise<TargetOutcome> {
  const startedAt = isoTime(host.clock);
  const files = targetReports(target.name, reports);
  const { name, labels, account } = target;
  const flags = {
    ...given,
    format: "text",
    report: files,
    title: name,
    endpoint: target.endpoint,
    state: fromFleetAddress(fleet, target.state),
    ...(target.audit === undefined ? {} : { audit: fromFleetAddress(fleet, target.audit) }),
    ...definedFields({ account, deadline }),
  } as const;
  const paths = target.roster.map((path) => fromFleet(fleet, path));
  const ended = await finished(async () => {
    const source = keySourceOf(target, fleet, host);
    const inside = targetHost(host, { ...own, ...(source.ok ? { keySource: source.value } : {}) });
    if (!source.ok) {
      const result: CommandResult = { command, tells: "success-only", diagnostics: [], stop: source.error };
      return { result, exitCode: await finish(result, flags, inside) };
    }
    return runOf[command](paths, flags, inside);
  });
  const ran = { exitCode: ended.exitCode, startedAt, finishedAt: isoTime(host.clock) };
  const service = withoutCredentials(target.endpoint);
  return { name, labels, service, ran, ...countsOf(ended), reports: files.map(({ shown }) => shown) };
}

/** What every target has in common. */
export interface TargetContext {
  readonly fleet: Fleet;
  readonly host: Host;
  /** The environment without what is a target's own. */
  readonly env: Host["env"];
  readonly openTransport: OpenTransport;
  /** What is left of the time that the fleet was given. */
  readonly deadline?: string;
}

const runOf = { plan: runPlan, drift: runDrift, apply: runApply } as const;

/** A defect that one target meets ends no other. */
async function finished(run: () => Promise<FinishedCommand>): Promise<FinishedCommand | Defect> {
  try {
    return await run();
  } catch (error) {
    const message = `a defect of roster ended the command: ${error instanceof Error ? error.message : String(error)}`;
    return { exitCode: 1, error: { code: "internal", message } };
  }
}

interface Defect {
  readonly exitCode: number;
  readonly error: NonNullable<TargetOutcome["error"]>;
}

function countsOf(
  ended: FinishedCommand | Defect,
): Pick<TargetOutcome, "status" | "privilegedGains" | "changes" | "problems" | "done" | "error"> {
  if ("error" in ended) {
    const { exitCode, error } = ended;
    return { status: statusOf(exitCode, nothing), privilegedGains: 0, ...nothing, done: 0, error };
  }
  const { result, exitCode } = ended;
  const { drift, run } = result;
  const counts = remainingOf(result);
  const status = statusOf(exitCode, counts);
  const error = status === "failed" ? errorOf(result) : undefined;
  return {
    status,
    privilegedGains: drift === undefined ? 0 : countPrivilegedGains(drift),
    ...counts,
    done: run === undefined ? 0 : countOutcomes(run).succeeded,
    ...definedFields({ error }),
  };
}

const nothing = { changes: 0, problems: 0 };

function remainingOf({ drift, plan, run }: CommandResult): typeof nothing {
  if (drift !== undefined) {
    const { changes, blocking } = remainingDrift(drift);
    return { changes, problems: blocking };
  }
  const findings = [...(plan?.findings ?? []), ...(run?.findings ?? [])];
  const changes = run === undefined ? (plan?.actions.length ?? 0) : 0;
  return { changes, problems: findings.filter(({ blocking }) => blocking).length };
}

/** The first of what went wrong. */
function errorOf({ stop, diagnostics, run }: CommandResult): TargetOutcome["error"] {
  const faults = [...diagnostics, ...(stop?.diagnostics ?? [])].filter(({ severity }) => severity === "error");
  const [fault] = stop?.problem === undefined ? faults : [stop.problem];
  if (fault !== undefined) return { code: fault.code, message: fault.message };
  const outcomes = run === undefined ? [] : [...run.outcomes.values()];
  const [failure] = outcomes.flatMap((one) => (one.is === "failed" || one.is === "unknown" ? [one.failure] : []));
  return failure === undefined ? undefined : { code: failure.code, message: failure.message };
}

function fromFleetAddress(fleet: Fleet, address: string): string {
  return address.startsWith("file:") ? `file:${fromFleet(fleet, address.slice("file:".length))}` : address;
}

export function withoutCredentials(address: string): string {
  return address.replace(/(?<=:\/\/)[^/?#]*@/u, "");
}
