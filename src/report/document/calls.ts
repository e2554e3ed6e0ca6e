import type { Action, ActionId } from "../../model/action.ts";
import type { Plan } from "../../model/plan.ts";
import { formatCount } from "../phrases.ts";
import { safe } from "../safe.ts";
import { actionLines, actionName, planNames } from "./actions.ts";
import { headed, type Line, type Piece } from "./blocks.ts";

/** Every call with all that it sends, numbered in an order in which they can run, each with the calls that it waits for. */
export function callsView(plan: Plan): readonly (readonly Line[])[] {
  const names = planNames(plan);
  const numbers = callNumbers(plan);
  const width = `${plan.actions.length}`.length;
  const lines = plan.actions.flatMap((action) => {
    const [title, ...details] = actionLines(action, names);
    if (title?.kind !== "row") return details;
    const number = `${numbers.get(action.id) ?? 0}.`.padStart(width + 1);
    return [{ ...title, pieces: [`${number} `, ...title.pieces, ...afterPieces(action, numbers)] }, ...details];
  });
  const title = `${formatCount(plan.actions.length, "call")}, in their order`;
  return [headed(title, lines)];
}

/** The number of each call, from 1 on. */
export function callNumbers({ actions }: Plan): ReadonlyMap<ActionId, number> {
  return new Map(actions.map(({ id }, index) => [id, index + 1]));
}

/** The numbers of the calls that must have ended before this one starts, in their order. */
export function dependencyNumbers({ dependsOn }: Action, numbers: ReadonlyMap<ActionId, number>): readonly number[] {
  const before = dependsOn.flatMap((id) => numbers.get(id) ?? []);
  return [...new Set(before)].sort((a, b) => a - b);
}

function afterPieces(action: Action, numbers: ReadonlyMap<ActionId, number>): readonly Piece[] {
  const before = dependencyNumbers(action, numbers);
  return before.length === 0 ? [] : [{ ink: "dim", text: `, after ${formatRanges(before)}` }];
}

/** `1, 4-9`: three and more in a row are a range. */
export function formatRanges(numbers: readonly number[]): string {
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
