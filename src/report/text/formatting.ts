import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import type { JsonObject } from "../../codec/mapping.ts";
import type { FormattingReport, Ink, UnformattedFile } from "../outcome.ts";
import { formatCount } from "../phrases.ts";
import { type Line, prose, row } from "./lines.ts";

/** For people: which files, and of a check what would change in them. */
export function formattingLines({ did, files, unformatted }: FormattingReport): readonly Line[] {
  const many = formatCount(files, "file");
  const count = unformatted.length;
  if (count === 0) return [prose(0, `${many}: formatted.`)];
  if (did === "wrote") {
    return [prose(0, `Formatted ${count} of ${many}:`), ...unformatted.map(({ file }) => row(2, [file]))];
  }
  const verdict = `${count} of ${many} ${count === 1 ? "is" : "are"} not formatted; \`roster fmt\` does it.`;
  return [...unformatted.flatMap((one) => unifiedDiff(one).split("\n").map(diffLine)), prose(0, verdict)];
}

/** The same, for programs. */
export function formattingPart({ did, files, unformatted }: FormattingReport): JsonObject {
  return { did, files, unformatted: unformatted.map((one) => ({ file: one.file, diff: unifiedDiff(one) })) };
}

/** More changed lines than anybody reads; finding the shortest way to tell them takes the square of their number. */
const maxEdits = 4000;

/** What would change, as a unified diff, without the line break at its end. */
function unifiedDiff({ file, before, after }: UnformattedFile): string {
  const options = { context: 3, maxEditLength: maxEdits, headerOptions: FILE_HEADERS_ONLY };
  const patch = createTwoFilesPatch(`a/${file}`, `b/${file}`, before, after, undefined, undefined, options);
  return patch?.trimEnd() ?? `--- a/${file}\n+++ b/${file}\n(too many lines change to be shown)`;
}

function diffLine(line: string): Line {
  const ink = diffInk(line);
  return row(0, [ink === undefined ? line : { ink, text: line }]);
}

function diffInk(line: string): Ink | undefined {
  if (/^(?:---|\+\+\+) /u.test(line)) return "strong";
  if (line.startsWith("@@")) return "dim";
  if (line.startsWith("+")) return "add";
  return line.startsWith("-") ? "remove" : undefined;
}
