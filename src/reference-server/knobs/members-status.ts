import { choice } from "./knob.ts";

export const membersStatus = choice("With which status an addition answers when it added everybody.", "own", {
  own: "the one that `members` names",
  "200": "200",
  "201": "201",
  "204": "204 without a body",
});
