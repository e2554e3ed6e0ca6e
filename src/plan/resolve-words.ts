import { callIdOf } from "../model/call-id.ts";
import { decidedFrom } from "../model/decided-from.ts";
import type { OpenIntent } from "../model/state.ts";
import type { Question } from "./question.ts";
import { listed } from "./subjects.ts";

/** What a person types who has looked in the service and knows what became of these calls. */
export function resolveWords(opens: readonly OpenIntent[], { digest }: Question): string {
  const ids = [...new Set(opens.map((open) => callIdOf(open, digest)))];
  return `say ${listed(ids.map((id) => `\`roster state resolve ${id}\``))} with --done or --not-done`;
}

/** From when on a plan can tell by reading that these calls were not done: a sentence without a trailing stop. */
export function decisionWords(opens: readonly OpenIntent[], { state, policy }: Question): string {
  const latest = Math.max(...opens.map((open) => decidedFrom(open, state, policy.consistency)));
  return `What reads do not show by ${new Date(latest).toISOString()} was not done: plan again then`;
}
