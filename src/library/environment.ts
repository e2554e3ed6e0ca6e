import { randomUUID } from "node:crypto";
import type { LocalSystem } from "../log/lock-holder.ts";
import type { Clock, Randomness } from "../ports/clock.ts";
import type { OpenTransport } from "../service/client.ts";
import { newSecrets, type Secrets } from "./redaction.ts";

/** What the library is given of the world around it. It reads nothing of the process itself. */
export interface Environment {
  /** Variables that configure stores and proxies, such as `PGPASSWORD` and `https_proxy`. */
  readonly env: Variables;
  /** Where relative paths start: an absolute directory, or empty where a program gave none. */
  readonly cwd: string;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Learns each secret that is read, so that no output shows it. */
  readonly secrets: Secrets;
  /** What carries the calls to the account service; over HTTP where it is absent. */
  readonly openTransport?: OpenTransport | undefined;
  /** Where logs in files are kept; this machine where it is absent. */
  readonly localSystem?: LocalSystem | undefined;
}

export type Variables = Readonly<Record<string, string | undefined>>;

/** Time and randomness, so that tests can fix them. The system's own where they are absent. */
export interface SystemOptions {
  readonly clock?: Clock | undefined;
  readonly randomness?: Randomness | undefined;
}

/** The world that the library is given, and the secrets that it learns from it. */
export function newEnvironment(
  given: SystemOptions & { readonly cwd?: string | undefined; readonly variables?: Variables | undefined },
): Environment {
  const { clock = systemClock, randomness = systemRandomness, cwd = "", variables = {} } = given;
  return { env: variables, cwd, clock, randomness, secrets: newSecrets() };
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  // An apply stops one wait for each user: the error of a wait by promise that is stopped would cost more than the wait.
  wait: (milliseconds, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      signal?.addEventListener("abort", end);
    }),
};

export const systemRandomness: Randomness = { fraction: Math.random, identifier: () => randomUUID() };
