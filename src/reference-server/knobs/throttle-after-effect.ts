import type { flakyStatus } from "./flaky-status.ts";
import { occasions, type ValueOf } from "./knob.ts";
import type { retryAfter } from "./retry-after.ts";

export const throttleAfterEffect = occasions(
  "Which requests are served, and then refused as too many: with `flakyStatus` where it is 429, 403 or 503, else with 429; and always with Retry-After.",
);

/** How a request is refused that may come again. */
export interface FlakyWays {
  readonly flakyStatus: ValueOf<typeof flakyStatus>;
  readonly retryAfter: ValueOf<typeof retryAfter>;
}

/** The nearest ways that throttle: any other status would say that nothing was done. */
export function throttling({ flakyStatus, retryAfter }: FlakyWays): FlakyWays {
  const throttles = flakyStatus === "429" || flakyStatus === "403" || flakyStatus === "503";
  return {
    flakyStatus: throttles ? flakyStatus : "429",
    retryAfter: retryAfter === "none" ? "seconds" : retryAfter,
  };
}
