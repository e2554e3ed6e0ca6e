import { badParameter } from "../query-parameter.ts";
import type { Refusal } from "../reply.ts";
import { choice, type ValueOf } from "./knob.ts";

export const overMaxPerPage = choice("What becomes of a `per-page` over `maxPerPage`.", "clamp", {
  clamp: "it counts as the largest page",
  reject: "it is refused with 400",
  ignore: "it counts as if it were not given: 10 rows",
});

/** How many rows such a page has. */
export function cutPage(
  how: ValueOf<typeof overMaxPerPage>,
  page: { readonly asked: number; readonly most: number; readonly unasked: number },
): number | Refusal {
  switch (how) {
    case "clamp":
      return page.most;
    case "reject":
      return badParameter("per-page", String(page.asked), `must be ${page.most} or less`);
    case "ignore":
      return Math.min(page.unasked, page.most);
  }
}
