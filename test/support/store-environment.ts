import type { Environment, Variables } from "../../src/library/environment.ts";
import { newSecrets } from "../../src/library/redaction.ts";
import { noon } from "./event-builders.ts";
import { clockAt, countingRandomness } from "./fixed-ports.ts";

/** What a store is opened with, at noon and with these variables alone. */
export function storeEnvironment(env: Variables): Environment {
  return { env, cwd: "/", clock: clockAt(noon), randomness: countingRandomness(), secrets: newSecrets() };
}
