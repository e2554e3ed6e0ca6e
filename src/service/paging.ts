import type { Capabilities, Visibility } from "../model/capabilities.ts";
import type { Failure } from "../model/failure.ts";
import { type Result, success } from "../model/result.ts";
import { stopwatch, type Timer } from "../ports/clock.ts";
import type { UserList } from "./port.ts";

/** One page as it is asked for. Without `perPage` the service's own page size holds. */
export interface PageRequest {
  readonly page: number;
  readonly perPage?: number;
  readonly sortBy?: string;
}

export interface WalkOptions<Row> extends Omit<PageScanOptions<Row>, "readPage" | "size"> {
  readonly readPage: (request: PageRequest) => Promise<PageReading<Row>>;
  /** A field whose order does not change between two reads. */
  readonly stableOrder: string;
  readonly perPage: number;
  /** Asked for where there are more rows than on a first page of `perPage`, and that came quickly; never without it. */
  readonly larger?: { readonly perPage: number; readonly clock: Timer };
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

function scan<Row>(options: WalkOptions<Row>, paging: Omit<PageRequest, "page">) {
  const size = paging.perPage ?? servicePageSize;
  return scanPages({ ...options, size, readPage: (page) => options.readPage({ page, ...paging }) });
}

async function scanInStableOrder<Row>(options: WalkOptions<Row>, paging: Omit<PageRequest, "page">) {
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

export function pagingShown({ firstPage, alike, largestPage }: LearnedPaging): Capabilities["paging"] {
  const largest = largestPage === undefined ? {} : { largestPage };
  if (firstPage === undefined) return { firstPage: "unknown", ...largest };
  return { firstPage: alike ? "0-and-1-alike" : firstPage === 0 ? "0" : "1", ...largest };
}

/** The number of the first page, where it is known. */
type FirstPage = 0 | 1;

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** How many rows there are in all, where the service says so. A hint. */
  readonly total?: number;
  /** A next page that the service names, with its number where it tells one. A hint: never followed, and never the only reason to stop. */
  readonly next?: { readonly page?: number };
  /** The number of the last page, where the service names one. A hint. */
  readonly last?: number;
}

export type PageReading<Row> = Result<Page<Row>, Failure>;

interface PageScanOptions<Row> {
  /** A failure with the status 400, 404 or 422 says that there is no such page. */
  readonly readPage: (page: number) => Promise<PageReading<Row>>;
  /** Pages that are read at the same time, once an answer has told how many there are; one after another without it. */
  readonly parallelism?: number;
  /** Rows with one key are one row. */
  readonly keyOf: (row: Row) => string;
  /** The first page's number, where an earlier walk has learned it. */
  readonly firstPage: FirstPage | undefined;
  /** Rows of a full page, as far as they were asked for. */
  readonly size: number;
  readonly maxPages: number;
  /** An earlier walk has learned that the service names a next page behind every page. */
  readonly namesNextAlways?: boolean;
}

/** What one pass over all pages found. */
interface PageScan<Row> {
  readonly rows: ReadonlyMap<string, Row>;
  /** `page-ignored`: every page was the same. */
  readonly ended: "at-the-end" | "page-ignored" | "too-many-pages";
  /** Some row stood on more than one page, or their number changed: rows may have slipped through between the reads. */
  readonly shifted: boolean;
  /** The last pages were empty, and named a next one all the same. */
  readonly mayGoOn: boolean;
  readonly namesNextAlways: boolean;
  readonly firstPage: FirstPage | undefined;
  /** Page 0 is the first page by another name. */
  readonly alike: boolean;
  readonly total: number | undefined;
  /** Rows of the largest page, where there was more than one. */
  readonly largestPage: number | undefined;
}

/** By its status, or by the body of an answer of success. */
export function saysNoSuchPage({ status, code }: Failure): boolean {
  if (status === 200) return code === "refused" || code === "not-found";
  return status === 400 || status === 404 || status === 422;
}

/** Far behind the end of any list. */
const pagesBeyondEnd = 1_000_000;

/**
 * Reads page after page without knowing whether the first is 0, 1 or both (traps 1 to 3). A short page is not the end (trap 4); an
 * empty one that nothing speaks against (trap 11), a refused one after rows (trap 13), or one that adds nothing (trap 8) is.
 */
export async function scanPages<Row>(options: PageScanOptions<Row>): Promise<Result<PageScan<Row>, Failure>> {
  const ahead = readAhead(options.readPage, options.parallelism ?? 1);
  const scanner = new PageScanner(options);
  const start = options.firstPage ?? 0;
  let ended: PageScan<Row>["ended"] | undefined;
  for (let page = start; ended === undefined && page < start + options.maxPages; page += 1) {
    const reading = await ahead.read(page);
    if (!reading.ok && !(saysNoSuchPage(reading.error) && scanner.mayBeNoPage(page))) {
      await ahead.settle();
      return reading;
    }
    if (reading.ok && scanner.mustTestHint(page, reading.value))
      scanner.takeFarPage(page + pagesBeyondEnd, await ahead.read(page + pagesBeyondEnd));
    ended = reading.ok ? scanner.take(page, reading.value) : scanner.takeRefusal(page);
  }
  await ahead.settle();
  return success(scanner.result(ended ?? "too-many-pages"));
}

/**
 * Reads the pages that an answer has told of before the scan gets to them: the scan sees the same pages in the same order. A service that
 * does not answer one of them may have been asked too much at once: from then on it is asked for one page after another.
 */
function readAhead<Row>(readPage: PageScanOptions<Row>["readPage"], atOnce: number) {
  const begun = new Map<number, Promise<PageReading<Row>>>();
  let parallelism = atOnce;
  let largestPage = 0;
  /** The number that the last page has at the most, counted from 1, as far as an answer tells. */
  let lastPage = 0;
  return {
    async read(page: number): Promise<PageReading<Row>> {
      const ahead = begun.get(page);
      begun.delete(page);
      const first = ahead ?? readPage(page);
      for (let next = page + 1; next <= Math.min(lastPage, page + parallelism - 1); next += 1)
        if (!begun.has(next)) begun.set(next, readPage(next));
      const isAlone = ahead === undefined && begun.size === 0;
      let reading = await first;
      if (!reading.ok && !isAlone && !saysNoSuchPage(reading.error)) {
        parallelism = 1;
        await this.settle();
        reading = await readPage(page);
      }
      if (reading.ok) {
        const { rows, total = 0, last } = reading.value;
        largestPage = Math.max(largestPage, rows.length);
        lastPage = Math.max(lastPage, last ?? (largestPage === 0 ? 0 : Math.ceil(total / largestPage)));
      }
      return reading;
    },
    /** Resolves when nothing is being read any more: a scan may end before the page that an answer told of. */
    async settle(): Promise<void> {
      await Promise.all(begun.values());
    },
  };
}

/** How many empty pages in a row are gone past, for the reason that speaks against the end. */
const patience = { "a hint": 20, "a full page before": 1, nothing: 0 } as const;

class PageScanner<Row> {
  readonly #options: PageScanOptions<Row>;
  readonly #rows = new Map<string, Row>();
  /** How many pages there were of each size. */
  readonly #pagesOfSize = new Map<number, number>();
  #previous: readonly string[] | undefined;
  #lastSize = 0;
  #emptyInARow = 0;
  #answered = false;
  #distinctPages = 0;
  #shifted = false;
  #alike = false;
  #mayGoOn = false;
  /** Whether a next page that an empty page names is worth anything (trap 5). */
  #naming: "untested" | "always" | "truly";
  #firstPage: FirstPage | undefined;
  #total: number | undefined;

  constructor(options: PageScanOptions<Row>) {
    this.#options = options;
    this.#firstPage = options.firstPage;
    this.#naming = options.namesNextAlways === true ? "always" : "untested";
  }

  /** A refusal can only be the end where something was answered before, or on a page 0 that need not be there. */
  mayBeNoPage(page: number): boolean {
    return this.#answered || this.#isOptional(page);
  }

  /** An empty page that names a next one is tested once: a service that does so far behind the end always does. */
  mustTestHint(page: number, { rows, next }: Page<Row>): boolean {
    return rows.length === 0 && !this.#isOptional(page) && this.#naming === "untested" && hintsAt(page, next);
  }

  takeFarPage(page: number, reading: PageReading<Row>): void {
    const always = reading.ok && reading.value.rows.length === 0 && hintsAt(page, reading.value.next);
    this.#naming = always ? "always" : "truly";
  }

  takeRefusal(page: number): PageScan<Row>["ended"] | undefined {
    if (!this.#answered) return undefined;
    this.#learnFirstPage(page, []);
    return "at-the-end";
  }

  take(page: number, answer: Page<Row>): PageScan<Row>["ended"] | undefined {
    const { rows, total } = answer;
    this.#answered = true;
    if (total !== undefined) {
      // A number of rows that changes on the way says that rows came or went.
      this.#shifted ||= this.#total !== undefined && this.#total !== total;
      this.#total = Math.max(total, this.#total ?? 0);
    }
    if (rows.length === 0) return this.#takeEmpty(page, answer);
    const keys = rows.map(this.#options.keyOf);
    const sorted = [...new Set(keys)].sort();
    const { length } = sorted;
    const isRepeated = this.#previous?.length === length && this.#previous.every((key, at) => key === sorted[at]);
    this.#previous = sorted;
    if (isRepeated) return this.#takeRepeated(page);
    this.#pagesOfSize.set(rows.length, (this.#pagesOfSize.get(rows.length) ?? 0) + 1);
    this.#lastSize = rows.length;
    this.#emptyInARow = 0;
    this.#mayGoOn = false;
    this.#learnFirstPage(page, sorted);
    const before = this.#rows.size;
    this.#shifted ||= sorted.some((key) => this.#rows.has(key));
    for (const [index, row] of rows.entries()) this.#rows.set(keys[index] ?? "", row);
    this.#distinctPages += 1;
    return this.#rows.size === before && page >= 2 ? "at-the-end" : undefined;
  }

  result(ended: PageScan<Row>["ended"]): PageScan<Row> {
    const isSettled = ended === "at-the-end" && !this.#shifted;
    return {
      rows: this.#rows,
      ended,
      shifted: this.#shifted,
      mayGoOn: this.#mayGoOn,
      namesNextAlways: this.#naming === "always",
      firstPage: isSettled ? this.#firstPage : this.#options.firstPage,
      alike: isSettled && this.#alike,
      total: this.#total,
      largestPage: this.#distinctPages > 1 ? this.#largestPage : undefined,
    };
  }

  get #largestPage(): number {
    return Math.max(0, ...this.#pagesOfSize.keys());
  }

  #isOptional(page: number): boolean {
    return page === 0 && this.#options.firstPage === undefined;
  }

  #takeEmpty(page: number, { next }: Page<Row>): PageScan<Row>["ended"] | undefined {
    if (this.#isOptional(page)) return undefined;
    this.#learnFirstPage(page, []);
    this.#emptyInARow += 1;
    const namesNext = hintsAt(page, next);
    const lacksRows = this.#total !== undefined && this.#total > this.#rows.size;
    const isHinted = lacksRows || (namesNext && this.#naming !== "always");
    const reason = isHinted ? "a hint" : this.#endedFull() ? "a full page before" : "nothing";
    const goesOn = this.#emptyInARow <= patience[reason];
    this.#mayGoOn = !goesOn && namesNext && isHinted;
    return goesOn ? undefined : "at-the-end";
  }

  /** A list whose last page was full need not have ended with it: the empty page may be one that was filtered. */
  #endedFull(): boolean {
    const last = this.#lastSize;
    if (last === 0 || last < this.#largestPage) return false;
    return last >= this.#options.size || last % 5 === 0 || (this.#pagesOfSize.get(last) ?? 0) > 1;
  }

  /** Page 1 may be page 0 by another name. Any later page like the one before it is the last one given again. */
  #takeRepeated(page: number): PageScan<Row>["ended"] | undefined {
    if (page === 1 && this.#options.firstPage === undefined) {
      this.#firstPage = 1;
      this.#alike = true;
      return undefined;
    }
    return this.#distinctPages === 1 ? "page-ignored" : "at-the-end";
  }

  /** Page 1 tells where the pages begin: rows on it alone, or rows on page 0 and others or none on it. */
  #learnFirstPage(page: number, keys: readonly string[]): void {
    if (page !== 1 || this.#options.firstPage !== undefined) return;
    if (this.#rows.size > 0) this.#firstPage = 0;
    else if (keys.length > 0) this.#firstPage = 1;
  }
}

/** Whether an answer names a page after its own. One that names itself or an earlier one names nothing (trap 6). */
function hintsAt(page: number, next: Page<unknown>["next"]): boolean {
  return next !== undefined && (next.page === undefined || next.page > page);
}
