import type { Diagnostic } from "../model/diagnostic.ts";
import type { SourceText } from "./source-text.ts";
import { type DiagnosticDetail, errorAt, rangeBetween } from "./spot.ts";

const maxConflicts = 100;

/** Where a merge has left both sides in a text, at the first line of each conflict; all else that is wrong with it follows from that. */
export function mergeConflicts(source: SourceText): readonly Diagnostic[] {
  const lastEnd = source.text.lastIndexOf("\n>>>>>>> ");
  const begun = [...source.text.slice(0, lastEnd + 1).matchAll(/^<{7} [^\r\n]*/gmu)].slice(0, maxConflicts);
  return begun.map((found) =>
    errorAt(rangeBetween(source, found.index, found.index + found[0].length), conflictDetail),
  );
}

const conflictDetail: DiagnosticDetail = {
  code: "yaml-merge-conflict",
  message: "A merge has left both sides here.",
  hint: "Keep the lines that are meant, mostly those of both sides, and take out the lines that git wrote.",
};
