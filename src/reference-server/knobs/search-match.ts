import { choice } from "./knob.ts";

export const searchMatch = choice("Whom a search finds.", "exact", {
  exact: "users whose identifier or address is the text that was asked",
  external: "those, and users with that external identifier",
  fuzzy: "every user whose address or identifier contains the text",
});
