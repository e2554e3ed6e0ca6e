import { safe } from "./safe.ts";
import { displayWidth, padTo } from "./text/columns.ts";
import { type Line, row } from "./text/lines.ts";

/** Rows of equally many cells under a dim head, their columns aligned. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly Line[] {
  const cells = rows.map((texts) => texts.map(safe));
  const widths = head.map((title, column) =>
    cells.reduce((width, texts) => Math.max(width, displayWidth(texts[column] ?? "")), displayWidth(title)),
  );
  const line = (texts: readonly string[]) =>
    texts
      .map((text, column) => padTo(text, widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return [row(2, [{ ink: "dim", text: line(head) }]), ...cells.map((texts) => row(2, [line(texts)]))];
}
