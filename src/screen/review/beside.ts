import { blankRow, type ScreenRow, type SingleRow, type Size } from "../screen-row.ts";
import { bodyRows, paneColumns } from "./review.ts";

/** Two panes side by side, as high as the body of the screen. */
export function sideBySide(left: readonly SingleRow[], right: readonly SingleRow[], size: Size): readonly ScreenRow[] {
  const { tree } = paneColumns(size);
  return Array.from({ length: bodyRows(size) }, (_, row) => ({
    left: left[row] ?? blankRow,
    leftColumns: tree,
    beside: right[row] ?? blankRow,
  }));
}
