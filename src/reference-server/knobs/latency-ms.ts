import { count } from "./knob.ts";

export const latencyMs = count("Milliseconds that every answer takes at least.", 0);
