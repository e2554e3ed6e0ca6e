import { choice } from "./knob.ts";

export const redirectStatus = choice("With which status requests are sent elsewhere.", "301", {
  "301": "301",
  "302": "302",
  "303": "303",
  "307": "307",
  "308": "308",
});
