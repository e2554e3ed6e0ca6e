import type { Action, ActionId } from "../../model/action.ts";
import type { Plan } from "../../model/plan.ts";
import type { ReadSummary } from "../outcome.ts";
import { formatCount } from "../phrases.ts";
import { type PlanNames, planNames } from "../plan-names.ts";
import { safe } from "../safe.ts";
import { actionLines, actionName, placesCell } from "./actions.ts";
import { type Block, type Inline, type Line, paragraph, phrase, row, type Section, words } from "./blocks.ts";
import { reasonLines } from "./reasons.ts";

/** Every call with all that it sends, numbered in an order in which they can run, each with the calls that it waits for. */
export function callsView(plan: Plan): readonly (readonly Line[])[] {
  if (plan.actions.length === 0) return [];
  const names = planNames(plan);
  const numbers = callNumbers(plan);
  const width = `${plan.actions.length}`.length;
  const lines = plan.actions.flatMap((action) => {
    const [title, ...details] = actionLines(action, names);
    if (title?.kind !== "row") return details;
    const number = `${numbers.get(action.id) ?? 0}.`.padStart(width + 1);
    return [{ ...title, pieces: [`${number} `, ...title.pieces, ...afterPieces(action, numbers)] }, ...details];
  });
  const title = `${formatCount(plan.actions.length, "call")}, in an order in which they can run`;
  return [[row(0, [{ ink: "strong", text: title }]), ...lines]];
}

/** So many calls are shown with all their reasons. */
const maxReasons = 40;

/** For a review: the calls in their order, and why each is planned; both folded. */
export function callSections(plan: Plan, reading: ReadSummary | undefined, whole: Inline): readonly Section[] {
  const { actions } = plan;
  const names = planNames(plan);
  const numbers = callNumbers(plan);
  const explained = actions.slice(0, maxReasons);
  const which = explained.length === actions.length ? "these" : `the first ${maxReasons} of these`;
  return [
    {
      title: `Calls, in an order in which they can run (${actions.length})`,
      is: "folded",
      body: {
        kind: "table",
        columns: ["call", "what", "after", "asked for at"],
        rows: actions.map((action, index) => [
          phrase`${index + 1}`,
          [actionName(action, names)],
          words(formatRanges(dependencyNumbers(action, numbers))),
          placesCell(action.because),
        ]),
      },
      rank: 70,
      leftOut: (count) => phrase`… and ${words(formatCount(count, "more call"))}: ${whole}`,
    },
    {
      title: `Why each of ${which} calls is planned`,
      is: "folded",
      body: {
        kind: "stack",
        entries: explained.map((action, index) => reasonEntry(action, index + 1, names, reading)),
      },
      rank: 90,
      leftOut: (count) => phrase`… ${count} of them are left out: ${whole}`,
    },
  ];
}

function reasonEntry(
  action: Action,
  number: number,
  names: PlanNames,
  reading: ReadSummary | undefined,
): readonly Block[] {
  const readings = reading === undefined ? {} : { readings: reading.readings };
  return [
    paragraph(phrase`${`${number}`} ${[actionName(action, names)]}`),
    { kind: "code", language: "text", lines: reasonLines(action, { names, ...readings, indent: 0 }) },
  ];
}

/** The number of each call, from 1 on. */
function callNumbers({ actions }: Plan): ReadonlyMap<ActionId, number> {
  return new Map(actions.map(({ id }, index) => [id, index + 1]));
}

/** The numbers of the calls that must have ended before this one starts, in their order. */
function dependencyNumbers({ dependsOn }: Action, numbers: ReadonlyMap<ActionId, number>): readonly number[] {
  const before = dependsOn.flatMap((id) => numbers.get(id) ?? []);
  return [...new Set(before)].sort((a, b) => a - b);
}

function afterPieces(action: Action, numbers: ReadonlyMap<ActionId, number>): readonly { ink: "dim"; text: string }[] {
  const before = dependencyNumbers(action, numbers);
  return before.length === 0 ? [] : [{ ink: "dim", text: `, after ${formatRanges(before)}` }];
}

/** `1, 4-9`: three and more in a row are a range. */
function formatRanges(numbers: readonly number[]): string {
  const ranges: { readonly first: number; last: number }[] = [];
  for (const number of numbers) {
    const range = ranges.at(-1);
    if (range !== undefined && number === range.last + 1) range.last = number;
    else ranges.push({ first: number, last: number });
  }
  return ranges.map(formatRange).join(", ");
}

function formatRange({ first, last }: { readonly first: number; readonly last: number }): string {
  if (first === last) return `${first}`;
  return last === first + 1 ? `${first}, ${last}` : `${first}-${last}`;
}

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
