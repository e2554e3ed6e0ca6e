import type { ReadStep } from "../../ports/progress.ts";
import { padTo } from "../../report/text/columns.ts";
import { blankRow, type ScreenRow, type SingleRow, type Size, screenRow } from "../screen-row.ts";
import { progressBar } from "./bar.ts";
import { formatElapsed } from "./words.ts";

/** The whole screen of a long read: how far each of its parts is. */
export function viewReading(
  { steps, elapsed }: { readonly steps: readonly ReadStep[]; readonly elapsed: number },
  size: Size,
): readonly ScreenRow[] {
  const rows = steps.slice(0, Math.max(0, size.rows - 3)).map((step) => stepRow(step, size));
  const space = Array.from({ length: Math.max(0, size.rows - rows.length - 3) }, () => blankRow);
  const head = { ...screenRow([" Reading the service"], `${formatElapsed(elapsed)} `), marked: true } as const;
  const foot = { ...screenRow([" Ctrl-C: stop; nothing was changed"]), marked: true } as const;
  return [head, blankRow, ...rows, ...space, foot].slice(0, size.rows);
}

function stepRow({ what, done, of }: ReadStep, { columns }: Size): SingleRow {
  const name = ` ${padTo(what, 24)} `;
  if (of === undefined) return screenRow(done === 0 ? [name] : [name, `${done}`]);
  return screenRow([name, ...progressBar({ done, total: of }, Math.min(40, columns - 46)), ` ${done} of ${of}`]);
}
