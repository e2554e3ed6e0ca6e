import type { Diagnostic } from "../model/diagnostic.ts";
import type { SourceRange } from "./node.ts";
import type { SourceText } from "./source-text.ts";
import { type DiagnosticDetail, errorAt, rangeBetween } from "./spot.ts";

const maxDiagnostics = 100;

/** What a text's parsing has found wrong so far. Keeps the first hundred faults and counts the rest. */
export interface YamlDiagnostics {
  /** A fault of the grammar: one of them in a line is told, since the others mostly follow from it. */
  addSyntax(start: number, end: number, fault: DiagnosticDetail): void;
  /** A fault with a meaning of its own. */
  add(start: number, end: number, fault: DiagnosticDetail, effect: "harmless" | "spoils-content"): void;
  /** The same, at a node. */
  addAt(spot: SourceRange, fault: DiagnosticDetail): void;
  /** A fault after which nothing more is parsed; it alone is told. */
  stop(offset: number, fault: DiagnosticDetail): void;
  readonly isStopped: boolean;
  /** True where the document cannot be taken for what it seems to say. */
  readonly spoilsContent: boolean;
  /** In the order of the text. */
  diagnostics(): readonly Diagnostic[];
}

export function yamlDiagnostics(source: SourceText): YamlDiagnostics {
  const entries: Diagnostic[] = [];
  const faultyLines = new Set<number>();
  let untold = 0;
  let spoilt = false;
  let stopped: Diagnostic | undefined;
  const addAt = (spot: SourceRange, fault: DiagnosticDetail) => {
    if (entries.length >= maxDiagnostics) untold += 1;
    else entries.push(errorAt(spot, fault));
  };
  return {
    addSyntax(start, end, fault) {
      spoilt = true;
      const { line } = source.placeAt(start);
      if (faultyLines.has(line)) return;
      faultyLines.add(line);
      addAt(rangeBetween(source, start, end), fault);
    },
    add(start, end, fault, effect) {
      if (effect === "spoils-content") spoilt = true;
      addAt(rangeBetween(source, start, end), fault);
    },
    addAt,
    stop(offset, fault) {
      stopped ??= errorAt(rangeBetween(source, offset, offset + 1), fault);
    },
    get isStopped() {
      return stopped !== undefined;
    },
    get spoilsContent() {
      return spoilt || stopped !== undefined;
    },
    diagnostics() {
      if (stopped !== undefined) return [stopped];
      const told = entries.toSorted(byPlace);
      return untold === 0 ? told : [...told, moreErrors(source.file, untold)];
    },
  };
}

function byPlace(a: Diagnostic, b: Diagnostic): number {
  if (a.place === undefined || b.place === undefined) return 0;
  return a.place.line - b.place.line || a.place.column - b.place.column;
}

function moreErrors(file: string, untold: number): Diagnostic {
  return {
    code: "yaml-more-errors",
    severity: "error",
    message: `${file} has ${untold} more errors like these.`,
    hint: "Mend the first ones: the others often follow from them.",
  };
}
