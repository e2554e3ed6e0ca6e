import type { Place } from "../model/fact.ts";
import type { Diagnostic } from "../model/result.ts";

/** A located part of a YAML document. User-chosen names are only ever the text of a key, never a property of an object. */
export type Node = ScalarNode | ListNode | MapNode;

/** Where something stands, and how many columns of its first line it covers: at least one. */
export interface SourceRange {
  readonly source: SourceText;
  readonly place: Place;
  readonly length: number;
}

export interface ScalarNode extends SourceRange {
  readonly kind: "scalar";
  readonly type: ScalarType;
  /** The value of a string; anything else as it is written, so that `012` and big numbers lose nothing. */
  readonly text: string;
}

/** What YAML 1.2 makes of a scalar. Everything quoted is a string; so are `yes`, `no`, `on`, `off` and dates. */
export type ScalarType = "string" | "number" | "boolean" | "null";

interface ListNode extends SourceRange {
  readonly kind: "list";
  readonly items: readonly Node[];
}

export interface MapNode extends SourceRange {
  readonly kind: "map";
  /** In the order of the file; no two keys have one text. */
  readonly entries: readonly MapEntry[];
}

export interface MapEntry {
  readonly key: ScalarNode;
  readonly value: Node;
}

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

/** The text of one file, which tells places and lines without scanning it again, however long its lines are. */
export interface SourceText {
  readonly file: string;
  readonly text: string;
  /** The place of an offset in the text. */
  placeAt(offset: number): Place;
  /** A line, counted from 1, without its line break. */
  lineAt(line: number): string;
  /** The offset at which a line, counted from 1, ends. */
  lineEnd(line: number): number;
}

export function sourceText(file: string, text: string): SourceText {
  const starts = lineStarts(text);
  const startOf = (line: number): number => starts[line - 1] ?? text.length;
  const endOf = (line: number): number => {
    const next = starts[line];
    if (next === undefined) return text.length;
    return text[next - 2] === "\r" ? next - 2 : next - 1;
  };
  return {
    file,
    text,
    placeAt(offset) {
      const line = lineOf(starts, offset);
      return { file, line, column: offset - startOf(line) + 1 };
    },
    lineAt: (line) => text.slice(startOf(line), endOf(line)),
    lineEnd: endOf,
  };
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** The last line, counted from 1, that starts at or before the offset. */
function lineOf(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}
