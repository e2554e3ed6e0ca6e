import { rehearsalLines } from "../../report/rehearsal/text-rehearsal.ts";
import type { Line } from "../../report/text/lines.ts";
import { readingLines } from "../../report/text/reading-lines.ts";
import type { Branch } from "./branch.ts";
import type { Reviewed } from "./branches.ts";

/** What the plan rests on as a whole: how the service was read, and what a rehearsal has shown. */
export function groundBranches({ plan, reading, rehearsal }: Reviewed): readonly Branch[] {
  return [
    ...(rehearsal === undefined ? [] : [rehearsed(rehearsalLines(rehearsal, plan), rehearsal.converges)]),
    ...(reading === undefined ? [] : [branch("How the service was read", readingLines("Plan for", plan, reading))]),
  ];
}

function rehearsed(lines: readonly Line[], converges: boolean): Branch {
  const told = branch("What a rehearsal has shown", lines);
  return converges ? told : { ...told, matters: true };
}

function branch(title: string, lines: readonly Line[]): Branch {
  return { title: [{ ink: "strong", text: title }], about: { is: "told", lines }, words: [], children: [] };
}
