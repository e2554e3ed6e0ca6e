import type { Readable } from "node:stream";
import type { Clock, Randomness } from "../ports/clock.ts";
import type { Terminal } from "../screen/terminal.ts";
import type { OpenTransport } from "../service/transport.ts";
import type { LocalSystem } from "../state/process-identity.ts";
import type { EventBuffer } from "./output/live-lines.ts";
import type { Secrets } from "./output/secrets.ts";

/** Everything of the process that a command may touch, so that a command can be run inside another. */
export interface ProcessHost {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown };
  readonly stdout: Output;
  readonly stderr: Output;
  /** Where screens can be shown: absent unless keys and messages both belong to one that knows more than lines. */
  readonly terminal?: Terminal;
  readonly interruption: Interruption;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** What carries the calls to the account service; over HTTP where it is absent. */
  readonly openTransport?: OpenTransport;
  /** Where states in files are kept; this machine where it is absent. */
  readonly localSystem?: LocalSystem;
  /** What is taken out of everything that is written. */
  readonly secrets: Secrets;
}

/** The same for one command line. */
export interface Host extends ProcessHost {
  /** What it tells in lines while it works. */
  readonly live: EventBuffer;
  /** Aborted once the time that the command was given is over. */
  readonly deadline?: AbortSignal;
}

export interface Output {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** True where colours are wanted: NO_COLOR, FORCE_COLOR and the terminal decide. */
  readonly hasColours: boolean;
  /** How wide the terminal is, where it is one that says so. */
  readonly columns?: number | undefined;
}

/** The first interrupt asks a command to end what it began; the second ends the process. */
export interface Interruption {
  readonly signal: AbortSignal;
  /** Set once the first interrupt has come. */
  readonly by: () => Interrupt | undefined;
}

export type Interrupt = "SIGINT" | "SIGTERM" | "SIGHUP";

/** Where CI is set to anything but an empty word or `false`. */
export function isPipeline(host: Host): boolean {
  const value = host.env["CI"];
  return value !== undefined && value !== "" && value.toLowerCase() !== "false" && value !== "0";
}
