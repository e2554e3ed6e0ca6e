import type { Failure, Paging, Visibility } from "../model/recorded.ts";
import { type Result, success } from "../model/result.ts";
import type { UserList } from "../ports/account-service.ts";
import { stopwatch, type Timer } from "../ports/clock.ts";
import { type FirstPage, type PageReading, type PageScan, saysNoSuchPage, scanPages } from "./page-scan.ts";

/** One page as it is asked for. Without `perPage` the service's own page size holds. */
export interface PageRequest {
  readonly page: number;
  readonly perPage?: number;
  readonly sortBy?: string;
}

export interface WalkOptions<Row> {
  readonly readPage: (request: PageRequest) => Promise<PageReading<Row>>;
  readonly keyOf: (row: Row) => string;
  /** The first page's number, where an earlier walk has learned it. */
  readonly firstPage: FirstPage | undefined;
  /** An earlier walk has learned that the service names a next page behind every page. */
  readonly namesNextAlways?: boolean;
  /** A field whose order does not change between two reads. */
  readonly stableOrder: string;
  readonly perPage: number;
  /** Asked for where there are more rows than on a first page of `perPage`, and that came quickly; never without it. */
  readonly larger?: { readonly perPage: number; readonly clock: Timer };
  /** Pages that are read at the same time, once an answer has told how many there are. */
  readonly parallelism?: number;
  /** No walk reads more pages than this. */
  readonly maxPages: number;
}

/** Every row that was found, once, and whether that is all of them. */
export interface Walk<Row> {
  readonly rows: readonly Row[];
  readonly complete: UserList["complete"];
  readonly firstPage: FirstPage | undefined;
  /** Page 0 is the first page by another name. */
  readonly alike: boolean;
  /** The most rows of a page, where that is fewer than were asked for. */
  readonly largestPage?: number;
  readonly showsTotal: boolean;
  readonly namesNextAlways: boolean;
}

/** Per-page's default. */
const servicePageSize = 10;

/**
 * Reads a whole collection by pages, knowing nothing about how the service counts them. Where rows seem to have slipped
 * between two pages it walks once more in a stable order (traps 9 and 10); it never claims to be complete while something speaks against it.
 */
export async function walkPages<Row>(options: WalkOptions<Row>): Promise<Result<Walk<Row>, Failure>> {
  const walk = await withLargerPages(options);
  const asked = await scan(walk, { perPage: walk.perPage });
  const sizeRefused = !asked.ok && saysNoSuchPage(asked.error) && asked.error.code !== "not-found";
  const paging = sizeRefused ? {} : { perPage: walk.perPage };
  const first = sizeRefused ? await scan(walk, paging) : asked;
  if (!first.ok) return first;
  let pass = first.value;
  let { rows } = pass;
  let doubt = doubtAbout(pass, rows.size, paging.perPage);
  if (doubt !== undefined && pass.ended === "page-ignored" && (await honoursPages(walk, pass))) doubt = undefined;
  if (doubt !== undefined && pass.ended === "at-the-end") {
    const second = await scanInStableOrder({ ...walk, firstPage: pass.firstPage }, paging);
    if (!second.ok) return second;
    pass = second.value;
    rows = new Map([...rows, ...pass.rows]);
    doubt = doubtAbout(pass, rows.size, paging.perPage);
  }
  const { firstPage, alike, largestPage, total, namesNextAlways } = pass;
  // A larger page of rows, some of which are not shown, says nothing about the largest page.
  const isSmall = largestPage !== undefined && largestPage < Math.min(options.perPage, walk.perPage);
  return success({
    rows: [...rows.values()],
    complete: doubt === undefined ? { yes: true } : { yes: false, why: doubt },
    firstPage,
    alike,
    ...(isSmall ? { largestPage } : {}),
    showsTotal: total !== undefined,
    namesNextAlways,
  });
}

function scan<Row>(
  options: WalkOptions<Row>,
  paging: Omit<PageRequest, "page">,
): Promise<Result<PageScan<Row>, Failure>> {
  const size = paging.perPage ?? servicePageSize;
  return scanPages({ ...options, size, readPage: (page) => options.readPage({ page, ...paging }) });
}

async function scanInStableOrder<Row>(
  options: WalkOptions<Row>,
  paging: Omit<PageRequest, "page">,
): Promise<Result<PageScan<Row>, Failure>> {
  const ordered = await scan(options, { ...paging, sortBy: options.stableOrder });
  const orderRefused = !ordered.ok && (saysNoSuchPage(ordered.error) || ordered.error.status === 500);
  return orderRefused ? scan(options, paging) : ordered;
}

/** Milliseconds in which a service that can give larger pages in time gives the first one. */
const quickPageTime = 1000;

/**
 * Where the first page is full and came quickly, a larger one is tried in its place. A service that gives fewer rows than that is asked for
 * as many as it gave: then it does not matter whether it counts pages by what was asked or by what it gives. The first pages are read once.
 */
async function withLargerPages<Row>(options: WalkOptions<Row>): Promise<WalkOptions<Row>> {
  const { larger, firstPage, perPage, readPage } = options;
  if (larger === undefined) return options;
  const read = new Map<number, PageReading<Row>>();
  for (const page of firstPage === undefined ? [0, 1] : [firstPage]) {
    const elapsed = stopwatch(larger.clock);
    const reading = await readPage({ page, perPage });
    read.set(page, reading);
    if (!reading.ok && !saysNoSuchPage(reading.error)) break;
    const { rows, total = perPage + 1 } = reading.ok ? reading.value : { rows: [] };
    if (rows.length === perPage && total > perPage && elapsed() <= quickPageTime) {
      const large = await readPage({ page, perPage: larger.perPage });
      const given = large.ok ? large.value.rows.length : 0;
      if (given > perPage) return readingOnce({ ...options, perPage: given }, new Map([[page, large]]));
    }
    if (rows.length > 0) break;
  }
  return readingOnce(options, read);
}

/** Gives what was read already when it is first asked for. */
function readingOnce<Row>(options: WalkOptions<Row>, read: Map<number, PageReading<Row>>): WalkOptions<Row> {
  return {
    ...options,
    async readPage(request) {
      const isSuch = request.perPage === options.perPage && request.sortBy === undefined;
      const reading = isSuch ? read.get(request.page) : undefined;
      if (reading !== undefined) read.delete(request.page);
      return reading ?? options.readPage(request);
    },
  };
}

/** What speaks against a pass having found everything. */
function doubtAbout(pass: PageScan<unknown>, found: number, size = servicePageSize): string | undefined {
  const { ended, shifted, mayGoOn, total, rows } = pass;
  const short = total !== undefined && total > found ? `the service counts ${total} and showed ${found}` : undefined;
  switch (ended) {
    case "too-many-pages":
      return `it has too many pages; ${found} were found before the limit`;
    case "page-ignored": {
      // More rows than were asked for came without paging; a round number of them would be the service's own limit.
      const isWhole = rows.size === 1 || (rows.size > size && rows.size % 100 !== 0);
      return total === found || isWhole ? undefined : (short ?? `every page showed the same ${found}`);
    }
    case "at-the-end":
      if (short !== undefined) return short;
      if (shifted) return "rows moved between its pages while they were read";
      return mayGoOn && total !== found ? "its last pages were empty, but each named a next page" : undefined;
  }
}

/**
 * Whether a service of which every page was the same honours page numbers all the same, because there is but one page and
 * it is given again behind the end: then pages of a third of it differ.
 */
async function honoursPages<Row>({ readPage, keyOf }: WalkOptions<Row>, { rows }: PageScan<Row>): Promise<boolean> {
  const perPage = Math.max(1, Math.floor(rows.size / 3));
  const keysOn = async (page: number): Promise<readonly string[]> => {
    const reading = await readPage({ page, perPage });
    return reading.ok ? reading.value.rows.map(keyOf) : [];
  };
  const first = [...rows.keys()].slice(0, perPage);
  const one = await keysOn(1);
  const other = await keysOn(2);
  const isPage = (keys: readonly string[]) =>
    keys.length > 0 && keys.length <= perPage && keys.every((key) => rows.has(key));
  const areApart = (some: readonly string[]) => !other.some((key) => some.includes(key));
  // Of two rows, a service that counts from 0 gives the second on page 1 and again on page 2.
  return isPage(one) && isPage(other) && areApart(first) && (rows.size === 2 || areApart(one));
}

/** What this process has learned about how the service pages its lists. */
export interface LearnedPaging {
  firstPage: FirstPage | undefined;
  alike: boolean;
  largestPage: number | undefined;
  totals: Visibility;
  namesNextAlways: boolean;
  /** The search takes the parameter `per-page`, as far as it is known. */
  searchTakesSize: boolean;
}

export function nothingLearned(): LearnedPaging {
  const pages = { firstPage: undefined, alike: false, largestPage: undefined, namesNextAlways: false };
  return { ...pages, totals: "unknown", searchTakesSize: true };
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
