import type { Check, Examination } from "../doctor/seen.ts";
import type { Ink } from "../outcome.ts";
import { counted, listed } from "../words.ts";
import { type Line, prose, row, stacked } from "./lines.ts";

const inks: Readonly<Record<Check["mark"], Ink>> = { ok: "add", notice: "change", problem: "alarm" };

/** What the doctor asked, what came back and what it means. */
export function examinationLines({ service, checks }: Examination): readonly Line[] {
  return stacked([
    [row(0, [{ ink: "strong", text: `The service at ${service}` }])],
    ...checks.map(checkLines),
    [prose(0, summary(checks), "strong")],
  ]);
}

function checkLines({ check, mark, asked, came, means }: Check): readonly Line[] {
  return [
    row(0, [{ ink: inks[mark], text: mark.padEnd(7) }, `  ${check}`]),
    prose(9, `asked: ${asked}`),
    prose(9, `came:  ${came}`),
    prose(9, `means: ${means}`),
  ];
}

function summary(checks: readonly Check[]): string {
  const count = (mark: Check["mark"]) => checks.filter((check) => check.mark === mark).length;
  const parts = [
    ...(count("problem") > 0 ? [counted(count("problem"), "problem")] : []),
    ...(count("notice") > 0 ? [counted(count("notice"), "notice")] : []),
  ];
  const found = parts.length === 0 ? "Nothing stands in the way of a plan" : `Found ${listed(parts)}`;
  return `${found}. Nothing was written.`;
}
