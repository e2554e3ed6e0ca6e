import type { PlanFields } from "./plan-document-shape.ts";
import { quoted } from "./quoted.ts";

/** Why the actions are no plan: they have names of their own and stand after what they depend on. */
export function actionOrderProblem(document: Pick<PlanFields, "actions">): string | undefined {
  const before = new Set<string>();
  for (const { id, depends_on } of document.actions) {
    if (before.has(id)) return `it has two actions with the id ${quoted(id)}`;
    const missing = depends_on.find((dependency) => !before.has(dependency));
    if (missing !== undefined) return `its action ${quoted(id)} depends on ${quoted(missing)}, which is not before it`;
    before.add(id);
  }
  return undefined;
}
