import { formatCount } from "../codes/message.ts";
import type { RunProgress, StageName, StageProgress } from "../log/summary.ts";
import type { ReadStep } from "../ports/operator.ts";
import { formatTallies } from "../report/document/names.ts";
import { inked, type Line, line } from "../report/document/tree.ts";

/** How long a run took: its result says what it did. */
export function runExitSummary({ stages, elapsed, rate, pauses }: RunProgress): readonly Line[] {
  const total = stages.reduce((sum, stage) => sum + stage.total, 0);
  const done = stages.reduce((sum, stage) => sum + stage.done, 0);
  // Less than a second says nothing about speed.
  const speed = rate === undefined || done === 0 || elapsed < 1000 ? "" : `, ${formatRate((done / elapsed) * 1000)}`;
  return [
    line(0, [`${done} of ${formatCount(total, "action")} in ${formatElapsed(elapsed)}${speed}`]),
    ...pauses.map(({ why, times }) => line(0, [`waited ${formatCount(times, "time")}: ${why}`])),
  ];
}

export function readingExitSummary(steps: readonly ReadStep[], elapsed: number): readonly Line[] {
  const parts = formatTallies(...steps.map(({ what, done }) => [done, what] as const));
  return [line(0, [inked("dim", `Read for ${formatElapsed(elapsed)}: ${parts.join(", ")}`)])];
}

export const stageLabels: Readonly<Record<StageName, string>> = {
  found: "new teams",
  create: "create users",
  add: "add members",
  replace: "replace roles",
};

/** `2 running, 15 waiting, 1 failed`, without counts that are 0. */
export function formatStageStatus({ running, waiting, failed, unknown, leftOut }: StageProgress): string {
  const tallies = formatTallies(
    [running, "running"],
    [waiting, "waiting"],
    [failed, "failed"],
    [unknown, "unknown"],
    [leftOut, "skipped"],
  );
  return tallies.join(", ");
}

/** `8 s`, `2 min 05 s`, `1 h 02 min`. */
export function formatElapsed(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${twoDigits(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${twoDigits(minutes % 60)} min`;
}

/** `5.2 per second`, or per minute where that says more. */
export function formatRate(perSecond: number): string {
  if (perSecond >= 1) return `${perSecond.toFixed(1)} per second`;
  return `${(perSecond * 60).toFixed(1)} per minute`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, "0");
}
