import fc from "fast-check";
import { isDeep } from "./property-runs.ts";

/** `npm test` draws the same cases every time, so that a change is judged by what it changed; `npm run test:deep` draws new ones. */
if (!isDeep) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_261_122 });
