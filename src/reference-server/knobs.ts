/**
 * What the service's documentation leaves open, as choices of whoever starts the server. Each knob names its
 * values here and its default below; the code that it turns asks for it by name.
 */
export interface Knobs {
  /**
   * Which number the first page has. `one-alias`: 1, and page 0 is answered as page 1. `one-strict`: 1, and page 0
   * is refused with 400. `zero`: 0.
   */
  readonly pageBase: "one-alias" | "one-strict" | "zero";
  /** Records on a page at the most; more asked for counts as this many. */
  readonly maxPerPage: number;
  /** Bytes of a request body at the most; a larger one is refused with 413. */
  readonly maxBodyBytes: number;
}

export const defaultKnobs: Knobs = {
  pageBase: "one-alias",
  maxPerPage: 1000,
  maxBodyBytes: 1024 * 1024,
};
