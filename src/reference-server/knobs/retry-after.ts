import type { Knobs } from "../knobs.ts";
import type { Headers } from "../reply.ts";

/** `now` is in milliseconds since the epoch. */
export function retryAfterHeaders(how: Knobs["retryAfter"], seconds: number, now: number): Headers {
  switch (how) {
    case "seconds":
      return { "retry-after": String(seconds) };
    case "date":
      return { "retry-after": new Date(now + seconds * 1000).toUTCString() };
    case "none":
      return {};
  }
}
