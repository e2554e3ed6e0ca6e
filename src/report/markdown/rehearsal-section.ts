import type { Plan, Rehearsal } from "../../model/plan.ts";
import { plain } from "../outcome.ts";
import { rehearsalLines } from "../rehearsal/text-rehearsal.ts";
import { renderLines } from "../text/lines.ts";
import { formatCount } from "../words.ts";
import type { Section } from "./document.ts";
import { fenced } from "./safe-markdown.ts";

/** What a rehearsal came to, as the text has it; folded where nothing went wrong. */
export function rehearsalSection(rehearsal: Rehearsal, plan: Plan): Section {
  const { converges, troubles } = rehearsal;
  const words = converges ? "nothing is left to do" : formatCount(troubles.length, "trouble");
  return {
    title: `Rehearsed in memory: ${words}`,
    is: converges ? "folded" : "open",
    before: [],
    rows: [fenced(renderLines(rehearsalLines(rehearsal, plan), plain), { language: "text" })],
    rank: 4,
    more: () => "The rehearsal is too long to be told here.",
    between: "a-line",
  };
}
