import { normalize } from "node:path";
import { hasRosterName } from "../library/roster-files.ts";
import { closestMatch } from "../model/address.ts";
import { problem, type Result, success } from "../model/result.ts";
import type { FormatName } from "../report/formats.ts";

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
  if (isFile && hasRosterName(file))
    return problem("This is the name of a roster file. The report would overwrite it.");
  const same = before.filter((one) => normalize(one.file) === normalize(file));
  if (isFile && same.length > 0) return problem(`${file} is named for another report.`);
  return same.some((one) => one.format === format) ? problem(`${value} is there twice.`) : success({ format, file });
}
