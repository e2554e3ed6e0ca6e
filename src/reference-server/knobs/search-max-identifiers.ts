import { count } from "./knob.ts";

export const searchMaxIdentifiers = count(
  "How many texts of one search are looked at, 0 for all; `searchOverMax` says what becomes of more.",
  0,
);
