import { describe, expect, test } from "vitest";
import { problem, success } from "../../../src/model/result.ts";
import { type PageRequest, walkPages } from "../../../src/service/page-walk.ts";
import { orderlyHabits, type PagingHabits, pagedCollection, refused } from "../../support/paged-collection.ts";

const common = { keyOf: (row: string) => row, stableOrder: "email", perPage: 100, mostPages: 500 };

function rows(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `row ${String(at).padStart(5, "0")}`);
}

async function walk(count: number, habits: Partial<PagingHabits> = {}, firstPage?: 0 | 1) {
  const collection = pagedCollection(rows(count), { ...orderlyHabits, ...habits });
  const result = await walkPages({ ...common, readPage: collection.readPage, firstPage });
  return { result, requests: collection.requests.length, pages: collection.requests };
}

function complete(count: number, firstPage: 0 | 1 | undefined) {
  return success({ rows: rows(count), complete: { yes: true }, firstPage });
}

describe("an orderly service is read completely, whatever its first page", () => {
  test.each([
    ["page 0 is page 1 by another name", 25, { base: "alias" }, 1, 3],
    ["page 0 is the first", 25, { base: "zero" }, 0, 2],
    ["page 0 is refused", 25, { base: "refused-zero" }, 1, 3],
    ["page 0 is unknown", 25, { base: "refused-zero", refusal: 404 }, 1, 3],
    ["page 0 is always empty", 25, { base: "empty-zero" }, 1, 3],
    ["a full last page", 200, {}, 1, 4],
    ["pages capped at 20", 57, { largestPage: 20 }, 1, 5],
    ["a refusal past the end", 250, { pastEnd: "refused" }, 1, 5],
    ["a zero-based refusal past the end", 25, { base: "zero", pastEnd: "refused", refusal: 404 }, 0, 2],
    ["the last page given again past the end", 250, { pastEnd: "last-again" }, 1, 5],
    ["one more row than fits", 101, { base: "zero" }, 0, 3],
  ] satisfies [string, number, Partial<PagingHabits>, 0 | 1, number][])(
    "%s",
    async (_name, count, habits, firstPage, requests) => {
      const walked = await walk(count, habits);
      expect(walked.result).toEqual(complete(count, firstPage));
      expect(walked.requests).toBe(requests);
    },
  );

  test.each([
    ["one-based", { base: "alias" }, 1, 2],
    ["zero-based", { base: "zero" }, 0, 2],
  ] satisfies [string, Partial<PagingHabits>, 0 | 1, number][])(
    "with one request fewer where it is known to be %s",
    async (_name, habits, firstPage, requests) => {
      const walked = await walk(25, habits, firstPage);
      expect(walked.result).toEqual(complete(25, firstPage));
      expect(walked.requests).toBe(requests);
    },
  );

  test("a refused page size is given up for the service's own", async () => {
    const { result, pages } = await walk(25, { largestPage: 50, beyondLargest: "refused" });
    expect(result).toEqual(complete(25, 1));
    expect(pages.map(({ perPage }) => perPage)).toEqual([
      100,
      100,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe("an empty collection is complete, and says nothing about the first page", () => {
  test.each([
    ["empty pages", {}],
    ["zero-based empty pages", { base: "zero" }],
    ["empty page 0, and page 1 refused", { base: "zero", pastEnd: "refused" }],
  ] satisfies [string, Partial<PagingHabits>][])("%s", async (_name, habits) => {
    expect((await walk(0, habits)).result).toEqual(complete(0, undefined));
  });
});

describe("what cannot be trusted is said to be incomplete", () => {
  test.each([
    [
      "a service that ignores the page and the page size",
      25,
      { ignoresPage: true, largestPage: 10 },
      "every page showed the same 10",
    ],
    [
      "a service that shows one page over and over",
      25,
      { base: "refused-zero", pastEnd: "last-again" },
      "every page showed the same 25",
    ],
  ] satisfies [string, number, Partial<PagingHabits>, string][])("%s", async (_name, count, habits, why) => {
    const { result } = await walk(count, habits);
    expect(result).toMatchObject({ ok: true, value: { complete: { yes: false, why }, firstPage: undefined } });
  });

  test("a total larger than what was shown", async () => {
    const readPage = async ({ page }: { page: number }) => success({ rows: page === 1 ? ["a", "b"] : [], total: 3 });
    const result = await walkPages({ ...common, readPage, firstPage: undefined });
    expect(result).toMatchObject({
      ok: true,
      value: { complete: { yes: false, why: "the service counts 3 and showed 2" } },
    });
  });

  test("more pages than are read at the most", async () => {
    const readPage = async ({ page }: { page: number }) => success({ rows: [`row ${page}`] });
    const result = await walkPages({ ...common, readPage, firstPage: undefined, mostPages: 5 });
    expect(result).toMatchObject({
      ok: true,
      value: {
        complete: { yes: false, why: "it has more pages than are read at the most, and 5 were found until then" },
      },
    });
  });

  test("a round number of rows in one page that comes again is the service's limit", async () => {
    const readPage = async () => success({ rows: rows(1000) });
    expect(await walkPages({ ...common, readPage, firstPage: undefined })).toMatchObject({
      ok: true,
      value: { complete: { yes: false } },
    });
  });
});

test("one answer larger than the page size is the whole of an unpaged list", async () => {
  const readPage = async () => success({ rows: rows(257) });
  expect(await walkPages({ ...common, readPage, firstPage: undefined })).toEqual(complete(257, undefined));
});

test("a repeated page is whole where the service counts as many", async () => {
  const readPage = async () => success({ rows: rows(25), total: 25 });
  expect(await walkPages({ ...common, readPage, firstPage: undefined })).toEqual(complete(25, undefined));
});

describe("rows that move between two pages are found by a second walk in a stable order", () => {
  /** From the first read of page 2 on, one more row stands at the front. */
  function shifting(sorting: "honoured" | 400 | 500) {
    const asked: string[] = [];
    let order = rows(150);
    const readPage = async ({ page, sortBy }: PageRequest) => {
      asked.push(sortBy === undefined ? `${page}` : `${page} by ${sortBy}`);
      if (sortBy !== undefined && sorting !== "honoured") return problem(refused(sorting));
      if (page === 0) return problem(refused(404));
      if (page === 2) order = ["new", ...rows(150)];
      return success({ rows: order.slice((page - 1) * 100, page * 100) });
    };
    return { readPage, asked };
  }

  test.each([["honoured"], [400], [500]] as const)("sorting %s", async (sorting) => {
    const { readPage, asked } = shifting(sorting);
    const result = await walkPages({ ...common, readPage, firstPage: undefined });
    expect(result).toMatchObject({ ok: true, value: { complete: { yes: true } } });
    expect(result.ok && [...result.value.rows].sort()).toEqual(["new", ...rows(150)].sort());
    expect(asked.slice(0, 4)).toEqual(["0", "1", "2", "3"]);
    expect(asked[4]).toBe("0 by email");
  });
});

describe("a page that cannot be read is a failure", () => {
  test.each([
    ["of the first page", 0],
    ["of a later page", 2],
  ])("%s", async (_name, failing) => {
    const broken = { code: "service-error", message: "broken", status: 503 } as const;
    const readPage = async ({ page }: { page: number }) =>
      page === failing ? problem(broken) : success({ rows: [`row ${page}`] });
    expect(await walkPages({ ...common, readPage, firstPage: undefined })).toEqual(problem(broken));
  });

  test.each([[400], [404], [422]])("of every page with %i", async (status) => {
    const readPage = async () => problem(refused(status));
    expect(await walkPages({ ...common, readPage, firstPage: undefined })).toEqual(problem(refused(status)));
  });
});
