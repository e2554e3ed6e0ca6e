import { formatPlace } from "../../model/fact.ts";
import type { DoctorCheck, DoctorReport, SettingReport, SettingSource } from "../doctor/observations.ts";
import { formatCounts, formatList, truncateText } from "../phrases.ts";
import { heading, type Ink, joinSections, type Line, prose, row, type Table } from "./blocks.ts";

const checkInks: Readonly<Record<DoctorCheck["mark"], Ink>> = { ok: "add", notice: "change", problem: "alarm" };

/** The settings that are set, then what the doctor checked, the result and what it means. */
export function doctorLines({ service, settings, checks }: DoctorReport): readonly (Line | Table)[] {
  return joinSections<Table>([
    ...(settings.length === 0 ? [] : [settingLines(settings)]),
    ...(service === undefined ? [] : [[heading(`The service at ${service}`)]]),
    ...checks.map(checkLines),
    ...(service === undefined ? [] : [[prose(0, formatCheckSummary(checks), "strong")]]),
  ]);
}

function checkLines({ check, mark, asked, came, means }: DoctorCheck): readonly Line[] {
  return [
    row(0, [{ ink: checkInks[mark], text: mark.padEnd(7) }, `  ${check}`]),
    prose(9, `check:  ${asked}`),
    prose(9, `result: ${came}`),
    prose(9, `means:  ${means}`),
  ];
}

function formatCheckSummary(checks: readonly DoctorCheck[]): string {
  const count = (mark: DoctorCheck["mark"]) => checks.filter((check) => check.mark === mark).length;
  const parts = formatCounts([count("problem"), "problem"], [count("notice"), "notice"]);
  const found = parts.length === 0 ? "No problems. You can make a plan" : `Found ${formatList(parts)}`;
  return `${found}. doctor changed nothing.`;
}

function settingLines(settings: readonly SettingReport[]): readonly (Line | Table)[] {
  const rows = settings.map(({ name, value, from }) =>
    [name, truncateText(value, maxValueLength), formatSource(from)].map((text) => [text]),
  );
  return [heading("Settings"), { kind: "table", columns: ["setting", "value", "from"], rows }];
}

function formatSource(source: SettingSource): string {
  switch (source.kind) {
    case "flag":
    case "variable":
      return source.name;
    case "settings":
      return formatPlace(source.place);
  }
}

/** The whole value is in the JSON document. */
const maxValueLength = 60;
