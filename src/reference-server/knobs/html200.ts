import { occasions } from "./knob.ts";

export const html200 = occasions(
  "Which requests get the page of a login in HTML, with status 200, before anything is done.",
);
