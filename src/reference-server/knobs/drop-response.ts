import { occasions } from "./knob.ts";

export const dropResponse = occasions(
  "Which requests are served, and their answers are lost; `dropResponseAs` says what comes in their place.",
);
