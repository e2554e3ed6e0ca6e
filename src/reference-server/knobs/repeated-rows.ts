import { count } from "./knob.ts";

export const repeatedRows = count("How many rows of the page before stand once more at the head of a page.", 0);
