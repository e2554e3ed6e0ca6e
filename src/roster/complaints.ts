import type { Diagnostic } from "../model/diagnostic.ts";
import type { Place } from "../model/place.ts";
import type { SourceRange } from "../yaml/node.ts";
import { errorAt } from "../yaml/spot.ts";
import type { RosterDiagnosticCode } from "./fault-code.ts";
import { closestMatch } from "./nearest.ts";

/** Collects what is wrong with a roster. Keeps the first thousand errors and warnings each, and counts the rest. */
export interface DiagnosticsCollector {
  error(at: SourceRange, code: RosterDiagnosticCode, message: string, hint?: string): void;
  /** Something to mend that does not make the roster invalid. */
  warning(at: SourceRange, code: RosterDiagnosticCode, message: string, hint: string): void;
  /** An error about a line that holds a secret: no error shows that line. */
  errorAboutSecret(at: SourceRange, code: RosterDiagnosticCode, message: string, hint: string): void;
  /** "Did you mean …", where a name is near. Only for the first few unknown names: each costs a look at every candidate. */
  didYouMean(name: string, candidates: Iterable<string>): string | undefined;
  /** How many errors there are, those included that are not kept. */
  readonly count: number;
  /** In the order of the files, then of the places in them. */
  diagnostics(files: readonly string[]): readonly Diagnostic[];
}

const maxDiagnostics = 1000;
const maxSuggestions = 50;

/** `tells`: which faults are kept and counted among those left out; every one unless given. */
export function collectDiagnostics(tells: (code: RosterDiagnosticCode) => boolean = () => true): DiagnosticsCollector {
  const shown: Diagnostic[] = [];
  let count = 0;
  let told = 0;
  let warnings = 0;
  let suggestions = 0;
  const secretLines = new Set<string>();
  return {
    error(at, code, message, hint) {
      count += 1;
      if (!tells(code)) return;
      told += 1;
      if (told > maxDiagnostics) return;
      shown.push(errorAt(at, { code, message, ...(hint === undefined ? {} : { hint }) }));
    },
    warning(at, code, message, hint) {
      if (!tells(code)) return;
      warnings += 1;
      if (warnings <= maxDiagnostics) shown.push({ ...errorAt(at, { code, message, hint }), severity: "warning" });
    },
    errorAboutSecret(at, code, message, hint) {
      secretLines.add(lineOf(at.place));
      this.error(at, code, message, hint);
    },
    didYouMean(name, candidates) {
      suggestions += 1;
      const near = suggestions > maxSuggestions ? undefined : closestMatch(name, candidates);
      return near === undefined ? undefined : `Did you mean \`${near}\`?`;
    },
    get count() {
      return count;
    },
    diagnostics(files) {
      const rank = new Map(files.map((file, index) => [file, index]));
      const sorted = shown.map((fault) => withoutSecret(fault, secretLines)).toSorted((a, b) => byPlace(rank, a, b));
      return [...sorted, ...omittedCount("error", told), ...omittedCount("warning", warnings)];
    },
  };
}

function lineOf({ file, line }: Place): string {
  return `${file}:${line}`;
}

function withoutSecret(fault: Diagnostic, secretLines: ReadonlySet<string>): Diagnostic {
  if (fault.place === undefined || !secretLines.has(lineOf(fault.place))) return fault;
  const { excerpt: _, ...rest } = fault;
  return rest;
}

function byPlace(rank: ReadonlyMap<string, number>, { place: a }: Diagnostic, { place: b }: Diagnostic): number {
  if (a === undefined || b === undefined) return 0;
  return (rank.get(a.file) ?? 0) - (rank.get(b.file) ?? 0) || a.line - b.line || a.column - b.column;
}

function omittedCount(severity: Diagnostic["severity"], count: number): readonly Diagnostic[] {
  if (count <= maxDiagnostics) return [];
  const code: RosterDiagnosticCode = severity === "error" ? "more-errors" : "more-warnings";
  const more = count - maxDiagnostics;
  const message = `The roster has ${more} more ${more === 1 ? severity : `${severity}s`}.`;
  return [{ code, severity, message, hint: "Mend the first ones." }];
}
