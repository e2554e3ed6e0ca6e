import type { Place } from "../../model/fact.ts";
import type { Diagnostic } from "../../model/result.ts";
import { safe } from "../safe.ts";
import { displayWidth } from "./columns.ts";
import { type Line, row } from "./lines.ts";

const maxExcerptWidth = 110;
const maxExcerptLead = 60;

/** The source line and, beneath the fault, a row of carets. */
export function excerptLines(place: Place, excerpt: NonNullable<Diagnostic["excerpt"]>): readonly Line[] {
  const cut = excerptAround(excerpt.line.replaceAll("\t", " "), place.column - 1);
  const fault = cut.text.slice(cut.offset, cut.offset + excerpt.length);
  const gutter = `${place.line}`;
  const carets = "^".repeat(Math.max(1, displayWidth(safe(fault))));
  const before = " ".repeat(displayWidth(safe(cut.text.slice(0, cut.offset))));
  return [
    row(2, [{ ink: "dim", text: `${gutter} | ` }, cut.text]),
    row(2, [{ ink: "dim", text: `${" ".repeat(gutter.length)} | ` }, before, { ink: "alarm", text: carets }]),
  ];
}

/** The part of a long line that holds the fault. */
function excerptAround(line: string, offset: number): { readonly text: string; readonly offset: number } {
  if (line.length <= maxExcerptWidth) return { text: line, offset: Math.min(Math.max(0, offset), line.length) };
  const start = Math.max(0, Math.min(offset - maxExcerptLead, line.length - maxExcerptWidth));
  const head = start === 0 ? "" : "…";
  const tail = start + maxExcerptWidth < line.length ? "…" : "";
  const text = `${head}${line.slice(start, start + maxExcerptWidth)}${tail}`;
  return { text, offset: Math.min(offset - start + head.length, text.length) };
}
