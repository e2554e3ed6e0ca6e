import { describe, expect, test } from "vitest";
import { problem, success } from "../../../src/model/result.ts";
import { type PageRequest, type Walk, walkPages } from "../../../src/service/page-walk.ts";
import { timerBy } from "../../support/fixed-ports.ts";
import { orderlyHabits, type PagingHabits, pagedCollection, refused } from "../../support/paged-collection.ts";

const common = { keyOf: (row: string) => row, stableOrder: "email", perPage: 100, maxPages: 500 };

function rows(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `row ${String(at).padStart(5, "0")}`);
}

async function walk(count: number, habits: Partial<PagingHabits> = {}, firstPage?: 0 | 1) {
  const collection = pagedCollection(rows(count), { ...orderlyHabits, ...habits });
  const walked = await walkPages({ ...common, readPage: collection.readPage, firstPage });
  const result = walked.ok ? success(essence(walked.value)) : walked;
  return { result, requests: collection.requests.length, pages: collection.requests };
}

function essence({ rows, complete, firstPage }: Walk<string>) {
  return { rows, complete, firstPage };
}

function complete(count: number, firstPage: 0 | 1 | undefined) {
  return success({ rows: rows(count), complete: { yes: true }, firstPage });
}

describe("an orderly service is read completely, whatever its first page", () => {
  test.each([
    ["page 0 is page 1 by another name", 26, { base: "alias" }, 1, 3],
    ["page 0 is the first", 26, { base: "zero" }, 0, 2],
    ["page 0 is refused", 26, { base: "refused-zero" }, 1, 3],
    ["page 0 is unknown", 26, { base: "refused-zero", refusal: 404 }, 1, 3],
    ["page 0 is always empty", 26, { base: "empty-zero" }, 1, 3],
    ["a full last page, which need not be the last", 200, {}, 1, 5],
    ["a page that may be as large as pages are", 25, {}, 1, 4],
    ["pages capped at 20", 57, { largestPage: 20 }, 1, 5],
    ["a refusal past the end", 250, { pastEnd: "refused" }, 1, 5],
    ["a zero-based refusal past the end", 26, { base: "zero", pastEnd: "refused", refusal: 404 }, 0, 2],
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
      const walked = await walk(26, habits, firstPage);
      expect(walked.result).toEqual(complete(26, firstPage));
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

describe("a full first page is followed by larger ones", () => {
  async function walkLarger(count: number, habits: Partial<PagingHabits> = {}, milliseconds = 0) {
    const collection = pagedCollection(rows(count), { ...orderlyHabits, base: "zero", ...habits });
    let now = 0;
    const readPage = (request: PageRequest) => {
      now += milliseconds;
      return collection.readPage(request);
    };
    const larger = { perPage: 1000, clock: timerBy(() => now) };
    const walked = await walkPages({ ...common, readPage, firstPage: undefined, larger });
    expect(walked.ok && essence(walked.value)).toMatchObject({ rows: rows(count), complete: { yes: true } });
    return collection.requests.map(({ page, perPage }) => `${page} of ${perPage}`);
  }

  test.each([
    ["but not where it is not full", 99, {}, ["0 of 100", "1 of 100"]],
    ["but not where the service counts no more", 100, { total: "right" }, ["0 of 100", "1 of 100", "2 of 100"]],
    ["as large as was asked", 2500, {}, ["0 of 100", "0 of 1000", "1 of 1000", "2 of 1000", "3 of 1000"]],
    [
      "but not where they are refused",
      150,
      { beyondLargest: "refused", largestPage: 500 },
      ["0 of 100", "0 of 1000", "1 of 100", "2 of 100"],
    ],
    ["but not where no more is given", 150, { largestPage: 100 }, ["0 of 100", "0 of 1000", "1 of 100", "2 of 100"]],
    [
      "as large as the service gives",
      650,
      { largestPage: 300 },
      ["0 of 100", "0 of 1000", "1 of 300", "2 of 300", "3 of 300"],
    ],
    [
      "so that it does not matter by what the service counts pages",
      650,
      { largestPage: 300, countsBy: "wished" },
      ["0 of 100", "0 of 1000", "1 of 300", "2 of 300", "3 of 300"],
    ],
  ] satisfies [string, number, Partial<PagingHabits>, string[]][])("%s", async (_name, count, habits, requests) => {
    expect(await walkLarger(count, habits)).toEqual(requests);
  });

  test("but not where it took longer than a second: a larger one might take too long", async () => {
    expect(await walkLarger(150, {}, 1001)).toEqual(["0 of 100", "1 of 100", "2 of 100"]);
    expect((await walkLarger(150, {}, 1000)).length).toBe(4);
  });
});

describe("several pages are read at the same time", () => {
  /** The requests in the order in which they are sent, and how many were under way at the most. */
  async function readTogether(count: number, hint: { total?: number; last?: number }, parallelism: number) {
    const collection = pagedCollection(rows(count), { ...orderlyHabits, base: "zero" });
    let [underWay, most] = [0, 0];
    const readPage = async (request: PageRequest) => {
      underWay += 1;
      most = Math.max(most, underWay);
      const came = await collection.readPage(request);
      await new Promise((resolve) => setImmediate(resolve));
      underWay -= 1;
      return came.ok ? success({ ...came.value, ...hint }) : came;
    };
    const walked = await walkPages({ ...common, readPage, firstPage: undefined, perPage: 10, parallelism });
    if (!walked.ok) throw new Error(walked.error.message);
    expect(underWay).toBe(0);
    return { rows: walked.value.rows, most, pages: collection.requests.map(({ page }) => page) };
  }

  test.each([
    ["the number of rows", { total: 95 }],
    ["the last page", { last: 9 }],
  ])("once the service tells %s, in the order of their numbers, and none is read twice", async (_name, hint) => {
    const { rows: found, most, pages } = await readTogether(95, hint, 4);
    expect(found).toEqual(rows(95));
    expect(most).toBe(4);
    expect(pages).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  test("one after another where it tells neither", async () => {
    expect(await readTogether(95, {}, 4)).toMatchObject({ rows: rows(95), most: 1 });
  });

  test.each([
    ["when it comes", 0],
    ["when it is answered", 1],
  ])(
    "a service that refuses a request beside others %s is asked for one page after another, and none is lost",
    async (_name, at) => {
      const collection = pagedCollection(rows(95), { ...orderlyHabits, base: "zero" });
      const outcomes: string[] = [];
      let underWay = 0;
      const readPage = async (request: PageRequest) => {
        const before = underWay;
        underWay += 1;
        await new Promise((resolve) => setImmediate(resolve));
        const others = [before, underWay - 1][at] ?? 0;
        const came = await collection.readPage(request);
        underWay -= 1;
        outcomes.push(others > 0 ? "refused" : "alone");
        if (others > 0) return problem(refused(429));
        return came.ok ? success({ ...came.value, total: 95 }) : came;
      };
      const walked = await walkPages({ ...common, readPage, firstPage: undefined, perPage: 10, parallelism: 4 });
      expect(walked.ok && walked.value.rows).toEqual(rows(95));
      expect(outcomes.filter((outcome) => outcome === "refused").length).toBeLessThanOrEqual(4);
      expect(outcomes.lastIndexOf("refused")).toBeLessThanOrEqual(5);
    },
  );

  test("a page that is refused while nothing else is read fails the list", async () => {
    const readPage = async () => problem(refused(429));
    const walked = await walkPages({ ...common, readPage, firstPage: undefined, parallelism: 4 });
    expect(walked).toEqual(problem(refused(429)));
  });

  test("a last page that is not there costs no more than the parallelism", async () => {
    const { rows: found, pages } = await readTogether(25, { last: 1_000_000 }, 4);
    expect(found).toEqual(rows(25));
    expect(pages.length).toBeLessThanOrEqual(3 + 1 + 4);
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
    ["a service that ignores the page", 25, { ignoresPage: true }, "every page showed the same 25"],
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
    const result = await walkPages({ ...common, readPage, firstPage: undefined, maxPages: 5 });
    expect(result).toMatchObject({
      ok: true,
      value: {
        complete: { yes: false, why: "it has too many pages; 5 were found before the limit" },
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

describe("one page that comes again is the whole list", () => {
  test.each([
    ["where it is larger than was asked for", 257, undefined, 3],
    ["where the service counts as many", 25, 25, 3],
    ["where it is a single row", 1, undefined, 3],
  ])("%s", async (_name, count, total, requests) => {
    const asked: PageRequest[] = [];
    const readPage = async (request: PageRequest) => {
      asked.push(request);
      return success({ rows: rows(count), ...(total === undefined ? {} : { total }) });
    };
    const walked = await walkPages({ ...common, readPage, firstPage: undefined });
    expect(walked.ok && essence(walked.value)).toEqual({
      rows: rows(count),
      complete: { yes: true },
      firstPage: undefined,
    });
    expect(asked.length).toBe(requests);
  });

  test.each([
    ["alias", 25],
    ["zero", 25],
    ["refused-zero", 25],
    ["zero", 2],
    ["empty-zero", 3],
  ] as const)(
    "where smaller pages of it differ, so that it is the last one given again (%s, %i rows)",
    async (base, count) => {
      const { result, pages } = await walk(count, { base, pastEnd: "last-again" });
      expect(result).toEqual(complete(count, undefined));
      const third = Math.max(1, Math.floor(count / 3));
      expect(pages.slice(-2)).toEqual([
        { page: 1, perPage: third },
        { page: 2, perPage: third },
      ]);
    },
  );
});

describe("an empty page is not the end where something speaks against it", () => {
  /** Pages as they are listed, from page 1 on; page 0 is refused, and whatever is behind them is empty. */
  async function walkOver(
    pages: readonly { rows: readonly string[]; total?: number; next?: { page?: number } }[],
    behind: { next?: { page?: number } } = {},
  ) {
    const asked: number[] = [];
    const readPage = async ({ page }: PageRequest) => {
      asked.push(page);
      if (page === 0) return problem(refused(404));
      return success(pages[page - 1] ?? { rows: [], ...behind });
    };
    const walked = await walkPages({ ...common, readPage, firstPage: undefined });
    if (!walked.ok) throw new Error(walked.error.message);
    return { asked, complete: walked.value.complete, found: walked.value.rows.length };
  }
  const [one, two] = [rows(7), ["later"]];

  test("the answer names a next page, and the service does not name one behind every page", async () => {
    const { asked, ...walked } = await walkOver([
      { rows: one },
      { rows: [], next: {} },
      { rows: [], next: { page: 4 } },
      { rows: two },
    ]);
    expect(walked).toEqual({ complete: { yes: true }, found: 8 });
    expect(asked).toEqual([0, 1, 2, 1_000_002, 3, 4, 5]);
  });

  test("the service names a next page always: then it says nothing", async () => {
    const { asked, ...walked } = await walkOver([{ rows: one, next: {} }], { next: {} });
    expect(walked).toEqual({ complete: { yes: true }, found: 7 });
    expect(asked).toEqual([0, 1, 2, 1_000_002]);
  });

  test.each([[2], [1], [0]])(
    "a next page that is this one or before it says nothing (page 2 names %i)",
    async (page) => {
      const { asked, ...walked } = await walkOver([{ rows: one }, { rows: [], next: { page } }]);
      expect(walked).toEqual({ complete: { yes: true }, found: 7 });
      expect(asked).toEqual([0, 1, 2]);
    },
  );

  test("the service counts more rows", async () => {
    const { asked, ...walked } = await walkOver([
      { rows: one, total: 8 },
      { rows: [], total: 8 },
      { rows: [], total: 8 },
      { rows: two, total: 8 },
    ]);
    expect(walked).toEqual({ complete: { yes: true }, found: 8 });
    expect(asked).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test("the page before it was full", async () => {
    const { asked, ...walked } = await walkOver([{ rows: rows(20) }, { rows: [] }, { rows: two }]);
    expect(walked).toEqual({ complete: { yes: true }, found: 21 });
    expect(asked).toEqual([0, 1, 2, 3, 4]);
  });

  test("it is gone on for a bounded number of pages, and then the list is incomplete", async () => {
    const gap = Array.from({ length: 40 }, (_, at) => ({ rows: [], next: { page: at + 3 } }));
    const { asked, complete } = await walkOver([{ rows: one }, ...gap]);
    expect(complete).toEqual({ yes: false, why: "its last pages were empty, but each named a next page" });
    expect(asked.length).toBeLessThan(60);
  });

  test("unless the service counts just those that were found", async () => {
    const gap = Array.from({ length: 40 }, (_, at) => ({ rows: [], next: { page: at + 3 }, total: 7 }));
    expect((await walkOver([{ rows: one, total: 7 }, ...gap])).complete).toEqual({ yes: true });
  });
});

test("a number of rows that changes while they are read says that some may have slipped through", async () => {
  // After the first page the first row goes and two come at the end: as many are found as are counted, and one is not among them.
  const before = rows(150);
  const after = [...before.slice(1), "new 1", "new 2"];
  const asked: string[] = [];
  const readPage = async ({ page, sortBy }: PageRequest) => {
    asked.push(`${page}${sortBy === undefined ? "" : ` by ${sortBy}`}`);
    if (page === 0) return problem(refused(404));
    const all = asked.length > 2 ? after : before;
    return success({ rows: all.slice((page - 1) * 100, page * 100), total: all.length });
  };
  const walked = await walkPages({ ...common, readPage, firstPage: undefined });
  expect(asked).toContain("1 by email");
  expect(walked.ok && new Set(walked.value.rows)).toEqual(new Set([...before, ...after]));
});

test.each([
  ["page 0 is page 1", {}, { alike: true }],
  ["pages are capped", { largestPage: 20, base: "zero" }, { alike: false, largestPage: 20 }],
  ["rows are counted", { total: "right" }, { alike: true, showsTotal: true }],
] satisfies [string, Partial<PagingHabits>, object][])(
  "a walk tells what it has learned: %s",
  async (_name, habits, learned) => {
    const collection = pagedCollection(rows(57), { ...orderlyHabits, ...habits });
    const walked = await walkPages({ ...common, readPage: collection.readPage, firstPage: undefined });
    const { rows: _rows, complete: _complete, firstPage: _first, ...told } = walked.ok ? walked.value : { rows: [] };
    expect(told).toEqual({ showsTotal: false, namesNextAlways: false, ...learned });
  },
);

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
