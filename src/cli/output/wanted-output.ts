import { normalize } from "node:path";
import { problem, type Result, success } from "../../model/result.ts";
import { closestMatch } from "../../model/similarity.ts";
import { type FormatName, formatsOf } from "../../report/formats.ts";
import type { CommandOutcome } from "../../report/outcome.ts";
import type { OutputFlags, Report } from "./output-flags.ts";

type CommandName = CommandOutcome["command"];

/** How a command line that was not understood wants to be answered, as far as that can be understood. */
export function outputFlagsIn(argv: readonly string[], command: CommandName): OutputFlags {
  const known = formatsOf(command);
  const said = flagValuesIn("--format", argv).at(-1);
  const format = known.find((name) => name === said) ?? "text";
  const report: Report[] = [];
  for (const value of flagValuesIn("--report", argv)) {
    const read = readReport(value, known, report);
    if (read.ok) report.push(read.value);
  }
  const title = flagValuesIn("--title", argv).at(-1);
  return { format, report, ...(title === undefined ? {} : { title }) };
}

/** `FORMAT=FILE`, of the formats that are known here and beside the reports that were named before; else why it is refused. */
export function readReport(
  value: string,
  known: readonly FormatName[],
  before: readonly Report[],
): Result<Report, string> {
  const at = value.indexOf("=");
  const format = known.find((name) => name === value.slice(0, at));
  const file = value.slice(at + 1);
  if (format === undefined || file === "" || file === "-") {
    const meant = at < 0 || format !== undefined ? undefined : closestMatch(value.slice(0, at), known);
    const perhaps = meant === undefined ? "" : `Did you mean ${meant}=${file}? `;
    return problem(`${perhaps}Write FORMAT=FILE; formats are ${known.join(", ")}.`);
  }
  if (hasRosterName(file)) return problem("Such a name is that of a roster file.");
  const isTaken = before.some((one) => normalize(one.file) === normalize(file));
  return isTaken ? problem(`${file} is named for another report.`) : success({ format, file });
}

/** Whether a file of this name is read wherever a directory is read for a roster. */
export function hasRosterName(path: string): boolean {
  return /\.ya?ml$/iu.test(path);
}

function flagValuesIn(flag: string, argv: readonly string[]): readonly string[] {
  return argv.flatMap((word, index) => {
    if (word.startsWith(`${flag}=`)) return [word.slice(flag.length + 1)];
    const next = argv[index + 1];
    return word === flag && next !== undefined ? [next] : [];
  });
}
