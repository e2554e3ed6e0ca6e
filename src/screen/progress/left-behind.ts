import type { RunProgress } from "../../journal/progress.ts";
import type { ReadStep } from "../../ports/progress.ts";
import { padTo } from "../../report/text/columns.ts";
import { type Line, prose, row } from "../../report/text/lines.ts";
import { formatCount } from "../../report/words.ts";
import { formatElapsed, formatRate, formatStageStatus, stageLabels } from "./words.ts";

/** What a run leaves where it was shown: plain lines, whatever its screen was. */
export function runExitSummary({ stages, elapsed, rate, pauses }: RunProgress): readonly Line[] {
  const total = stages.reduce((sum, stage) => sum + stage.total, 0);
  const done = stages.reduce((sum, stage) => sum + stage.done, 0);
  // Of what took less than a second, a speed says nothing.
  const speed = rate === undefined || done === 0 || elapsed < 1000 ? "" : `, ${formatRate((done / elapsed) * 1000)}`;
  return [
    ...stages.map((stage) => {
      const standing = formatStageStatus(stage);
      const rest = standing === "" ? "" : `, ${standing}`;
      return row(0, [`${padTo(stageLabels[stage.stage], 15)}${stage.done} of ${stage.total}${rest}`]);
    }),
    row(0, [`${done} of ${formatCount(total, "action")} in ${formatElapsed(elapsed)}${speed}`]),
    ...pauses.map(({ why, times }) => prose(0, `waited ${formatCount(times, "time")}: ${why}`)),
  ];
}

/** What a long read leaves where it was shown. */
export function readingExitSummary(steps: readonly ReadStep[], elapsed: number): readonly Line[] {
  const parts = steps.flatMap(({ what, done }) => (done === 0 ? [] : [`${done} ${what}`]));
  return [prose(0, `Read for ${formatElapsed(elapsed)}: ${parts.join(", ")}`, "dim")];
}
