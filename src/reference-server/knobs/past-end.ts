import type { Knobs } from "../knobs.ts";
import { type Refusal, refuse } from "../reply.ts";

/** The index of the page to answer in its place. */
export function indexPastEnd(
  how: Knobs["pastEnd"],
  page: { readonly index: number; readonly last: number },
): number | Refusal {
  switch (how) {
    case "empty":
      return page.index;
    case "404":
      return refuse(404, "There is no such page");
    case "400":
      return refuse(400, "The page is past the end of the list");
    case "last-again":
      return page.last;
  }
}
