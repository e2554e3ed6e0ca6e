import type { Plan } from "../../model/plan.ts";
import { planNames } from "../plan-names.ts";
import { safe } from "../safe.ts";
import { actionName } from "../text/action-lines.ts";
import { callNumbers, dependencyNumbers } from "./calls-view.ts";

/** The calls of a plan and what each waits for, as the text of a Mermaid flowchart. */
export function mermaidText(plan: Plan): readonly string[] {
  const names = planNames(plan);
  const numbers = callNumbers(plan);
  const nodes = plan.actions.map(
    (action, index) => `  c${index + 1}["${index + 1}. ${label(actionName(action, names))}"]`,
  );
  const edges = plan.actions.flatMap((action, index) =>
    dependencyNumbers(action, numbers).map((before) => `  c${before} --> c${index + 1}`),
  );
  return ["flowchart LR", ...nodes, ...edges];
}

/** Whatever could end a label, open markup or begin a directive becomes a Mermaid entity, which is shown as the character itself. */
function label(text: string): string {
  return safe(text).replace(/[^\p{L}\p{M}\p{N} .,:@()+/-]|(?<=\/)\/|--/gu, (match) =>
    [...match].map((character) => `#${character.codePointAt(0) ?? 0};`).join(""),
  );
}
