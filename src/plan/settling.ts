import { consistencyWindow, unknownWriteBehaviour } from "../model/consistency.ts";
import type { PlanContext } from "./question.ts";

/** Whether a write of ours is so recent that the reads of this plan need not show it. `done`: ISO 8601. */
export function isWithinConsistencyWindow(done: string, context: PlanContext): boolean {
  return Date.parse(context.snapshot.readAt) < visibleBy(done, context);
}

/** Milliseconds since the epoch. */
function visibleBy(done: string, { state, policy }: PlanContext): number {
  return Date.parse(done) + consistencyWindow(policy.consistency, state.writes ?? unknownWriteBehaviour);
}

export function formatWait(done: string, context: PlanContext): string {
  const until = new Date(visibleBy(done, context)).toISOString();
  return `The service may need until ${until} to show it. Nothing is sent again: plan again later.`;
}
