import { callIdOf } from "../model/call-id.ts";
import type { OpenIntent } from "../model/state.ts";
import type { Question } from "./question.ts";
import { listed } from "./subjects.ts";

/** What a person types who has looked in the service and knows what became of these calls. */
export function resolveWords(opens: readonly OpenIntent[], { digest }: Question): string {
  const ids = [...new Set(opens.map((open) => callIdOf(open, digest)))];
  return `say ${listed(ids.map((id) => `\`roster state resolve ${id}\``))} with --done or --not-done`;
}
