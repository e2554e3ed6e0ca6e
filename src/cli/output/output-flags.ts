import { normalize } from "node:path";
import { invalidSetting } from "../../library/error.ts";
import { isWhole } from "../../library/policy.ts";
import { closestMatch } from "../../model/address.ts";
import type { Policy } from "../../model/policy.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { type CommandName, type FormatName, formatsOf } from "../../report/formats.ts";
import type { CommandOutcome, ViewName } from "../../report/outcome.ts";

export interface OutputFlags {
  readonly format: FormatName;
  readonly report?: readonly Report[] | undefined;
  readonly title?: string;
  readonly view?: ViewName;
}

export const printedForPeople: OutputFlags = { format: "text" };

/** Whether people follow what is printed while it is: a log of GitHub is the text, with annotations after it. */
export function isFollowed({ format }: OutputFlags): boolean {
  return format === "text" || format === "github";
}

export function shownAs(
  { view }: Pick<OutputFlags, "view">,
  policy: Pick<Policy, "privilegedRoles" | "include" | "exclude" | "planAgain">,
): Pick<CommandOutcome, "view" | "privilegedRoles" | "selected" | "planAgain"> {
  const { privilegedRoles, planAgain } = policy;
  return { privilegedRoles, view, selected: isWhole(policy) ? undefined : true, planAgain };
}

/** Refuses a view where nobody is shown the text of a plan: nothing that is said is passed over. */
export function refuseUnusedView({ view, format, report = [] }: OutputFlags): void {
  const isText = [format, ...report.map((one) => one.format)].includes("text");
  if (view === undefined || isText) return;
  const message = `--view ${view} says how the text of a plan is to be read, and --format ${format} shows none.`;
  throw invalidSetting("usage", message, "Leave it out, or add `--report text=FILE`.");
}

export function outputFlagsIn(argv: readonly string[], command: CommandName): OutputFlags {
  const known = formatsOf(command);
  const said = flagValuesIn("--format", argv).at(-1);
  const format = known.find((name) => name === said) ?? "text";
  const report: Report[] = [];
  for (const value of flagValuesIn("--report", argv)) {
    const read = readReport(value, known, report);
    if (read.ok) report.push(read.value);
  }
  return { format, report };
}

function flagValuesIn(flag: string, argv: readonly string[]): readonly string[] {
  return argv.flatMap((word, index) => {
    if (word.startsWith(`${flag}=`)) return [word.slice(flag.length + 1)];
    const next = argv[index + 1];
    return word === flag && next !== undefined ? [next] : [];
  });
}

/** Of a fleet, the file is a directory. */
export interface Report {
  readonly format: FormatName;
  readonly file: string;
}

/** `FORMAT=FILE`, of the formats that are known here and beside the reports that were named before; else why it is refused. */
export function readReport(
  value: string,
  known: readonly FormatName[],
  before: readonly Report[],
  to: "FILE" | "DIR" = "FILE",
): Result<Report, string> {
  const [, name, file = ""] = /^([^=]*)=(.*)$/su.exec(value) ?? [];
  const format = known.find((one) => one === name);
  const isFile = to === "FILE";
  if (format === undefined || file === "" || (isFile && file === "-")) {
    const meant = name === undefined || format !== undefined ? undefined : closestMatch(name, known);
    const perhaps = meant === undefined ? "" : `Did you mean ${meant}=${file}? `;
    return problem(`${perhaps}Write FORMAT=${to}; formats are ${known.join(", ")}.`);
  }
  if (isFile && hasRosterName(file)) return problem("Such a name is that of a roster file.");
  const same = before.filter((one) => normalize(one.file) === normalize(file));
  if (isFile && same.length > 0) return problem(`${file} is named for another report.`);
  return same.some((one) => one.format === format) ? problem(`${value} is there twice.`) : success({ format, file });
}

export function hasRosterName(path: string): boolean {
  return /\.ya?ml$/iu.test(path);
}
