import { formatPlace } from "../../model/fact.ts";
import type { DoctorCheck, DoctorReport } from "../doctor/observations.ts";
import type { ConfigReport, SettingReport, SettingSource } from "../outcome.ts";
import { formatCounts, formatList, truncateText } from "../phrases.ts";
import { heading, type Ink, joinSections, type Line, prose, row, type Table } from "./blocks.ts";

const checkInks: Readonly<Record<DoctorCheck["mark"], Ink>> = { ok: "add", notice: "change", problem: "alarm" };

/** What the doctor checked, the result and what it means. */
export function doctorLines({ service, checks, permissions }: DoctorReport): readonly (Line | Table)[] {
  return joinSections<Table>([
    [heading(`The service at ${service}`)],
    ...checks.map(checkLines),
    ...(permissions === undefined ? [] : [permissionLines(permissions)]),
    [prose(0, formatCheckSummary(checks), "strong")],
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

function permissionLines({ purpose, calls }: Required<DoctorReport>["permissions"]): readonly (Line | Table)[] {
  const rows = calls.map(({ call, needed, allowed, why }) => {
    const may = `${allowed.replace("-", " ")}: ${why}`;
    const isMissing = needed && (allowed === "no" || allowed === "probably-not");
    return [[call], [needed ? "yes" : "no"], [isMissing ? { ink: "alarm" as const, text: may } : may]];
  });
  return [
    heading(`What \`roster ${purpose}\` needs of the key`),
    { kind: "table", columns: ["call", `${purpose} needs it`, "this key may"], rows },
  ];
}

function formatCheckSummary(checks: readonly DoctorCheck[]): string {
  const count = (mark: DoctorCheck["mark"]) => checks.filter((check) => check.mark === mark).length;
  const parts = formatCounts([count("problem"), "problem"], [count("notice"), "notice"]);
  const found = parts.length === 0 ? "No problems. You can make a plan" : `Found ${formatList(parts)}`;
  return `${found}. doctor changed nothing.`;
}

/** Every setting, its value and where it comes from, for people. */
export function configLines(config: ConfigReport): readonly (Line | Table)[] {
  return joinSections<Table>([
    configHeadLines(config),
    [{ kind: "table", columns: ["setting", "value", "from"], rows: config.settings.flatMap(settingRows) }],
  ]);
}

function configHeadLines({ file, inPipeline, trusted }: ConfigReport): readonly Line[] {
  return [
    prose(0, formatSettingsFile(file), "strong"),
    ...(file?.insideCheckout ? [prose(0, formatTrust(inPipeline, trusted))] : []),
  ];
}

function formatSettingsFile(file: ConfigReport["file"]): string {
  if (file === undefined) return "No settings file.";
  const how = file.foundBy === "search" ? "found in this directory or above" : "named by ROSTER_CONFIG";
  return `Settings ${file.path}, ${how}, ${file.insideCheckout ? "inside" : "outside"} the checkout.`;
}

function formatTrust(inPipeline: ConfigReport["inPipeline"], trusted: ConfigReport["trusted"]): string {
  if (trusted)
    return "ROSTER_TRUST_SETTINGS=1: a person who can change the checkout can do everything that the key can do.";
  return inPipeline
    ? "CI is set: roster refuses settings that a change to the checkout must not control."
    : "CI is not set: roster trusts these settings. A key from the environment is not sent to an endpoint from the settings.";
}

function settingRows({ name, said, unused, note }: SettingReport): Table["rows"] {
  const inForce =
    said === undefined
      ? [name, note ?? "not set", ""]
      : [name, truncateText(said.value, maxValueLength), formatSource(said.from)];
  const ignored = unused.map(({ value, from, why }) => [
    "",
    truncateText(value, maxValueLength),
    `${formatSource(from)}, ${why}`,
  ]);
  return [inForce, ...ignored].map((texts) => texts.map((text) => [text]));
}

function formatSource(source: SettingSource): string {
  switch (source.kind) {
    case "flag":
    case "variable":
      return source.name;
    case "settings":
      return formatPlace(source.place);
    case "default":
      return "default";
  }
}

/** The whole value is in the JSON document. */
const maxValueLength = 60;
