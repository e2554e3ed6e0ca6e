import type { Clock, Randomness } from "../ports/clock.ts";
import type { OpenTransport } from "../service/client.ts";
import type { LocalSystem } from "../state/lock.ts";
import type { Secrets } from "./secrets.ts";

/** What the library is given of the world around it. It reads nothing of the process itself. */
export interface Environment {
  /** Variables that configure stores and proxies, such as `PGPASSWORD` and `https_proxy`. */
  readonly env: Variables;
  /** An absolute directory: relative paths start there. */
  readonly cwd: string;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Learns each secret that is read, so that no output shows it. */
  readonly secrets: Pick<Secrets, "keep">;
  /** What carries the calls to the account service; over HTTP where it is absent. */
  readonly openTransport?: OpenTransport | undefined;
  /** Where states in files are kept; this machine where it is absent. */
  readonly localSystem?: LocalSystem | undefined;
  /** Aborted once the time that the work was given is over. */
  readonly deadline?: AbortSignal | undefined;
}

export type Variables = Readonly<Record<string, string | undefined>>;

/** How other machines are reached, besides the usual variables. Nothing of it is checked yet. */
export interface NetworkSettings {
  /** Where the variables name no proxy. */
  readonly proxy?: string | undefined;
  /** Certificates of authorities: a file of them, and who names it, or their text. */
  readonly ca?: { readonly value: string; readonly from: string } | { readonly pem: string } | undefined;
}
