import { occasions } from "./knob.ts";

export const flaky = occasions(
  "Which requests are refused before anything is done; `flakyStatus` and `retryAfter` say how.",
);
