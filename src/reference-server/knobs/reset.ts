import { occasions } from "./knob.ts";

export const reset = occasions("Which requests meet the end of their connection before anything is done.");
