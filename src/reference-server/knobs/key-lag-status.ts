import { choice } from "./knob.ts";

export const keyLagStatus = choice("With what a key that is not there yet (`keyLagMs`) is refused.", "404", {
  "404": "404",
  "400": "400",
});
