import { choice } from "./knob.ts";

export const authOnAccounts = choice("Whether the lists of accounts and of roles ask for a key.", "required", {
  required: "they do",
  "not-required": "they do not; a key that is sent is looked at all the same",
});
