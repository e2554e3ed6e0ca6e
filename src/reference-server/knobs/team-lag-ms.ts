import { count } from "./knob.ts";

export const teamLagMs = count(
  "For how many milliseconds nobody can be added to a team that was just founded: 404.",
  0,
);
