import type { Failure } from "../model/recorded.ts";
import { type Result, success } from "../model/result.ts";

/** The number of the first page, where it is known. */
export type FirstPage = 0 | 1;

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
  readonly firstPage: FirstPage | undefined;
  /** Rows of a full page, as far as they were asked for. */
  readonly size: number;
  readonly maxPages: number;
  /** An earlier walk has learned that the service names a next page behind every page. */
  readonly namesNextAlways?: boolean;
}

/** What one pass over all pages found. */
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
