import { type Line, prose, row, stacked } from "../../report/lines.ts";
import { summaryLines } from "../../report/text-plan.ts";
import { counted } from "../../report/words.ts";
import { layLines } from "../lay-lines.ts";
import { type SingleRow, screenRow } from "../screen-row.ts";
import type { Review, Reviewed } from "./review.ts";

/** What is about to be done, before it is: it takes a word that is typed. */
export function confirmRows({ about, size, tree }: Review, typed: string): readonly SingleRow[] {
  const privileged = tree.nodes.filter(({ branch }) => branch.matters === true && branch.about.is === "actions").length;
  return [
    ...layLines(questionLines(about, privileged), Math.min(size.columns, 100)),
    screenRow([{ ink: "strong", text: ` Apply this plan? ${typed}_` }]),
  ];
}

function questionLines({ plan }: Reviewed, privileged: number): readonly Line[] {
  const whom = counted(privileged, "person or key", "people or keys");
  const held = privileged === 0 ? [] : [prose(1, `Privileged roles are at stake for ${whom}.`, "alarm")];
  return stacked([
    [row(1, [{ ink: "strong", text: "About to be applied" }])],
    [...summaryLines(plan, "all").map((line) => ({ ...line, indent: 1 })), ...held],
    [prose(1, "Invitations cannot be unsent. Only `yes` is taken as approval.", "alarm"), row(1, [" "])],
  ]);
}
