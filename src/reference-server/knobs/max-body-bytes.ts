import { count } from "./knob.ts";

export const maxBodyBytes = count(
  "Bytes of a request body at the most; a larger one is refused with 413.",
  1024 * 1024,
);
