import { count } from "./knob.ts";

export const listLagMs = count(
  "For how many milliseconds a created user, or a new key of theirs, is not yet in the list.",
  0,
);
