import type { Clock, Randomness } from "../../ports/clock.ts";
import type { Environment } from "../environment.ts";
import { newSecrets, type Secrets } from "../secrets.ts";
import { systemClock, systemRandomness } from "../system.ts";

/** Time and randomness, so that tests can fix them. The system's own where they are absent. */
export interface SystemOptions {
  readonly clock?: Clock;
  readonly randomness?: Randomness;
}

/** The world that the library is given, and the secrets that it learns from it. @internal */
export function newEnvironment(
  given: SystemOptions & { readonly cwd?: string; readonly variables?: Readonly<Record<string, string | undefined>> },
): Environment & { readonly secrets: Secrets } {
  const { clock = systemClock, randomness = systemRandomness, cwd = "/", variables = {} } = given;
  return { env: variables, cwd, clock, randomness, secrets: newSecrets() };
}
