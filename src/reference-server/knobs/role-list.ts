import { choice } from "./knob.ts";

export const roleList = choice("What the list of roles holds.", "R1", {
  R1: "objects with identifier, name, description and type, in the list's envelope",
  R2: "bare identifiers, in the list's envelope",
  R3: "an object roles[…] with such objects, whatever the envelope of lists",
});
