import { choice } from "./knob.ts";

export const match = choice("When two addresses are one.", "ci", {
  ci: "whatever their letter case",
  exact: "where every letter is the same, so that two users may differ in letter case alone",
});
