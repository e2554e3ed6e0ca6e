import type { Place } from "./place.ts";

/** Something wrong with what the person wrote: a roster file, the settings, the command line. */
export interface Diagnostic {
  /** Stable and documented, such as `unknown-key`. */
  readonly code: string;
  readonly severity: "error" | "warning";
  /** What is wrong and why, in one sentence. */
  readonly message: string;
  /** What to do next, in one sentence. */
  readonly hint?: string;
  readonly place?: Place;
  /** The source line at `place`, as it stands in the file, and how many columns the fault covers. */
  readonly excerpt?: { readonly line: string; readonly length: number };
}
