import { count } from "./knob.ts";

export const keyLagMs = count(
  "For how many milliseconds the roles of a new key cannot be replaced; `keyLagStatus` says how it is refused.",
  0,
);
