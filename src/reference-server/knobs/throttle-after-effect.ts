import type { Knobs } from "../knobs.ts";

/** How a request is refused that may come again. */
export interface FlakyOptions {
  readonly flakyStatus: Knobs["flakyStatus"];
  readonly retryAfter: Knobs["retryAfter"];
}

/** The nearest ways that throttle: any other status would say that nothing was done. */
export function throttlingOptions({ flakyStatus, retryAfter }: FlakyOptions): FlakyOptions {
  const throttles = flakyStatus === "429" || flakyStatus === "403" || flakyStatus === "503";
  return {
    flakyStatus: throttles ? flakyStatus : "429",
    retryAfter: retryAfter === "none" ? "seconds" : retryAfter,
  };
}
