import { callIdOf, decidedFrom, type OpenIntent } from "../model/state.ts";
import type { PlanContext } from "./question.ts";
import { joinList } from "./subjects.ts";

/** What a person types who has looked in the service and knows what became of these calls. */
export function formatResolveCommands(opens: readonly OpenIntent[], { digest }: PlanContext): string {
  const ids = [...new Set(opens.map((open) => callIdOf(open, digest)))];
  return `say ${joinList(ids.map((id) => `\`roster state resolve ${id}\``))} with --done or --not-done`;
}

/** From when on a plan can tell by reading that these calls were not done: a sentence without a trailing stop. */
export function formatDecisionTime(opens: readonly OpenIntent[], { state, policy }: PlanContext): string {
  const latest = Math.max(...opens.map((open) => decidedFrom(open, state, policy.consistency)));
  return `What reads do not show by ${new Date(latest).toISOString()} was not done: plan again then`;
}
