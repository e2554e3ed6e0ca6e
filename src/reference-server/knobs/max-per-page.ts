import { count } from "./knob.ts";

export const maxPerPage = count("Rows on a page at the most; `overMaxPerPage` says what becomes of more.", 1000, {
  least: 1,
});
