import type { Knobs } from "./knobs.ts";
import { badParameter, singleValue } from "./query-parameter.ts";
import { isRefusal, type Refusal } from "./reply.ts";

/** Which part of a collection is asked for. */
export interface PageWish {
  /** Counts from 0, whatever the callers count from. */
  readonly index: number;
  readonly perPage: number;
}

const defaultPerPage = 10;

/** The page that the query asks for; the first where it names none. */
export function readPage(query: URLSearchParams, knobs: Knobs): PageWish | Refusal {
  const perPage = wholeNumber(query, "per-page", defaultPerPage);
  if (isRefusal(perPage)) return perPage;
  if (perPage < 1) return badParameter("per-page", String(perPage), "must be 1 or more");
  const first = firstPage(knobs);
  const page = wholeNumber(query, "page", first);
  if (isRefusal(page)) return page;
  if (page < first && knobs.pageBase === "one-strict") {
    return badParameter("page", String(page), "must be 1 or more, for pages count from 1");
  }
  return { index: Math.max(0, page - first), perPage: Math.min(perPage, knobs.maxPerPage) };
}

/** The number of the first page. */
export function firstPage(knobs: Knobs): number {
  return knobs.pageBase === "zero" ? 0 : 1;
}

function wholeNumber(query: URLSearchParams, name: string, otherwise: number): number | Refusal {
  const value = singleValue(query, name);
  if (value === undefined) return otherwise;
  if (isRefusal(value)) return value;
  const number = Number(value);
  if (/^\d+$/.test(value) && Number.isSafeInteger(number)) return number;
  return badParameter(name, value, "must be a whole number, 0 or more");
}
