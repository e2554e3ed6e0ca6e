import type { Plan } from "../model/plan.ts";
import type { RenderOptions } from "./outcome.ts";
import type { PlanFileTold } from "./plan-file-told.ts";
import { renderLines } from "./text/lines.ts";
import { withPlanFile } from "./text/plan-file-lines.ts";
import { type PlanContext, planLines } from "./text/plan-lines.ts";

/** The text of a plan, such as it is shown before it is approved. */
export function renderPlan(
  plan: Plan,
  options: RenderOptions & PlanContext & { readonly planFile?: PlanFileTold },
): string {
  const lines = planLines(plan, options);
  const { planFile, view, paint, columns } = options;
  const told = planFile === undefined || view === "mermaid" ? lines : withPlanFile(lines, planFile);
  return renderLines(told, paint, columns);
}
