import { perPageOverMax } from "./knobs/over-max-per-page.ts";
import { firstPageNumber } from "./knobs/page-base.ts";
import { indexPastEnd } from "./knobs/past-end.ts";
import type { Knobs } from "./knobs.ts";
import { badParameter, singleValue } from "./query-parameter.ts";
import { isRefusal, type Refusal } from "./reply.ts";
import type { Page, PageRequest } from "./requested-page.ts";

const defaultPerPage = 10;

/** The page that the query asks for; the first where it names none. */
export function parsePageRequest(query: URLSearchParams, knobs: Knobs): PageRequest | Refusal {
  const perPage = readPerPage(query, knobs);
  if (isRefusal(perPage)) return perPage;
  const first = firstPageNumber(knobs.pageBase);
  const page = wholeNumber(query, "page", first);
  if (isRefusal(page)) return page;
  if (page < first && knobs.pageBase === "one-strict") {
    return badParameter("page", String(page), "must be 1 or more, for pages count from 1");
  }
  return { index: pageIndex(page, first, knobs), perPage };
}

/** Where that page stands in a collection of `size` rows. */
export function pageBounds(wish: PageRequest, size: number, knobs: Knobs): Page | Refusal {
  const { perPage } = wish;
  const full = Math.max(1, Math.ceil(size / perPage));
  const gap = knobs.emptyPage >= 1 && knobs.emptyPage <= full && size > 0 ? knobs.emptyPage - 1 : Infinity;
  const last = gap === Infinity ? full - 1 : full;
  const index = wish.index > last ? indexPastEnd(knobs.pastEnd, { index: wish.index, last }) : wish.index;
  if (isRefusal(index)) return index;
  if (index === gap || index < 0) return { index, perPage, last, start: 0, end: 0, repeated: 0 };
  const start = (index > gap ? index - 1 : index) * perPage;
  const repeated = start < size ? Math.min(start, knobs.repeatedRows) : 0;
  return { index, perPage, last, start: start - repeated, end: start + perPage, repeated };
}

function pageIndex(page: number, first: number, { pageBase }: Knobs): number {
  if (pageBase === "ignored") return 0;
  return pageBase === "one-empty" ? page - first : Math.max(0, page - first);
}

function readPerPage(query: URLSearchParams, knobs: Knobs): number | Refusal {
  const asked = wholeNumber(query, "per-page", defaultPerPage);
  if (isRefusal(asked)) return asked;
  if (asked < 1) return badParameter("per-page", String(asked), "must be 1 or more");
  if (asked <= knobs.maxPerPage) return asked;
  if (!query.has("per-page")) return knobs.maxPerPage;
  return perPageOverMax(knobs.overMaxPerPage, { asked, most: knobs.maxPerPage, unasked: defaultPerPage });
}

function wholeNumber(query: URLSearchParams, name: string, otherwise: number): number | Refusal {
  const value = singleValue(query, name);
  if (value === undefined) return otherwise;
  if (isRefusal(value)) return value;
  const number = Number(value);
  if (/^\d+$/.test(value) && Number.isSafeInteger(number)) return number;
  return badParameter(name, value, "must be a whole number, 0 or more");
}
