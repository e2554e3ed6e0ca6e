import type { FoldedAddress } from "../model/address.ts";
import type { PlanContext } from "./question.ts";

/** The same question as if nobody had said `--recreate` of this person: what the word changes is seen by asking both. */
export function withoutRecreate(address: FoldedAddress, context: PlanContext): PlanContext {
  const { policy } = context;
  return { ...context, policy: { ...policy, recreate: policy.recreate.filter((other) => other !== address) } };
}
