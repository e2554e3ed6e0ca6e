import { count } from "./knob.ts";

export const shownKeyLagMs = count(
  "For how many milliseconds a list and a search do not show a new key, or the new roles of a key.",
  0,
);
