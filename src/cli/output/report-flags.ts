import { normalize } from "node:path";
import { closestMatch } from "../../model/address.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { FormatName } from "../../report/formats.ts";

export interface Report {
  readonly format: FormatName;
  readonly file: string;
}

export interface FleetReportFlag {
  readonly format: FormatName;
  readonly directory: string;
}

/** `FORMAT=FILE`, of the formats that are known here and beside the reports that were named before; else why it is refused. */
export function readReport(
  value: string,
  known: readonly FormatName[],
  before: readonly Report[],
): Result<Report, string> {
  const { name, format, path: file } = splitReport(value, known);
  if (format === undefined || file === "" || file === "-") {
    const meant = name === undefined || format !== undefined ? undefined : closestMatch(name, known);
    const perhaps = meant === undefined ? "" : `Did you mean ${meant}=${file}? `;
    return problem(`${perhaps}Write FORMAT=FILE; formats are ${known.join(", ")}.`);
  }
  if (hasRosterName(file)) return problem("Such a name is that of a roster file.");
  const isTaken = before.some((one) => normalize(one.file) === normalize(file));
  return isTaken ? problem(`${file} is named for another report.`) : success({ format, file });
}

function splitReport(value: string, known: readonly FormatName[]) {
  const [, name, path = ""] = /^([^=]*)=(.*)$/su.exec(value) ?? [];
  return { name, format: known.find((one) => one === name), path };
}

export function hasRosterName(path: string): boolean {
  return /\.ya?ml$/iu.test(path);
}

export function readFleetReport(
  value: string,
  known: readonly FormatName[],
  before: readonly FleetReportFlag[],
): Result<FleetReportFlag, string> {
  const { format, path: directory } = splitReport(value, known);
  if (format === undefined || directory === "") return problem(`Write FORMAT=DIR; formats are ${known.join(", ")}.`);
  const isTwice = before.some((one) => one.format === format && normalize(one.directory) === normalize(directory));
  return isTwice ? problem(`${value} is there twice.`) : success({ format, directory });
}
