import type { Diagnostic } from "../model/diagnostic.ts";
import type { Place } from "../model/place.ts";
import type { Spot } from "../yaml/node.ts";
import { errorAt } from "../yaml/spot.ts";
import type { RosterFaultCode } from "./fault-code.ts";
import { nearest } from "./nearest.ts";

/** Collects what is wrong with a roster. Keeps the first thousand errors and warnings each, and counts the rest. */
export interface Complaints {
  error(at: Spot, code: RosterFaultCode, message: string, hint?: string): void;
  /** Something to mend that does not make the roster invalid. */
  warning(at: Spot, code: RosterFaultCode, message: string, hint: string): void;
  /** An error about a line that holds a secret: no error shows that line. */
  errorAboutSecret(at: Spot, code: RosterFaultCode, message: string, hint: string): void;
  /** "Did you mean …", where a name is near. Only for the first few unknown names: each costs a look at every candidate. */
  didYouMean(name: string, candidates: Iterable<string>): string | undefined;
  /** How many errors there are, those included that are not kept. */
  readonly count: number;
  /** In the order of the files, then of the places in them. */
  diagnostics(files: readonly string[]): readonly Diagnostic[];
}

const mostShown = 1000;
const mostSuggestions = 50;

/** `tells`: which faults are kept and counted among those left out; every one unless given. */
export function complaints(tells: (code: RosterFaultCode) => boolean = () => true): Complaints {
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
      if (told > mostShown) return;
      shown.push(errorAt(at, { code, message, ...(hint === undefined ? {} : { hint }) }));
    },
    warning(at, code, message, hint) {
      if (!tells(code)) return;
      warnings += 1;
      if (warnings <= mostShown) shown.push({ ...errorAt(at, { code, message, hint }), severity: "warning" });
    },
    errorAboutSecret(at, code, message, hint) {
      secretLines.add(lineOf(at.place));
      this.error(at, code, message, hint);
    },
    didYouMean(name, candidates) {
      suggestions += 1;
      const near = suggestions > mostSuggestions ? undefined : nearest(name, candidates);
      return near === undefined ? undefined : `Did you mean \`${near}\`?`;
    },
    get count() {
      return count;
    },
    diagnostics(files) {
      const rank = new Map(files.map((file, index) => [file, index]));
      const sorted = shown.map((fault) => withoutSecret(fault, secretLines)).toSorted((a, b) => byPlace(rank, a, b));
      return [...sorted, ...untold("error", told), ...untold("warning", warnings)];
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

function untold(severity: Diagnostic["severity"], count: number): readonly Diagnostic[] {
  if (count <= mostShown) return [];
  const code: RosterFaultCode = severity === "error" ? "more-errors" : "more-warnings";
  const more = count - mostShown;
  const message = `The roster has ${more} more ${more === 1 ? severity : `${severity}s`}.`;
  return [{ code, severity, message, hint: "Mend the first ones." }];
}
