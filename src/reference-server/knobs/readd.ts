import { choice } from "./knob.ts";

export const readd = choice("What becomes of the addition of somebody who is a member already.", "409", {
  "409": "it is refused with 409",
  noop: "nothing; it is answered as if they had been added, with the key that they have",
  reinvite: "as noop, and the invitation is mailed again",
  remove: "they are a member no more",
});
