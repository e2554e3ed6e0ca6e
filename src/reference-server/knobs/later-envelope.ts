import { envelope } from "./envelope.ts";
import { choice } from "./knob.ts";

export const laterEnvelope = choice("In what the pages of a list after the first one are wrapped.", "same", {
  same: "as the first",
  ...envelope.values,
});
