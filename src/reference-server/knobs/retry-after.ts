import type { Headers } from "../reply.ts";
import { choice, type ValueOf } from "./knob.ts";

export const retryAfter = choice("What Retry-After a flaky request is refused with.", "seconds", {
  seconds: "`retryAfterSeconds` as a number",
  date: "that time as an HTTP date",
  none: "none",
});

/** `now` is in milliseconds since the epoch. */
export function retryHeaders(how: ValueOf<typeof retryAfter>, seconds: number, now: number): Headers {
  switch (how) {
    case "seconds":
      return { "retry-after": String(seconds) };
    case "date":
      return { "retry-after": new Date(now + seconds * 1000).toUTCString() };
    case "none":
      return {};
  }
}
