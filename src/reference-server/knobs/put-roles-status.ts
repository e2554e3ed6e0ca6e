import { choice } from "./knob.ts";

export const putRolesStatus = choice("With which status the replacement of a key's roles answers.", "own", {
  own: "the one that `putRolesAnswer` names",
  "200": "200",
  "204": "204 without a body",
});
