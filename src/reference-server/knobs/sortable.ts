import { choice } from "./knob.ts";

export const sortable = choice("Which fields `sort-by` knows.", "all", {
  all: "every field that the route describes",
  none: "none, so that each name is an unknown one",
});
