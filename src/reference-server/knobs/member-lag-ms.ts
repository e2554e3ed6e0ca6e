import { count } from "./knob.ts";

export const memberLagMs = count("For how many milliseconds a created user cannot be added to a team: 404.", 0);
