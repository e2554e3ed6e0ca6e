import type { FleetSummary, TargetOutcome, TargetStatus } from "./fleet-summary.ts";

/** The first that applies, in the order in which a summary lists targets. */
const targetStatuses: readonly TargetStatus[] = ["failed", "not-started", "changes", "problems", "clean"];

/** A summary, with what its targets add up to. */
export function summaryOf(summary: Omit<FleetSummary, "counts" | "privileged_gains">): FleetSummary {
  const counts = { failed: 0, "not-started": 0, changes: 0, problems: 0, clean: 0 };
  for (const { status } of summary.targets) counts[status] += 1;
  const privileged_gains = summary.targets.reduce((sum, target) => sum + target.privileged_gains, 0);
  return { ...summary, privileged_gains, counts };
}

/** Where the exit code says what remains, it says it of privileged gains too. */
export function statusOf(
  exitCode: number,
  { changes, problems }: Pick<TargetOutcome, "changes" | "problems">,
): TargetStatus {
  if (![0, 2, 9].includes(exitCode)) return "failed";
  if (exitCode === 2 || changes > 0) return "changes";
  return exitCode === 9 || problems > 0 ? "problems" : "clean";
}

/** The exit codes of which the most severe is the fleet's. What was left out ends it as a run that did a part. */
export function exitCodesOf({ targets }: Pick<FleetSummary, "targets">): readonly number[] {
  return [...new Set(targets.map(({ exit_code }) => exit_code ?? 7))];
}

/** What matters first: privileged gains, then failures, then the rest; each in the order of the fleet. */
export function mostUrgentFirst(targets: readonly TargetOutcome[]): readonly TargetOutcome[] {
  const rank = ({ status }: TargetOutcome) => targetStatuses.indexOf(status);
  return targets.toSorted((a, b) => b.privileged_gains - a.privileged_gains || rank(a) - rank(b));
}
