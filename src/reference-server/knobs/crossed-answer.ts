import { occasions } from "./knob.ts";

export const crossedAnswer = occasions(
  "Which writes are done, and answered with the answer of the last write to the same route that was done before.",
);
