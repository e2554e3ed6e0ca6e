import { count } from "./knob.ts";

export const searchLagMs = count(
  "For how many milliseconds a created user, or a new key of theirs, is not yet found by a search.",
  0,
);
