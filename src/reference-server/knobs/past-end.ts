import { type Refusal, refuse } from "../reply.ts";
import { choice, type ValueOf } from "./knob.ts";

export const pastEnd = choice("What a page past the last one of a list answers.", "empty", {
  empty: "200 without rows",
  "404": "a refusal with 404",
  "400": "a refusal with 400",
  "last-again": "the last page once more",
});

/** The index of the page to answer in its place. */
export function pageInPlace(
  how: ValueOf<typeof pastEnd>,
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
