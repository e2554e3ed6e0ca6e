import { count } from "./knob.ts";

export const emptyPage = count(
  "The page of a list that comes without rows although the list goes on behind it, counted from 1; 0 for none.",
  0,
);
