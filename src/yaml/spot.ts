import type { Diagnostic } from "../model/diagnostic.ts";
import type { SourceRange } from "./node.ts";
import type { SourceText } from "./source-text.ts";

/** What is wrong, without its place. */
export interface DiagnosticDetail {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** A longer line is not shown beside an error. */
const maxExcerptLength = 1000;

/** The spot from one offset to another, cut at the end of its first line. */
export function rangeBetween(source: SourceText, start: number, end: number): SourceRange {
  const place = source.placeAt(start);
  const stop = Math.min(end, source.lineEnd(place.line));
  return { source, place, length: Math.max(1, stop - start) };
}

/** An error with its place, its line and its length. */
export function errorAt(spot: SourceRange, fault: DiagnosticDetail): Diagnostic {
  const line = spot.source.lineAt(spot.place.line);
  return {
    code: fault.code,
    severity: "error",
    message: fault.message,
    ...(fault.hint === undefined ? {} : { hint: fault.hint }),
    place: spot.place,
    ...(line.length > maxExcerptLength ? {} : { excerpt: { line, length: spot.length } }),
  };
}
