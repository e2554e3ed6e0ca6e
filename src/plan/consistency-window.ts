import { sentence } from "../codes/message.ts";
import type { OpenIntent } from "../model/call.ts";
import { consistencyWindow, decidedFrom } from "../model/consistency-window.ts";
import { callIdOf } from "../model/state.ts";
import type { PlanContext } from "./context.ts";

/** Whether a write of ours is so recent that the reads of this plan need not show it. `done`: ISO 8601. */
export function isWithinConsistencyWindow(done: string, context: PlanContext): boolean {
  return Date.parse(context.snapshot.readAt) < visibleBy(done, context);
}

/** Milliseconds since the epoch. */
function visibleBy(done: string, { policy }: PlanContext): number {
  return Date.parse(done) + consistencyWindow(policy.consistency);
}

/** From when on reads show it. ISO 8601. */
export function shownFrom(done: string, context: PlanContext): string {
  return new Date(visibleBy(done, context)).toISOString();
}

/** What a person types who has looked in the service and knows if these calls took effect. */
export function formatResolveCommands(opens: readonly OpenIntent[], { policy }: PlanContext): string {
  const { resolve = "roster state resolve" } = policy;
  const ids = [...new Set(opens.map(callIdOf))];
  return sentence("resolve", {
    done: ids.map((id) => `\`${resolve} ${id} done\``),
    undone: ids.map((id) => `\`${resolve} ${id} not-done\``),
  });
}

/** From when on a plan knows by reading that these calls were not done, in sentences. */
export function formatDecisionTime(opens: readonly OpenIntent[], context: PlanContext): string {
  const from = allDecidedFrom(opens, context);
  return from === Number.POSITIVE_INFINITY
    ? sentence("undecided", {})
    : sentence("decided", { time: new Date(from).toISOString() });
}

function allDecidedFrom(opens: readonly OpenIntent[], { snapshot, state, policy }: PlanContext): number {
  return Math.max(...opens.map((open) => decidedFrom(open, snapshot, state, policy.consistency)));
}

/** Whether reads would show by now what these calls did. What is open then, reads cannot tell. */
export function isWindowOver(opens: readonly OpenIntent[], context: PlanContext): boolean {
  return allDecidedFrom(opens, context) <= Date.parse(context.snapshot.readAt);
}
