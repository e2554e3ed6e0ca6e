import { choice } from "./knob.ts";

export const showTitles = choice("Whether users show their title.", "yes", {
  yes: "they do",
  no: "they do not",
});
