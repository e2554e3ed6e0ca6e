import { choice } from "./knob.ts";

export const redirectTo = choice("Where requests are sent that are sent elsewhere.", "same", {
  same: "to the same path under /moved at this origin, where they are served",
  other: "to the same path under /moved at another origin, which leads to this server under its other name",
});
