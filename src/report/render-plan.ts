import type { Plan } from "../model/plan.ts";
import { renderLines } from "./lines.ts";
import type { RenderOptions } from "./outcome.ts";
import { type PlanContext, planLines } from "./text-plan.ts";

/** The text of a plan, such as it is shown before it is approved. */
export function renderPlan(plan: Plan, options: RenderOptions & PlanContext): string {
  return renderLines(planLines(plan, options), options.paint);
}
