import type { GuardSettings, Policy } from "../../src/model/policy.ts";
import { makePlan } from "../../src/plan/make-plan.ts";
import { aContext, aPolicy, type InputParts, unguarded } from "./plan-inputs.ts";

export function withGuards(guards: Partial<GuardSettings>, parts: Partial<Policy> = {}): Policy {
  return aPolicy({ guards: { ...unguarded, ...guards }, ...parts });
}

/** How guards judge a plan: the plan, and what stops it. */
export function judged(parts: InputParts) {
  const made = makePlan(aContext(parts));
  if (made.ok) return { plan: made.value };
  if (made.error.code !== "guard") throw new Error(made.error.message);
  return { plan: made.error.plan, refusal: made.error };
}

export function stopsOf(parts: InputParts): readonly string[] {
  return (judged(parts).refusal?.stops ?? []).map(({ code, message }) => `${code}: ${message}`);
}
