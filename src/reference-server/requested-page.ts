/** Which part of a collection is asked for. */
export interface PageRequest {
  /** Counts from 0, whatever the callers count from; -1 for a page before the first. */
  readonly index: number;
  readonly perPage: number;
}

/** A page of a collection of a certain size. */
export interface Page extends PageRequest {
  /** The index of the last page. */
  readonly last: number;
  /** The rows from one to before the other. */
  readonly start: number;
  readonly end: number;
  /** How many of the first of them stood on the page before. */
  readonly repeated: number;
}
