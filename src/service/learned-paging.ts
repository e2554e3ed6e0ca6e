import type { Paging, Visibility } from "../model/capabilities.ts";
import type { FirstPage } from "./page-pass.ts";
import type { Walk } from "./page-walk.ts";

/** What this process has learned about how the service pages its lists. */
export interface LearnedPaging {
  firstPage: FirstPage | undefined;
  alike: boolean;
  largestPage: number | undefined;
  totals: Visibility;
  namesNextAlways: boolean;
}

export function nothingLearned(): LearnedPaging {
  return { firstPage: undefined, alike: false, largestPage: undefined, totals: "unknown", namesNextAlways: false };
}

export function learnPaging(learned: LearnedPaging, walk: Walk<unknown>): void {
  if (walk.complete.yes) learned.largestPage = walk.largestPage ?? learned.largestPage;
  learned.firstPage = walk.firstPage;
  learned.alike ||= walk.alike;
  learned.namesNextAlways ||= walk.namesNextAlways;
  learned.totals = walk.showsTotal ? "shown" : "hidden";
}

export function pagingShown({ firstPage, alike, largestPage }: LearnedPaging): Paging {
  const largest = largestPage === undefined ? {} : { largestPage };
  if (firstPage === undefined) return { firstPage: "unknown", ...largest };
  return { firstPage: alike ? "0-and-1-alike" : firstPage === 0 ? "0" : "1", ...largest };
}
