import { joinSections, type Line, prose, row } from "../../report/text/lines.ts";
import { planSummaryLines } from "../../report/text/plan-lines.ts";
import { formatCount } from "../../report/words.ts";
import { layoutLines } from "../lay-lines.ts";
import { blankRow, type SingleRow, screenRow } from "../screen-row.ts";
import type { TreeNode } from "./branch.ts";
import type { ReviewInput } from "./branches.ts";
import { bodyRows, type Review } from "./review.ts";

/**
 * What is about to be done, before it is: it takes a word that is typed. Whose privileges are at stake is named as far as there
 * is room. Where there is hardly any, what is left is the question and what stands nearest to it.
 */
export function confirmRows({ about, size, privileged }: Review, typed: string): readonly SingleRow[] {
  const columns = Math.min(size.columns, 100);
  const before = layoutLines(questionLines(about, privileged.length), columns);
  const after = [
    ...layoutLines([prose(1, "Invitations cannot be unsent. Only `yes` is taken as approval.", "alarm")], columns),
    blankRow,
    screenRow([{ ink: "strong", text: ` Apply this plan? ${typed}_` }]),
  ];
  const room = bodyRows(size) - before.length - after.length - 1;
  return fitted([...before, ...namedRows(privileged, room), blankRow, ...after], bodyRows(size));
}

function questionLines({ plan }: ReviewInput, privileged: number): readonly Line[] {
  const whom = formatCount(privileged, "person or key", "people or keys");
  const held = privileged === 0 ? [] : [prose(1, `Privileged roles are at stake for ${whom}.`, "alarm")];
  return joinSections([
    [row(1, [{ ink: "strong", text: "About to be applied" }])],
    [...planSummaryLines(plan, "all").map((line) => ({ ...line, indent: 1 })), ...held],
  ]);
}

/** As they stand in the tree, where they begin with the roles that are privileged. */
function namedRows(privileged: readonly TreeNode[], room: number): readonly SingleRow[] {
  const told = privileged.map(({ title }) => screenRow(["   ", ...title]));
  if (told.length <= room) return told;
  if (room < 2) return [];
  const more = privileged.length - room + 1;
  return [...told.slice(0, room - 1), screenRow([{ ink: "dim", text: `   and ${more} more, which n goes to` }])];
}

/** Blank rows are the first to go, and then what stands at the top. */
function fitted(rows: readonly SingleRow[], room: number): readonly SingleRow[] {
  return rows.length <= room ? rows : rows.filter((one) => one !== blankRow).slice(-room);
}
