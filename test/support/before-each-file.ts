import fc from "fast-check";
import { isDeep } from "./property-runs.ts";

/** `npm test` draws the same cases every time: a failure comes from a change, never from a new draw. */
if (!isDeep) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_261_122 });

/**
 * A closed terminal is told to the process as SIGHUP. Packages of ink stay behind in a worker, and would end it where nobody else
 * listens: a test must not depend on which tests ran before it. A worker runs this once for each file.
 */
if (process.listenerCount("SIGHUP") === 0) process.on("SIGHUP", () => undefined);
