import type { StageName, StageProgress } from "../journal/progress.ts";
import { type ActionOutcome, refusedMembers } from "../journal/summary.ts";
import type { Failure } from "../model/result.ts";
import type { PlanNames } from "../report/plan-summary.ts";
import type { Piece } from "../report/text/lines.ts";

export const stageLabels: Readonly<Record<StageName, string>> = {
  found: "found teams",
  create: "create users",
  add: "add members",
  replace: "replace roles",
};

/** `2 running, 15 waiting, 1 failed`, without what is none. */
export function formatStageStatus({ running, waiting, failed, unknown, leftOut }: StageProgress): string {
  const parts = [
    [running, "running"],
    [waiting, "waiting"],
    [failed, "failed"],
    [unknown, "unknown"],
    [leftOut, "left out"],
  ] as const;
  return parts.flatMap(([count, word]) => (count === 0 ? [] : [`${count} ${word}`])).join(", ");
}

/** Why something did not succeed, in a few words. */
export function formatOutcome(outcome: ActionOutcome, names: PlanNames): string {
  switch (outcome.is) {
    case "succeeded":
      return refusedMembers(outcome)
        .map(({ address, failure }) => `${names.email(address)}: ${formatFailure(failure)}`)
        .join("; ");
    case "failed":
      return formatFailure(outcome.failure);
    case "unknown":
      return `unknown outcome: ${formatFailure(outcome.failure)}`;
    case "skipped":
      return `skipped: ${outcome.why}`;
    case "stale":
      return `stale: ${outcome.why}`;
    case "unneeded":
      return outcome.why;
  }
}

function formatFailure({ message, status }: Failure): string {
  return status === undefined || message.includes(`${status}`) ? message : `${message} (status ${status})`;
}

/** `8 s`, `2 min 05 s`, `1 h 02 min`. */
export function formatElapsed(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${twoDigits(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${twoDigits(minutes % 60)} min`;
}

/** `5.2 per second`, or by the minute where that says more. */
export function formatRate(perSecond: number): string {
  if (perSecond >= 1) return `${perSecond.toFixed(1)} per second`;
  return `${(perSecond * 60).toFixed(1)} per minute`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, "0");
}

/** How much of a whole is done, and how much of it has failed, as a bar of so many columns. */
export function progressBar(
  { done, failed = 0, total }: { readonly done: number; readonly failed?: number; readonly total: number },
  columns: number,
): readonly Piece[] {
  const width = Math.max(0, columns);
  const share = (count: number) => (total === 0 ? 0 : Math.floor((count / total) * width));
  const full = share(done);
  const broken = Math.min(width - full, failed === 0 ? 0 : Math.max(1, share(failed)));
  return [
    { ink: "add", text: "█".repeat(full) },
    { ink: "remove", text: "▓".repeat(broken) },
    { ink: "dim", text: "░".repeat(width - full - broken) },
  ];
}
