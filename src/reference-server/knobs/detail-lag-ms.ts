import { count } from "./knob.ts";

export const detailLagMs = count(
  "For how many milliseconds a created user is not yet among the users of the account's details.",
  0,
);
