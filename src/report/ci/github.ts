import { publishedName } from "../../codec/publish.ts";
import { formatExitCode } from "../../codes/catalogue.ts";
import { countOutcomes } from "../../log/summary.ts";
import { countPlan, type PlanCounts } from "../../model/plan.ts";
import { countDrift } from "../document/drift.ts";
import { formatFailure } from "../document/tasks.ts";
import { renderMarkdown } from "../markdown/markdown.ts";
import type { CommandOutcome, Rendered, RenderOptions } from "../outcome.ts";
import { safe } from "../safe.ts";
import { textFormat } from "../text/text.ts";
import { type Annotation, annotationsOf, levels, repositoryPath } from "./annotations.ts";

/** GitHub shows so many annotations of one level for a step, and drops the rest in silence. */
const maxPerLevel = 10;

type Shown = Omit<Annotation, "fingerprint">;

export async function githubFormat(outcome: CommandOutcome, options: RenderOptions): Promise<Rendered> {
  const { stdout } = await textFormat(outcome, options);
  const { problem } = outcome;
  const remarks = annotationsOf(outcome);
  const ended: readonly Shown[] =
    problem === undefined ? [] : [{ rule: problem.code, level: "error", message: formatFailure(problem), places: [] }];
  const all = [...ended, ...remarks];
  const shown = levels.flatMap((level) => all.filter((one) => one.level === level).slice(0, maxPerLevel));
  const more = all.length - shown.length;
  const rest = more === 0 ? [] : [`and ${more} more: see the log and the step summary`];
  const lines = [...shown.map((remark) => workflowCommand(remark, options)), ...rest];
  const annotated = stdout + lines.map((line) => `${line}\n`).join("");
  return { stdout: annotated, stepSummary: renderMarkdown(outcome), outputs: stepOutputs(outcome) };
}

/** A workflow command. Nothing in a value can end it, begin another one or add a property. */
function workflowCommand({ rule, level, subject, message, places: [place] }: Shown, options: RenderOptions): string {
  const file = place && repositoryPath(place.file, options);
  const where = place && file !== undefined ? { file, line: `${place.line}`, col: `${place.column}` } : {};
  const title = subject === undefined ? rule : `${rule}: ${subject}`;
  const properties = Object.entries({ ...where, title }).map(([name, value]) => {
    return `${name}=${escaped(value).replaceAll(":", "%3A").replaceAll(",", "%2C")}`;
  });
  const elsewhere = place === undefined || file !== undefined ? "" : `${place.file}:${place.line}: `;
  return `::${level} ${properties.join(",")}::${escaped(`${elsewhere}${message}`)}`;
}

/** What is safe has no line break; a percent sign would begin an escape. */
function escaped(text: string): string {
  return safe(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** What later steps may read: of a plan and a run only where there was one. `changes` and `blocking` are those that the exit code counts. */
export function stepOutputs({ exitCode, plan, run, drift }: CommandOutcome): ReadonlyMap<string, string> {
  const { calls: _, blockingFindings, ...counts }: Partial<PlanCounts> = plan === undefined ? {} : countPlan(plan);
  const left = drift && countDrift(drift);
  const values = {
    exitCode,
    means: formatExitCode(exitCode),
    planId: plan?.id,
    changes: left?.changes ?? plan?.actions.length,
    blocking: left?.blocking ?? blockingFindings,
    privilegedGains: left?.privilegedGains,
    findings: counts.findings,
    ...counts,
    ...(run && countOutcomes(run)),
  };
  const known = Object.entries(values).filter(([, value]) => value !== undefined);
  return new Map(known.map(([name, value]) => [publishedName(name), safe(String(value))]));
}
