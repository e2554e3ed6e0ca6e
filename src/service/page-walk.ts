import type { Paging, Visibility } from "../model/capabilities.ts";
import { type Failure, type Result, success } from "../model/result.ts";
import type { UserList } from "../ports/account-service.ts";
import { stopwatch, type Timer } from "../ports/clock.ts";
import { type FirstPage, type Page, type PageScan, saysNoSuchPage, scanPages } from "./page-scan.ts";

/** One page as it is asked for. Without `perPage` the service's own page size holds. */
export interface PageRequest {
  readonly page: number;
  readonly perPage?: number;
  readonly sortBy?: string;
}

export interface WalkOptions<Row> {
  readonly readPage: (request: PageRequest) => Promise<Result<Page<Row>, Failure>>;
  readonly keyOf: (row: Row) => string;
  /** The first page's number, where an earlier walk has learned it. */
  readonly firstPage: FirstPage | undefined;
  /** An earlier walk has learned that the service names a next page behind every page. */
  readonly namesNextAlways?: boolean;
  /** A field whose order does not change between two reads. */
  readonly stableOrder: string;
  readonly perPage: number;
  /** Asked for where there are more rows than on a first page of `perPage`; never without it. */
  readonly larger?: LargerPages;
  /** Pages that are read at the same time, once an answer has told how many there are. */
  readonly parallelism?: number;
  /** No walk reads more pages than this. */
  readonly maxPages: number;
}

/** Pages of so many rows, where the service gives small ones quickly. */
export interface LargerPages {
  readonly perPage: number;
  readonly clock: Timer;
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

const servicePageSize = 10;

/**
 * Reads a whole collection by pages, knowing nothing about how the service counts them. Where rows seem to have slipped
 * between two pages it walks once more in a stable order; it never claims to be complete while something speaks against it.
 */
export async function walkPages<Row>(options: WalkOptions<Row>): Promise<Result<Walk<Row>, Failure>> {
  const walked = await walkBySize(await withLargerPages(options));
  return walked.ok ? success(withLargestPage(walked.value, options.perPage)) : walked;
}

/** A larger page of rows, some of which are not shown, says nothing about the largest page. */
function withLargestPage<Row>({ largestPage, ...walk }: Walk<Row>, perPage: number): Walk<Row> {
  return largestPage === undefined || largestPage >= perPage ? walk : { ...walk, largestPage };
}

/** Milliseconds in which a service that can give larger pages in time gives the first one. */
const quickPageTime = 1000;

/**
 * Where the first page is full and came quickly, a larger one is tried in its place. A service that gives fewer rows than that is asked for
 * as many as it gave: then it does not matter whether it counts pages by what was asked or by what it gives. The first pages are read once.
 */
async function withLargerPages<Row>(options: WalkOptions<Row>): Promise<WalkOptions<Row>> {
  const { larger, perPage, readPage } = options;
  if (larger === undefined) return options;
  const read: FirstPages<Row> = new Map();
  const page = await readFirstRows(options, larger.clock, read);
  const large = page === undefined ? undefined : await readPage({ page, perPage: larger.perPage });
  const rows = large?.ok === true ? large.value.rows.length : 0;
  if (page === undefined || large === undefined || rows <= perPage)
    return { ...options, readPage: readingOnce(readPage, perPage, read) };
  return { ...options, perPage: rows, readPage: readingOnce(readPage, rows, new Map([[page, large]])) };
}

type FirstPages<Row> = Map<number, Result<Page<Row>, Failure>>;

/** Reads up to the first page that has rows, and returns its number where it is full and came quickly. */
async function readFirstRows<Row>(
  { firstPage, perPage, readPage }: WalkOptions<Row>,
  clock: Timer,
  read: FirstPages<Row>,
): Promise<number | undefined> {
  for (const page of firstPage === undefined ? [0, 1] : [firstPage]) {
    const elapsed = stopwatch(clock);
    const reading = await readPage({ page, perPage });
    read.set(page, reading);
    if (!reading.ok && !saysNoSuchPage(reading.error)) return undefined;
    const { rows, total = perPage + 1 } = reading.ok ? reading.value : { rows: [] };
    if (rows.length === perPage && total > perPage && elapsed() <= quickPageTime) return page;
    if (rows.length > 0) return undefined;
  }
  return undefined;
}

/** Gives what was read already when it is first asked for. */
function readingOnce<Row>(
  readPage: WalkOptions<Row>["readPage"],
  perPage: number,
  read: FirstPages<Row>,
): WalkOptions<Row>["readPage"] {
  return async (request) => {
    const isSuch = request.perPage === perPage && request.sortBy === undefined;
    const reading = isSuch ? read.get(request.page) : undefined;
    if (reading !== undefined) read.delete(request.page);
    return reading ?? readPage(request);
  };
}

async function walkBySize<Row>(options: WalkOptions<Row>): Promise<Result<Walk<Row>, Failure>> {
  const asked = await scan(options, { perPage: options.perPage });
  const sizeRefused = !asked.ok && saysNoSuchPage(asked.error) && asked.error.code !== "not-found";
  const size = sizeRefused ? undefined : options.perPage;
  const first = sizeRefused ? await scan(options, {}) : asked;
  if (!first.ok) return first;
  const walked = (pass: PageScan<Row>, rows: ReadonlyMap<string, Row>, doubt: string | undefined) =>
    success(walkOf(pass, { rows, doubt, perPage: options.perPage }));
  const doubt = doubtAbout(first.value, first.value.rows.size, size);
  if (doubt === undefined) return walked(first.value, first.value.rows, undefined);
  if (first.value.ended === "page-ignored") {
    const honours = await honoursPages(options, first.value);
    return walked(first.value, first.value.rows, honours ? undefined : doubt);
  }
  if (first.value.ended !== "at-the-end") return walked(first.value, first.value.rows, doubt);
  const second = await scanInStableOrder(options, size, first.value.firstPage);
  if (!second.ok) return second;
  const union = new Map([...first.value.rows, ...second.value.rows]);
  return walked(second.value, union, doubtAbout(second.value, union.size, size));
}

async function scanInStableOrder<Row>(
  options: WalkOptions<Row>,
  size: number | undefined,
  firstPage: FirstPage | undefined,
): Promise<Result<PageScan<Row>, Failure>> {
  const paging = size === undefined ? {} : { perPage: size };
  const known = { ...options, firstPage };
  const ordered = await scan(known, { ...paging, sortBy: options.stableOrder });
  const orderRefused = !ordered.ok && (saysNoSuchPage(ordered.error) || ordered.error.status === 500);
  return orderRefused ? scan(known, paging) : ordered;
}

function scan<Row>(
  options: WalkOptions<Row>,
  paging: Omit<PageRequest, "page">,
): Promise<Result<PageScan<Row>, Failure>> {
  const size = paging.perPage ?? servicePageSize;
  const { namesNextAlways = false } = options;
  return scanPages({ ...options, size, namesNextAlways, readPage: (page) => options.readPage({ page, ...paging }) });
}

/** What speaks against a pass having found everything. */
function doubtAbout(pass: PageScan<unknown>, found: number, size: number | undefined): string | undefined {
  const { ended, shifted, mayGoOn, total, rows } = pass;
  const short = total !== undefined && total > found ? `the service counts ${total} and showed ${found}` : undefined;
  switch (ended) {
    case "too-many-pages":
      return `it has too many pages; ${found} were found before the limit`;
    case "page-ignored":
      return total === found || isWholeAnswer(rows.size, size)
        ? undefined
        : (short ?? `every page showed the same ${found}`);
    case "at-the-end":
      return short ?? (shifted ? rowsMoved : mayGoOn && total !== found ? endInDoubt : undefined);
  }
}

const rowsMoved = "rows moved between its pages while they were read";
const endInDoubt = "its last pages were empty, but each named a next page";

/** More rows than were asked for came without paging; a round number of them would be the service's own limit. */
function isWholeAnswer(rows: number, size: number | undefined): boolean {
  return rows === 1 || (rows > (size ?? servicePageSize) && rows % 100 !== 0);
}

function walkOf<Row>(
  { firstPage, alike, largestPage, total, namesNextAlways }: PageScan<Row>,
  found: { readonly rows: ReadonlyMap<string, Row>; readonly doubt: string | undefined; readonly perPage: number },
): Walk<Row> {
  const { rows, doubt, perPage } = found;
  return {
    rows: [...rows.values()],
    complete: doubt === undefined ? { yes: true } : { yes: false, why: doubt },
    firstPage,
    alike,
    ...(largestPage === undefined || largestPage >= perPage ? {} : { largestPage }),
    showsTotal: total !== undefined,
    namesNextAlways,
  };
}

/**
 * Whether a service of which every page was the same honours page numbers all the same, because there is but one page and
 * it is given again behind the end: then pages of a third of it differ.
 */
async function honoursPages<Row>(options: WalkOptions<Row>, { rows }: PageScan<Row>): Promise<boolean> {
  const perPage = Math.max(1, Math.floor(rows.size / 3));
  const keysOn = async (page: number): Promise<readonly string[]> => {
    const reading = await options.readPage({ page, perPage });
    return reading.ok ? reading.value.rows.map(options.keyOf) : [];
  };
  const one = await keysOn(1);
  const other = await keysOn(2);
  const first = [...rows.keys()].slice(0, perPage);
  const arePages = [one, other].every((keys) => isPageOf(rows, keys, perPage));
  // Of two rows, a service that counts from 0 gives the second on page 1 and again on page 2.
  return arePages && areApart(first, other) && (rows.size === 2 || areApart(one, other));
}

function isPageOf(rows: ReadonlyMap<string, unknown>, keys: readonly string[], perPage: number): boolean {
  return keys.length > 0 && keys.length <= perPage && keys.every((key) => rows.has(key));
}

function areApart(some: readonly string[], others: readonly string[]): boolean {
  return !others.some((key) => some.includes(key));
}

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
