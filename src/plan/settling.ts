import { consistencyWindow, unknownWriteBehaviour } from "../model/consistency.ts";
import type { Question } from "./question.ts";

/** Whether a write of ours is so recent that the reads of this plan need not show it. `done`: ISO 8601. */
export function mayNotShowYet(done: string, question: Question): boolean {
  return Date.parse(question.snapshot.readAt) < showsBy(done, question);
}

/** Milliseconds since the epoch. */
function showsBy(done: string, { state, policy }: Question): number {
  return Date.parse(done) + consistencyWindow(policy.consistency, state.writes ?? unknownWriteBehaviour);
}

export function waitWords(done: string, question: Question): string {
  const until = new Date(showsBy(done, question)).toISOString();
  return `The service may need until ${until} to show it. Nothing is sent again: plan again later.`;
}
