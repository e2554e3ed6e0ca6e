import { choice } from "./knob.ts";

export const errorStatus = choice("With which HTTP status a refusal comes.", "own", {
  own: "its own",
  "200": "200, so that the body alone tells",
});
