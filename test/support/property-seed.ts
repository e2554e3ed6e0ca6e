import fc from "fast-check";
import { isDeep } from "./property-runs.ts";

/** `npm test` draws the same cases every time: a failure comes from a change, never from a new draw. */
if (!isDeep) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_261_122 });
