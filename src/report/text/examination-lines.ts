import type { DoctorCheck, DoctorReport } from "../doctor/seen.ts";
import type { Ink } from "../outcome.ts";
import { formatCount, formatList } from "../words.ts";
import { joinSections, type Line, prose, row } from "./lines.ts";

const checkInks: Readonly<Record<DoctorCheck["mark"], Ink>> = { ok: "add", notice: "change", problem: "alarm" };

/** What the doctor asked, what came back and what it means. */
export function doctorLines({ service, checks }: DoctorReport): readonly Line[] {
  return joinSections([
    [row(0, [{ ink: "strong", text: `The service at ${service}` }])],
    ...checks.map(checkLines),
    [prose(0, formatCheckSummary(checks), "strong")],
  ]);
}

function checkLines({ check, mark, asked, came, means }: DoctorCheck): readonly Line[] {
  return [
    row(0, [{ ink: checkInks[mark], text: mark.padEnd(7) }, `  ${check}`]),
    prose(9, `asked: ${asked}`),
    prose(9, `came:  ${came}`),
    prose(9, `means: ${means}`),
  ];
}

function formatCheckSummary(checks: readonly DoctorCheck[]): string {
  const count = (mark: DoctorCheck["mark"]) => checks.filter((check) => check.mark === mark).length;
  const parts = [
    ...(count("problem") > 0 ? [formatCount(count("problem"), "problem")] : []),
    ...(count("notice") > 0 ? [formatCount(count("notice"), "notice")] : []),
  ];
  const found = parts.length === 0 ? "Nothing stands in the way of a plan" : `Found ${formatList(parts)}`;
  return `${found}. Nothing was written.`;
}
