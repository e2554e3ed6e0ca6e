import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { problem, success } from "../../../src/model/result.ts";
import { type PageRequest, type WalkOptions, walkPages } from "../../../src/service/paging.ts";
import { timerBy } from "../../support/fixed-ports.ts";
import { orderlyHabits, pagedCollection, refused } from "../../support/paged-collection.ts";
import { testTextCases } from "../../support/text-cases.ts";

const common = { keyOf: (row: string) => row, stableOrder: "email", perPage: 100, maxPages: 500 };

/** Rows of the whole collection, or of one page of it. */
function rows(count: number, page = 0): readonly string[] {
  return Array.from({ length: count }, (_, at) => `row ${String(page * 1000 + at).padStart(5, "0")}`);
}

const play: Readonly<Record<string, (given: readonly string[]) => Promise<string>>> = {
  async walk([count, habits, first]) {
    const firstPage = first === undefined ? undefined : Number(first) === 0 ? 0 : 1;
    const collection = pagedCollection(rows(Number(count)), { ...orderlyHabits, ...mapOf(habits) });
    return await told({ readPage: collection.readPage, firstPage }, Number(count));
  },
  async larger([count, habits, milliseconds]) {
    const collection = pagedCollection(rows(Number(count)), { ...orderlyHabits, base: "zero", ...mapOf(habits) });
    let now = 0;
    const readPage = (request: PageRequest) => {
      now += Number(milliseconds ?? 0);
      return collection.readPage(request);
    };
    const larger = { perPage: 1000, clock: timerBy(() => now) };
    return await told({ readPage, firstPage: undefined, larger }, Number(count));
  },
  async pages([pages, behind]) {
    return await told(listedPages(parse(pages ?? "[]") as readonly ListedPage[], mapOf(behind)));
  },
  async "the same"([count, more]) {
    const readPage = async () => success({ rows: rows(Number(count)), ...mapOf(more) });
    return await told({ readPage, firstPage: undefined }, Number(count));
  },
};

testTextCases(
  new URL("./page-walk.txt", import.meta.url),
  async (section, given) => (await play[section]?.(given)) ?? "",
);

interface ListedPage {
  readonly rows: number;
  readonly total?: number;
  readonly next?: { readonly page?: number };
}

/** Pages as they are listed, from page 1 on; page 0 is refused, and whatever is behind them is empty. */
function listedPages(pages: readonly ListedPage[], behind: object = {}) {
  const readPage = async ({ page }: PageRequest) => {
    if (page === 0) return problem(refused(404));
    const { rows: count, ...more } = pages[page - 1] ?? { rows: 0, ...behind };
    return success({ rows: rows(count, page), ...more });
  };
  return { readPage, firstPage: undefined };
}

const mapOf = (text = "{}") => parse(text) as object;

/** What a walk found, what it learned, and the pages that it asked for. */
async function told(options: Pick<WalkOptions<string>, "readPage" | "firstPage" | "larger">, count?: number) {
  const asked: string[] = [];
  const readPage = (request: PageRequest) => {
    asked.push(request.perPage === undefined ? `${request.page}` : `${request.page}/${request.perPage}`);
    return options.readPage(request);
  };
  const walked = await walkPages({ ...common, ...options, readPage });
  if (!walked.ok) throw new Error(walked.error.message);
  const { rows: found, complete, firstPage, alike, showsTotal, namesNextAlways, largestPage } = walked.value;
  if (count !== undefined && complete.yes) expect(found).toEqual(rows(count));
  return [
    `${found.length} rows`,
    complete.yes ? "complete" : `incomplete: ${complete.why}`,
    ...(firstPage === undefined ? [] : [`from page ${firstPage}`]),
    ...(alike ? ["page 0 is page 1"] : []),
    ...(largestPage === undefined ? [] : [`${largestPage} a page`]),
    ...(showsTotal ? ["counted"] : []),
    ...(namesNextAlways ? ["a next page always"] : []),
    asked.join(" "),
  ].join(", ");
}

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

describe("pages without an end", () => {
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

  test("many empty pages that name a next one are read up to a bound, and then the list is incomplete, unless it is counted", async () => {
    const gap = Array.from({ length: 40 }, (_, at) => ({ rows: 0, next: { page: at + 3 } }));
    const walked = await told(listedPages([{ rows: 7 }, ...gap]));
    expect(walked).toMatch(/^7 rows, incomplete: its last pages were empty, but each named a next page, /u);
    expect(walked.split(" ").length).toBeLessThan(80);
    const counted = gap.map((page) => ({ ...page, total: 7 }));
    expect(await told(listedPages([{ rows: 7, total: 7 }, ...counted]))).toMatch(/^7 rows, complete, /u);
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
