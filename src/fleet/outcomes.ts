import type { Target } from "./fleet-file.ts";
import type { FleetSummary, TargetOutcome } from "./fleet-summary.ts";

export function notStarted({ name, endpoint }: Target): TargetOutcome {
  const service = endpoint.replace(/(?<=:\/\/)[^/?#]*@/u, "");
  return { name, service, status: "not-started", privileged_gains: 0, changes: 0, problems: 0, done: 0, reports: [] };
}

/** Where the exit code says what remains, it says it of privileged gains too. */
export function statusOf(exitCode: number, left: Pick<TargetOutcome, "changes" | "problems">): TargetOutcome["status"] {
  if (![0, 2, 9].includes(exitCode)) return "failed";
  if (exitCode === 2 || left.changes > 0) return "changes";
  return exitCode === 9 || left.problems > 0 ? "problems" : "clean";
}

export function summaryOf(summary: Omit<FleetSummary, "counts" | "privileged_gains">): FleetSummary {
  const counts = { failed: 0, "not-started": 0, changes: 0, problems: 0, clean: 0 };
  for (const { status } of summary.targets) counts[status] += 1;
  const privileged_gains = summary.targets.reduce((sum, target) => sum + target.privileged_gains, 0);
  return { ...summary, privileged_gains, counts };
}

/** Privileged gains, then failures, then the rest; each in the order of the fleet. */
export function mostUrgentFirst(targets: readonly TargetOutcome[]): readonly TargetOutcome[] {
  const ranks = { failed: 0, "not-started": 1, changes: 2, problems: 3, clean: 4 };
  return targets.toSorted((a, b) => b.privileged_gains - a.privileged_gains || ranks[a.status] - ranks[b.status]);
}
