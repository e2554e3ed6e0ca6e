import type { Knobs } from "../knobs.ts";
import { badParameter } from "../query-parameter.ts";
import type { Refusal } from "../reply.ts";

/** How many rows such a page has. */
export function perPageOverMax(
  how: Knobs["overMaxPerPage"],
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
