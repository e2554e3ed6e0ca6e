import { choice } from "./knob.ts";

export const memberIdentifiers = choice("By what the addition of members names a user.", "both", {
  both: "identifier or address",
  identifier: "identifier alone",
  email: "address alone",
});
