import type { Static } from "../model/declare.ts";
import type { summaryPart } from "./fleet-summary.ts";

/** What became of one target. Nothing else is kept of a target that has ended. */
export interface TargetOutcome {
  readonly name: string;
  /** The address of its service, without credentials. */
  readonly service: string;
  readonly status: TargetStatus;
  /** Absent where it was not started. */
  readonly ran?: {
    readonly exitCode: number;
    readonly startedAt: string;
    readonly finishedAt: string;
  };
  /** Keys with a privileged role that the roster does not give. */
  readonly privilegedGains: number;
  /** Changes that an apply can make, besides privileged gains. */
  readonly changes: number;
  /** Tasks that are left for a person, besides privileged gains. */
  readonly problems: number;
  /** Calls of an apply that were done. */
  readonly done: number;
  /** Why it failed. */
  readonly error?: { readonly code: string; readonly message: string } | undefined;
  /** Its report files, from the directory of the reports. */
  readonly reports: readonly string[];
}

/** The first that applies, in the order in which a summary lists targets. */
export const targetStatuses = ["failed", "not-started", "changes", "problems", "clean"] as const;

export type TargetStatus = (typeof targetStatuses)[number];

/** What a fleet came to, of all its targets or of one shard of them. */
export interface FleetSummary {
  readonly command: FleetCommand;
  /** The fleet file. */
  readonly file: string;
  /** How many targets were selected, in all shards together. */
  readonly selected: number;
  readonly shard?: Shard;
  /** When the last target had ended. */
  readonly finishedAt?: string;
  readonly targets: readonly TargetOutcome[];
  /** Shards of which there is no summary, where several were joined. */
  readonly missing?: readonly Shard[];
}

export type FleetCommand = "plan" | "drift" | "apply";

/** One of so many parts of a fleet. The first has the number 1. */
export interface Shard {
  readonly number: number;
  readonly of: number;
}

/** As `--report json=DIR` writes it, and as `roster fleet summarize` reads it. */
export function encodeSummary(summary: FleetSummary): SummaryPart {
  const { command, file, selected, shard, finishedAt, missing, targets } = summary;
  const { failed, "not-started": not_started, ...others } = countStatuses(targets);
  return {
    did: command,
    file,
    selected,
    ...(shard && { shard }),
    ...(finishedAt !== undefined && { finished_at: finishedAt }),
    ...(missing && { missing_shards: missing }),
    privileged_gains: countGains(targets),
    counts: { failed, not_started, ...others },
    targets: targets.map(({ ran, privilegedGains, error, name, service, status, ...rest }) => ({
      name,
      service,
      status,
      ...(ran && { exit_code: ran.exitCode, started_at: ran.startedAt, finished_at: ran.finishedAt }),
      privileged_gains: privilegedGains,
      ...rest,
      ...(error && { error }),
    })),
  };
}

export function decodeSummary({ did, file, selected, shard, finished_at, missing_shards, targets }: SummaryPart) {
  const summary: FleetSummary = {
    command: did,
    file,
    selected,
    ...(shard && { shard }),
    ...(finished_at !== undefined && { finishedAt: finished_at }),
    ...(missing_shards && { missing: missing_shards }),
    targets: targets.map(({ exit_code, started_at = "", finished_at = "", privileged_gains, ...rest }) => ({
      ...rest,
      ...(exit_code !== undefined && { ran: { exitCode: exit_code, startedAt: started_at, finishedAt: finished_at } }),
      privilegedGains: privileged_gains,
    })),
  };
  return summary;
}

type SummaryPart = Static<typeof summaryPart>;

/** Exit codes of a command that has done its work, whatever it found. */
const successes: readonly number[] = [0, 2, 9];

export function statusOf(
  exitCode: number,
  { changes, problems }: Pick<TargetOutcome, "changes" | "problems">,
): TargetStatus {
  if (!successes.includes(exitCode)) return "failed";
  if (changes > 0) return "changes";
  return problems > 0 ? "problems" : "clean";
}

/** What was left out ends the fleet as a run ends that did a part. */
const skipped = 7;

/** The exit codes of which the most severe is the fleet's. */
export function exitCodesOf({ targets, missing = [] }: Pick<FleetSummary, "targets" | "missing">): readonly number[] {
  const codes = targets.map(({ ran }) => ran?.exitCode ?? skipped);
  return [...new Set(missing.length === 0 ? codes : [...codes, skipped])];
}

/** What matters first: privileged gains, then failures, then the rest; each in the order of the fleet. */
export function mostUrgentFirst(targets: readonly TargetOutcome[]): readonly TargetOutcome[] {
  const rank = ({ status }: TargetOutcome) => targetStatuses.indexOf(status);
  return targets.toSorted((a, b) => b.privilegedGains - a.privilegedGains || rank(a) - rank(b));
}

/** How many targets came to each status. */
export function countStatuses(targets: readonly TargetOutcome[]): Readonly<Record<TargetStatus, number>> {
  const counts = { failed: 0, "not-started": 0, changes: 0, problems: 0, clean: 0 };
  for (const { status } of targets) counts[status] += 1;
  return counts;
}

export function countGains(targets: readonly TargetOutcome[]): number {
  return targets.reduce((sum, { privilegedGains }) => sum + privilegedGains, 0);
}

/** One summary of several. Of a target that is in several of them, the last run counts. */
export function joinSummaries([first, ...others]: readonly [FleetSummary, ...FleetSummary[]]): FleetSummary {
  const all = [first, ...others];
  const outcomes = new Map<string, TargetOutcome>();
  for (const outcome of all.flatMap(({ targets }) => targets)) {
    const known = outcomes.get(outcome.name);
    if (known === undefined || lastRun(known) < lastRun(outcome)) outcomes.set(outcome.name, outcome);
  }
  const targets = [...outcomes.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const missing = missingShards(all.flatMap(({ shard }) => shard ?? []));
  const { command, file } = first;
  const finishedAt = all
    .flatMap((one) => one.finishedAt ?? [])
    .sort()
    .at(-1);
  const selected = Math.max(targets.length, ...all.map((one) => one.selected));
  return {
    command,
    file,
    selected,
    ...(finishedAt === undefined ? {} : { finishedAt }),
    targets,
    ...(missing.length === 0 ? {} : { missing }),
  };
}

/** Times are written so that their order is that of their texts. */
function lastRun({ ran }: TargetOutcome): string {
  return ran?.finishedAt ?? "";
}

function missingShards(shards: readonly Shard[]): readonly Shard[] {
  return [...new Set(shards.map(({ of }) => of))].flatMap((of) => {
    const there = new Set(shards.flatMap((shard) => (shard.of === of ? [shard.number] : [])));
    return Array.from({ length: of }, (_, index) => ({ number: index + 1, of })).filter(
      ({ number }) => !there.has(number),
    );
  });
}
