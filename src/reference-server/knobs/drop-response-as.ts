import { choice } from "./knob.ts";

export const dropResponseAs = choice("What comes in the place of an answer that is lost.", "reset", {
  reset: "the end of the connection",
  "502": "502, a page of HTML from something in between",
  "504": "504, a page of HTML from something in between",
});
