import { occasions } from "./knob.ts";

export const redirect = occasions(
  "Which requests are sent elsewhere before anything is done; `redirectStatus` and `redirectTo` say how and where.",
);
