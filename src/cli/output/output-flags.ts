import { invalidSetting } from "../../library/error.ts";
import { isWhole } from "../../library/policy.ts";
import type { Policy } from "../../model/policy.ts";
import { type CommandName, type FormatName, formatsOf } from "../../report/formats.ts";
import type { CommandOutcome, ViewName } from "../../report/outcome.ts";
import { type Report, readReport } from "./report-flags.ts";

export interface OutputFlags {
  readonly format: FormatName;
  readonly report?: readonly Report[] | undefined;
  readonly title?: string;
  readonly view?: ViewName;
}

export const printedForPeople: OutputFlags = { format: "text" };

/** The formats of the result: as it is printed, and of the reports. */
export function formatsIn({ format, report = [] }: OutputFlags): readonly FormatName[] {
  return [format, ...report.map((one) => one.format)];
}

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
export function refuseUnusedView(flags: OutputFlags): void {
  const { view, format } = flags;
  if (view === undefined || formatsIn(flags).includes("text")) return;
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
