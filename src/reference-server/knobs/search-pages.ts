import { choice } from "./knob.ts";

export const searchPages = choice("How much of what a search found comes with one request.", "whole", {
  whole: "everybody, unless the query names a page (S1 and S2)",
  paged: "a page, as of a list (S1 and S2)",
  "first-ten": "the first ten, whatever the query says, and nothing tells that there are more",
});
