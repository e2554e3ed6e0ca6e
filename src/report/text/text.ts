import { formatPlace } from "../../model/fact.ts";
import type { Plan } from "../../model/plan.ts";
import { formatExitCode } from "../codes/exit-codes.ts";
import type { DoctorCheck, DoctorReport } from "../doctor/observations.ts";
import { joinSections, type Line, prose, row, type Table } from "../document/blocks.ts";
import { driftLines, remainingDriftLines } from "../document/drift.ts";
import { runLines } from "../document/run.ts";
import type {
  CommandOutcome,
  ConfigReport,
  Ink,
  Rendered,
  RenderOptions,
  RosterCounts,
  SettingReport,
  SettingSource,
} from "../outcome.ts";
import { formatCount, formatList } from "../phrases.ts";
import { explanationLines } from "./explanation.ts";
import { formattingLines } from "./formatting.ts";
import { renderLines } from "./lines.ts";
import { formatRosterCounts, planLines, withPlanFileLines } from "./plan.ts";
import { stateLines } from "./state.ts";

/** For people: the result to be read from top to bottom. */
export function textFormat(outcome: CommandOutcome, { paint, columns }: RenderOptions): Rendered {
  const result = resultLines(outcome);
  const lines = result.length === 0 ? [] : [...result, ...exitCodeLines(outcome)];
  return { stdout: renderLines(lines, paint, columns) };
}

function resultLines(outcome: CommandOutcome): readonly (Line | Table)[] {
  const { command, plan, run, roster, problem, examination, state, config, formatting, explanation } = outcome;
  if (command === "validate") return roster === undefined ? [] : validationLines(outcome, roster);
  if (examination !== undefined) return doctorLines(examination);
  if (state !== undefined) return stateLines(state);
  if (config !== undefined) return configLines(config);
  if (formatting !== undefined) return formattingLines(formatting);
  if (explanation !== undefined) return explanationLines(explanation);
  if (run !== undefined) return [...runLines(run, plan), ...remainingDriftLines(outcome.drift)];
  // Whoever declined a plan has just read it.
  return plan === undefined || problem?.code === "declined" ? [] : plannedLines(outcome, plan);
}

function plannedLines(outcome: CommandOutcome, plan: Plan): readonly Line[] {
  const { drift, planFile, reading, view } = outcome;
  if (drift !== undefined) return driftLines(drift, plan, reading);
  const lines = planLines(plan, outcome);
  return planFile === undefined || view === "mermaid" ? lines : withPlanFileLines(lines, planFile);
}

function validationLines({ diagnostics }: CommandOutcome, counts: RosterCounts): readonly Line[] {
  if (diagnostics.some((diagnostic) => diagnostic.severity === "error")) return [];
  const warnings = diagnostics.length === 0 ? "" : `, with ${formatCount(diagnostics.length, "warning")}`;
  return [prose(0, `${formatCount(counts.files, "file")}, ${formatRosterCounts(counts)}: valid${warnings}.`)];
}

function exitCodeLines({ exitCode, problem, view, run }: CommandOutcome): readonly Line[] {
  if (exitCode === 0 || problem !== undefined || (view === "mermaid" && run === undefined)) return [];
  return [prose(0, `Exit code ${exitCode}: ${formatExitCode(exitCode)}.`, "dim")];
}

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

/** Every setting, its value and where it comes from, for people. */
export function configLines(told: ConfigReport): readonly (Line | Table)[] {
  return joinSections<Table>([
    configHeadLines(told),
    [{ kind: "table", columns: ["setting", "value", "from"], rows: told.settings.flatMap(settingRows) }],
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
  const how = file.foundBy === "search" ? "found from here upward" : "named by ROSTER_CONFIG";
  return `Settings ${file.path}, ${how}, ${file.insideCheckout ? "inside" : "outside"} the checkout.`;
}

function formatTrust(inPipeline: ConfigReport["inPipeline"], trusted: ConfigReport["trusted"]): string {
  if (trusted) return "ROSTER_TRUST_SETTINGS=1: whoever can change the checkout may do all that the key can do.";
  return inPipeline
    ? "CI is set: what a change to the checkout must not decide is refused there."
    : "CI is not set: the settings count as this person's, but a key from the environment goes to no endpoint that they name.";
}

function settingRows({ name, said, unused, note }: SettingReport): Table["rows"] {
  const inForce =
    said === undefined ? [name, note ?? "not set", ""] : [name, truncateValue(said.value), formatSource(said.from)];
  const ignored = unused.map(({ value, from, why }) => ["", truncateValue(value), `${formatSource(from)}, ${why}`]);
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

const maxValueLength = 60;

/** The whole of it is in the JSON document. */
function truncateValue(value: string): string {
  const characters = [...value];
  return characters.length <= maxValueLength ? value : `${characters.slice(0, maxValueLength - 1).join("")}…`;
}
