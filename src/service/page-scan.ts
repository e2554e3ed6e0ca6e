import { type Failure, problem, type Result, success } from "../model/result.ts";

/** The number of the first page, where it is known. */
export type FirstPage = 0 | 1;

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** How many rows there are in all, where the service says so. A hint. */
  readonly total?: number;
  /** A next page that the service names. A hint. */
  readonly next?: NamedPage;
  /** The number of the last page, where the service names one. A hint. */
  readonly last?: number;
}

type ReadPage<Row> = (page: number) => Promise<Result<Page<Row>, Failure>>;

interface PageScanOptions<Row> {
  /** A failure with the status 400, 404 or 422 says that there is no such page. */
  readonly readPage: ReadPage<Row>;
  /** Pages that are read at the same time, once an answer has told how many there are; one after another without it. */
  readonly parallelism?: number;
  /** Rows with one key are one row. */
  readonly keyOf: (row: Row) => string;
  readonly firstPage: FirstPage | undefined;
  /** Rows of a full page, as far as they were asked for. */
  readonly size: number;
  readonly maxPages: number;
  /** An earlier walk has learned that the service names a next page behind every page. */
  readonly namesNextAlways: boolean;
}

/** What one walk over all pages found. */
export interface PageScan<Row> {
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

/** Far behind the end of any list. */
const pagesBeyondEnd = 1_000_000;

/**
 * Reads page after page without knowing whether the first is 0, 1 or both. A short page is not the end; an empty
 * one that nothing speaks against, a refused one after rows, or one that adds nothing is.
 */
export async function scanPages<Row>(options: PageScanOptions<Row>): Promise<Result<PageScan<Row>, Failure>> {
  const ahead = new ReadAhead(options.readPage, options.parallelism ?? 1);
  const scanned = await scanInOrder({ ...options, readPage: (page) => ahead.read(page) });
  await ahead.settle();
  return scanned;
}

async function scanInOrder<Row>(options: PageScanOptions<Row>): Promise<Result<PageScan<Row>, Failure>> {
  const walk = new PageScanner<Row>(options);
  const start = options.firstPage ?? 0;
  for (let page = start; page < start + options.maxPages; page += 1) {
    const reading = await options.readPage(page);
    if (!reading.ok && !saysNoSuchPage(reading.error)) return reading;
    if (!reading.ok && !walk.mayEndAt(page)) return problem(reading.error);
    if (walk.mustTestHint(page, reading))
      walk.takeFarPage(page + pagesBeyondEnd, await options.readPage(page + pagesBeyondEnd));
    const ended = reading.ok ? walk.take(page, reading.value) : walk.takeRefusal(page);
    if (ended !== undefined) return success(walk.result(ended));
  }
  return success(walk.result("too-many-pages"));
}

/**
 * Reads the pages that an answer has told of before the scan gets to them: the scan sees the same pages in the same order. A service that
 * does not answer one of them may have been asked too much at once: from then on it is asked for one page after another.
 */
class ReadAhead<Row> {
  readonly #readPage: ReadPage<Row>;
  #parallelism: number;
  readonly #begun = new Map<number, ReturnType<ReadPage<Row>>>();
  #largestPage = 0;
  /** The number that the last page has at the most, counted from 1, as far as an answer tells. */
  #last = 0;

  constructor(readPage: ReadPage<Row>, parallelism: number) {
    this.#readPage = readPage;
    this.#parallelism = parallelism;
  }

  async read(page: number): ReturnType<ReadPage<Row>> {
    const ahead = this.#begun.get(page);
    this.#begun.delete(page);
    const first = ahead ?? this.#readPage(page);
    this.#begin(page + 1);
    const isAlone = ahead === undefined && this.#begun.size === 0;
    const came = await first;
    const reading = came.ok || isAlone || saysNoSuchPage(came.error) ? came : await this.#readAlone(page);
    if (reading.ok) this.#learn(reading.value);
    return reading;
  }

  async #readAlone(page: number): ReturnType<ReadPage<Row>> {
    this.#parallelism = 1;
    await this.settle();
    return this.#readPage(page);
  }

  /** Resolves when nothing is being read any more: a scan may end before the page that an answer told of. */
  async settle(): Promise<void> {
    await Promise.all(this.#begun.values());
  }

  #learn({ rows, total = 0, last }: Page<Row>): void {
    this.#largestPage = Math.max(this.#largestPage, rows.length);
    const pages = this.#largestPage === 0 ? 0 : Math.ceil(total / this.#largestPage);
    this.#last = Math.max(this.#last, last ?? pages);
  }

  /** Begins to read from a page on, while the one before it is read. */
  #begin(first: number): void {
    const last = Math.min(this.#last, first + this.#parallelism - 2);
    for (let next = first; next <= last; next += 1) {
      if (!this.#begun.has(next)) this.#begun.set(next, this.#readPage(next));
    }
  }
}

/** By its status, or by the body of an answer of success. */
export function saysNoSuchPage({ status, code }: Failure): boolean {
  if (status === 200) return code === "refused" || code === "not-found";
  return status === 400 || status === 404 || status === 422;
}

type Ended = PageScan<unknown>["ended"];

class PageScanner<Row> {
  readonly #options: PageScanOptions<Row>;
  readonly #rows = new Map<string, Row>();
  readonly #end: ListEnd;
  #previous: readonly string[] | undefined;
  #answered = false;
  #distinctPages = 0;
  #shifted = false;
  #alike = false;
  #firstPage: FirstPage | undefined;
  #total: number | undefined;

  constructor(options: PageScanOptions<Row>) {
    this.#options = options;
    this.#firstPage = options.firstPage;
    this.#end = new ListEnd(options.size, options.namesNextAlways);
  }

  /** A refusal can only be the end where something was answered before, or on a page 0 that need not be there. */
  mayEndAt(page: number): boolean {
    return this.#answered || (page === 0 && this.#options.firstPage === undefined);
  }

  /** An empty page that names a next one is tested once: a service that does so far behind the end always does. */
  mustTestHint(page: number, reading: Result<Page<Row>, Failure>): boolean {
    if (!reading.ok || reading.value.rows.length > 0 || this.#isOptional(page)) return false;
    return this.#end.isUntested && hintsAt(page, reading.value.next);
  }

  takeFarPage(page: number, reading: Result<Page<Row>, Failure>): void {
    const alwaysNames = reading.ok && reading.value.rows.length === 0 && hintsAt(page, reading.value.next);
    this.#end.learn(alwaysNames ? "names-a-next-page-always" : "names-a-next-page-truly");
  }

  takeRefusal(page: number): Ended | undefined {
    if (!this.#answered) return undefined;
    this.#learn(page, []);
    return "at-the-end";
  }

  take(page: number, answer: Page<Row>): Ended | undefined {
    const { rows, total } = answer;
    this.#answered = true;
    this.#count(total);
    if (rows.length === 0) return this.#takeEmpty(page, answer);
    const keys = rows.map(this.#options.keyOf);
    const sorted = [...new Set(keys)].sort();
    const repeats = this.#previous !== undefined && sameKeys(sorted, this.#previous);
    this.#previous = sorted;
    if (repeats) return this.#takeRepeated(page);
    this.#end.sawRows(rows.length);
    this.#learn(page, sorted);
    return this.#takeRows(page, rows, keys);
  }

  result(ended: Ended): PageScan<Row> {
    const isSettled = ended === "at-the-end" && !this.#shifted;
    return {
      rows: this.#rows,
      ended,
      shifted: this.#shifted,
      mayGoOn: this.#end.isInDoubt,
      namesNextAlways: this.#end.namesNextAlways,
      firstPage: isSettled ? this.#firstPage : this.#options.firstPage,
      alike: isSettled && this.#alike,
      total: this.#total,
      largestPage: this.#distinctPages > 1 ? this.#end.largestPage : undefined,
    };
  }

  /** A number of rows that changes on the way says that rows came or went. */
  #count(total: number | undefined): void {
    if (total === undefined) return;
    if (this.#total !== undefined && this.#total !== total) this.#shifted = true;
    this.#total = Math.max(total, this.#total ?? 0);
  }

  #isOptional(page: number): boolean {
    return page === 0 && this.#options.firstPage === undefined;
  }

  #takeEmpty(page: number, { next }: Page<Row>): Ended | undefined {
    if (this.#isOptional(page)) return undefined;
    this.#learn(page, []);
    const lacksRows = this.#total !== undefined && this.#total > this.#rows.size;
    return this.#end.sawNothing({ lacksRows, namesNext: hintsAt(page, next) }) ? undefined : "at-the-end";
  }

  /** Page 1 may be page 0 by another name. Any later page like the one before it is the last one given again. */
  #takeRepeated(page: number): Ended | undefined {
    if (page === 1 && this.#options.firstPage === undefined) {
      this.#firstPage = 1;
      this.#alike = true;
      return undefined;
    }
    return this.#distinctPages === 1 ? "page-ignored" : "at-the-end";
  }

  #takeRows(page: number, rows: readonly Row[], keys: readonly string[]): Ended | undefined {
    const before = this.#rows.size;
    const onThisPage = new Set(keys);
    const known = [...onThisPage].filter((key) => this.#rows.has(key)).length;
    for (const [index, row] of rows.entries()) this.#rows.set(keys[index] ?? "", row);
    this.#distinctPages += 1;
    if (known > 0) this.#shifted = true;
    return this.#rows.size === before && page >= 2 ? "at-the-end" : undefined;
  }

  /** Page 1 tells where the pages begin: rows on it alone, or rows on page 0 and others or none on it. */
  #learn(page: number, keys: readonly string[]): void {
    if (page !== 1 || this.#options.firstPage !== undefined) return;
    if (this.#rows.size > 0) this.#firstPage = 0;
    else if (keys.length > 0) this.#firstPage = 1;
  }
}

function sameKeys(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((key, index) => key === b[index]);
}

/** A next page as an answer names it, with its number where it tells one. */
interface NamedPage {
  readonly page?: number;
}

/** Whether an answer names a page after its own. One that names itself or an earlier one names nothing. */
function hintsAt(page: number, next: NamedPage | undefined): boolean {
  return next !== undefined && (next.page === undefined || next.page > page);
}

/** How many empty pages in a row are gone past, for the reason that speaks against the end. */
const patience = { "a hint": 20, "a full page before": 1 } as const;

/** Whether a list may go on behind empty pages. */
class ListEnd {
  readonly #size: number;
  readonly #pagesOfSize = new Map<number, number>();
  #last = 0;
  #empty = 0;
  #naming: "untested" | "names-a-next-page-always" | "names-a-next-page-truly" = "untested";
  #inDoubt = false;

  /** `size`: the rows of a full page, as far as they were asked for. */
  constructor(size: number, namesNextAlways: boolean) {
    this.#size = size;
    if (namesNextAlways) this.#naming = "names-a-next-page-always";
  }

  get namesNextAlways(): boolean {
    return this.#naming === "names-a-next-page-always";
  }

  get isUntested(): boolean {
    return this.#naming === "untested";
  }

  /** The walk ended among empty pages while something still spoke against the end. */
  get isInDoubt(): boolean {
    return this.#inDoubt;
  }

  get largestPage(): number {
    return Math.max(0, ...this.#pagesOfSize.keys());
  }

  learn(naming: "names-a-next-page-always" | "names-a-next-page-truly"): void {
    this.#naming = naming;
  }

  sawRows(count: number): void {
    this.#pagesOfSize.set(count, (this.#pagesOfSize.get(count) ?? 0) + 1);
    this.#last = count;
    this.#empty = 0;
    this.#inDoubt = false;
  }

  /** Whether to look at the page after an empty one. */
  sawNothing(hints: { readonly lacksRows: boolean; readonly namesNext: boolean }): boolean {
    this.#empty += 1;
    const isHinted = hints.lacksRows || (hints.namesNext && this.#naming !== "names-a-next-page-always");
    const goesOn =
      this.#empty <= (isHinted ? patience["a hint"] : this.#endedFull() ? patience["a full page before"] : 0);
    this.#inDoubt = !goesOn && hints.namesNext && isHinted;
    return goesOn;
  }

  /** A list whose last page was full need not have ended with it: the empty page may be one that was filtered. */
  #endedFull(): boolean {
    if (this.#last === 0 || this.#last < this.largestPage) return false;
    return this.#last >= this.#size || this.#last % 5 === 0 || (this.#pagesOfSize.get(this.#last) ?? 0) > 1;
  }
}
