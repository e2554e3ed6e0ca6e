import { rehearsalLines } from "../../report/rehearsal/text-rehearsal.ts";
import type { Line } from "../../report/text/lines.ts";
import { readingLines } from "../../report/text/reading-lines.ts";
import type { TreeNode } from "./branch.ts";
import type { ReviewInput } from "./branches.ts";

/** What the plan rests on as a whole: how the service was read, and what a rehearsal has shown. */
export function backgroundNodes({ plan, reading, rehearsal }: ReviewInput): readonly TreeNode[] {
  return [
    ...(rehearsal === undefined ? [] : [rehearsalNode(rehearsalLines(rehearsal, plan), rehearsal.converges)]),
    ...(reading === undefined ? [] : [textNode("How the service was read", readingLines("Plan for", plan, reading))]),
  ];
}

function rehearsalNode(lines: readonly Line[], converges: boolean): TreeNode {
  const told = textNode("What a rehearsal has shown", lines);
  return converges ? told : { ...told, matters: true };
}

function textNode(title: string, lines: readonly Line[]): TreeNode {
  return { title: [{ ink: "strong", text: title }], about: { is: "told", lines }, words: [], children: [] };
}
