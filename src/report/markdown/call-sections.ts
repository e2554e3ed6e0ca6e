import type { Action } from "../../model/action.ts";
import { formatPlace } from "../../model/fact.ts";
import type { Plan } from "../../model/plan.ts";
import { plain, type ReadSummary } from "../outcome.ts";
import { type PlanNames, planNames } from "../plan-names.ts";
import { reasonLines } from "../reasons.ts";
import { actionName } from "../text/action-lines.ts";
import { renderLines } from "../text/lines.ts";
import { callNumbers, dependencyNumbers, formatRanges } from "../views/calls-view.ts";
import { formatCount } from "../words.ts";
import { type Section, tableHead, tableRow } from "./document.ts";
import { code, codes, fenced, prose } from "./safe-markdown.ts";

/** So many calls are told with all their reasons. */
const maxReasons = 40;

/** The calls in their order, and why each is planned; both folded. */
export function callSections(plan: Plan, reading: ReadSummary | undefined, whole: string): readonly Section[] {
  if (plan.actions.length === 0) return [];
  const names = planNames(plan);
  const numbers = callNumbers(plan);
  const reasons = plan.actions.slice(0, maxReasons).map((action) => reasonBlock(action, { names, numbers, reading }));
  const untold = plan.actions.length - reasons.length;
  return [
    {
      title: `Calls, in an order in which they can run (${plan.actions.length})`,
      is: "folded",
      before: tableHead(["call", "what", "after", "asked for at"]),
      rows: plan.actions.map((action) => callRow(action, { names, numbers })),
      rank: 70,
      more: (count) => `… and ${formatCount(count, "more call")}: ${whole}`,
      between: "nothing",
    },
    {
      title: `Why each of ${untold === 0 ? "these" : `the first ${maxReasons} of these`} calls is planned`,
      is: "folded",
      before: [],
      rows: reasons,
      rank: 90,
      more: (count) => `… ${count} of them are left out: ${whole}`,
      between: "a-line",
    },
  ];
}

interface CallRowContext {
  readonly names: PlanNames;
  readonly numbers: ReadonlyMap<string, number>;
}

function callRow(action: Action, { names, numbers }: CallRowContext): string {
  const places = [...new Set(action.because.map(formatPlace))];
  const after = formatRanges(dependencyNumbers(action, numbers));
  return tableRow([`${numbers.get(action.id) ?? 0}`, prose(actionName(action, names)), after, codes(places, 2)]);
}

function reasonBlock(action: Action, context: CallRowContext & { readonly reading: ReadSummary | undefined }): string {
  const { names, numbers, reading } = context;
  const readings = reading === undefined ? {} : { readings: reading.readings };
  const text = renderLines(reasonLines(action, { names, ...readings, indent: 0 }), plain);
  const title = `${code(`${numbers.get(action.id) ?? 0}`)} ${prose(actionName(action, names))}`;
  return `${title}\n\n${fenced(text, { language: "text" })}`;
}
