/** A next page as an answer names it, with its number where it tells one. */
export interface NamedPage {
  readonly page?: number;
}

/** Whether an answer names a page after its own. One that names itself or an earlier one names nothing. */
export function hintsAt(page: number, next: NamedPage | undefined): boolean {
  return next !== undefined && (next.page === undefined || next.page > page);
}

/** How many empty pages in a row are gone past, for the reason that speaks against the end. */
const patience = { "a hint": 20, "a full page before": 1 } as const;

/** Whether a list may go on behind empty pages. */
export class ListEnd {
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
