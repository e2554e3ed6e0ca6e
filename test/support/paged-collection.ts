import type { Failure } from "../../src/model/failure.ts";
import { problem, type Result, success } from "../../src/model/result.ts";
import type { Page, PageRequest } from "../../src/service/paging.ts";

export interface PagingHabits {
  /** What page 0 is: the first page, the first page by another name, refused, or always empty. */
  readonly base: "zero" | "alias" | "refused-zero" | "empty-zero";
  readonly refusal: 400 | 404 | 422;
  /** The largest page, and what becomes of a wish for more. */
  readonly largestPage: number;
  readonly beyondLargest: "clamped" | "refused";
  /** Where a wish for more is clamped: whether a page begins after so many rows as are given, or as were wished. */
  readonly countsBy?: "given" | "wished";
  readonly pastEnd: "empty" | "refused" | "last-again";
  readonly total: "none" | "right";
  readonly ignoresPage: boolean;
  /** `shuffled`: unsorted rows come in another order at each request. */
  readonly order: "stable" | "shuffled";
  readonly sorting: "honoured" | "ignored" | 400 | 500;
  /** Rows that are filtered out after the page was cut, so that pages are short. */
  readonly isHidden: (row: string) => boolean;
}

export const orderlyHabits: PagingHabits = {
  base: "alias",
  refusal: 400,
  largestPage: 1000,
  beyondLargest: "clamped",
  pastEnd: "empty",
  total: "none",
  ignoresPage: false,
  order: "stable",
  sorting: "honoured",
  isHidden: () => false,
};

/** A collection of texts behind such a service. `shuffle` gives the order of one request. */
export function pagedCollection(
  rows: readonly string[],
  habits: PagingHabits,
  shuffle: (rows: readonly string[]) => readonly string[] = (same) => same,
) {
  const requests: PageRequest[] = [];
  const shownRows = rows.filter((row) => !habits.isHidden(row));

  async function readPage(request: PageRequest): Promise<Result<Page<string>, Failure>> {
    requests.push(request);
    const refusal = refusalOf(request, habits);
    if (refusal !== undefined) return problem(refusal);
    const index = indexOf(request.page, habits);
    if (index === undefined) return habits.base === "empty-zero" ? page([]) : problem(refused(habits.refusal));
    const size = stepOf(request, { ...habits, countsBy: "given" });
    const ordered = orderedFor(request);
    const last = Math.max(0, Math.ceil(rows.length / size) - 1);
    if (index > last && habits.pastEnd === "refused") return problem(refused(habits.refusal));
    const start = (index > last && habits.pastEnd === "last-again" ? last : index) * stepOf(request, habits);
    return page(ordered.slice(start, start + size));
  }

  function orderedFor({ sortBy }: PageRequest): readonly string[] {
    if (sortBy !== undefined && habits.sorting === "honoured") return [...rows].sort();
    return habits.order === "shuffled" ? shuffle(rows) : rows;
  }

  function page(cut: readonly string[]): Result<Page<string>, Failure> {
    const visible = cut.filter((row) => !habits.isHidden(row));
    return success({ rows: visible, ...(habits.total === "right" ? { total: shownRows.length } : {}) });
  }

  return { readPage, requests, shownRows };
}

/** How many rows after the page before it a page begins. */
function stepOf({ perPage = 10 }: PageRequest, { largestPage, countsBy }: PagingHabits): number {
  return countsBy === "wished" ? perPage : Math.min(perPage, largestPage);
}

function refusalOf({ perPage, sortBy }: PageRequest, habits: PagingHabits): Failure | undefined {
  if ((perPage ?? 10) > habits.largestPage && habits.beyondLargest === "refused") return refused(400);
  if (sortBy !== undefined && typeof habits.sorting === "number") return refused(habits.sorting);
  return undefined;
}

function indexOf(page: number, { base, ignoresPage }: PagingHabits): number | undefined {
  if (ignoresPage) return 0;
  if (base === "zero") return page;
  if (page === 0) return base === "alias" ? 0 : undefined;
  return page - 1;
}

export function refused(status: number): Failure {
  return { code: status < 500 ? "refused" : "service-error", message: `refused with ${status}`, status };
}
