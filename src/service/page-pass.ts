import type { Failure } from "../model/failure.ts";
import { problem, type Result, success } from "../model/result.ts";

/** The number of the first page, where it is known. */
export type FirstPage = 0 | 1;

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** How many rows there are in all, where the service says so. A hint. */
  readonly total?: number;
}

export interface PassOptions<Row> {
  /** A failure with the status 400, 404 or 422 says that there is no such page. */
  readonly readPage: (page: number) => Promise<Result<Page<Row>, Failure>>;
  /** Rows with one key are one row. */
  readonly keyOf: (row: Row) => string;
  readonly firstPage: FirstPage | undefined;
  readonly mostPages: number;
}

/** What one walk over all pages found. */
export interface Pass<Row> {
  readonly rows: ReadonlyMap<string, Row>;
  /** `page-ignored`: every page was the same. */
  readonly ended: "at-the-end" | "page-ignored" | "too-many-pages";
  /** Some row stood on more than one page: the order changed between the reads, and rows may have slipped through. */
  readonly shifted: boolean;
  readonly firstPage: FirstPage | undefined;
  readonly total: number | undefined;
}

/**
 * Reads page after page without knowing whether the first is 0, 1 or both. A short page is not the end; an empty
 * one, a refused one after rows, or one that adds nothing is.
 */
export async function passOver<Row>(options: PassOptions<Row>): Promise<Result<Pass<Row>, Failure>> {
  const walk = new PageWalk<Row>(options);
  const start = options.firstPage ?? 0;
  for (let page = start; page < start + options.mostPages; page += 1) {
    const reading = await options.readPage(page);
    if (!reading.ok && !saysNoSuchPage(reading.error)) return reading;
    if (!reading.ok && !walk.mayEndAt(page)) return problem(reading.error);
    const ended = reading.ok ? walk.take(page, reading.value) : walk.takeRefusal(page);
    if (ended !== undefined) return success(walk.result(ended));
  }
  return success(walk.result("too-many-pages"));
}

export function saysNoSuchPage({ status }: Failure): boolean {
  return status === 400 || status === 404 || status === 422;
}

type Ended = Pass<unknown>["ended"];

class PageWalk<Row> {
  readonly #options: PassOptions<Row>;
  readonly #rows = new Map<string, Row>();
  #previous: readonly string[] | undefined;
  #answered = false;
  #distinctPages = 0;
  #shifted = false;
  #firstPage: FirstPage | undefined;
  #total: number | undefined;

  constructor(options: PassOptions<Row>) {
    this.#options = options;
    this.#firstPage = options.firstPage;
  }

  /** A refusal can only be the end where something was answered before, or on a page 0 that need not be there. */
  mayEndAt(page: number): boolean {
    return this.#answered || (page === 0 && this.#options.firstPage === undefined);
  }

  takeRefusal(page: number): Ended | undefined {
    if (!this.#answered) return undefined;
    this.#learn(page, []);
    return "at-the-end";
  }

  take(page: number, { rows, total }: Page<Row>): Ended | undefined {
    this.#answered = true;
    if (total !== undefined) this.#total = Math.max(total, this.#total ?? 0);
    if (rows.length === 0) return this.#takeEmpty(page);
    const keys = rows.map(this.#options.keyOf);
    const sorted = [...new Set(keys)].sort();
    const repeats = this.#previous !== undefined && sameKeys(sorted, this.#previous);
    this.#previous = sorted;
    if (repeats) return this.#takeRepeated(page);
    this.#learn(page, sorted);
    return this.#takeRows(page, rows, keys);
  }

  result(ended: Ended): Pass<Row> {
    return {
      rows: this.#rows,
      ended,
      shifted: this.#shifted,
      firstPage: ended === "at-the-end" && !this.#shifted ? this.#firstPage : this.#options.firstPage,
      total: this.#total,
    };
  }

  #takeEmpty(page: number): Ended | undefined {
    if (page === 0 && this.#options.firstPage === undefined) return undefined;
    this.#learn(page, []);
    return "at-the-end";
  }

  /** Page 1 may be page 0 by another name. Any later page like the one before it is the last one given again. */
  #takeRepeated(page: number): Ended | undefined {
    if (page === 1 && this.#options.firstPage === undefined) {
      this.#firstPage = 1;
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
