import type { Plan } from "../model/plan.ts";
import type { RenderOptions } from "./outcome.ts";
import type { PlanFileReport } from "./plan-file-told.ts";
import { renderLines } from "./text/lines.ts";
import { withPlanFileLines } from "./text/plan-file-lines.ts";
import { type PlanTextOptions, planLines } from "./text/plan-lines.ts";

/** The text of a plan, such as it is shown before it is approved. */
export function renderPlan(
  plan: Plan,
  options: RenderOptions & PlanTextOptions & { readonly planFile?: PlanFileReport },
): string {
  const lines = planLines(plan, options);
  const { planFile, view, paint, columns } = options;
  const told = planFile === undefined || view === "mermaid" ? lines : withPlanFileLines(lines, planFile);
  return renderLines(told, paint, columns);
}
