import { occasions } from "./knob.ts";

export const hangBody = occasions(
  "Which requests are served and answered by headers and half a body, and then nothing more.",
);
