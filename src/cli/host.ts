import { setMaxListeners } from "node:events";
import type { Readable } from "node:stream";
import { isatty } from "node:tty";
import { styleText } from "node:util";
import { ownName } from "../files/own-name.ts";
import type { KeySource } from "../library/connect.ts";
import { newSecrets, type Secrets } from "../library/secrets.ts";
import { systemClock, systemRandomness } from "../library/system.ts";
import type { LocalSystem } from "../log/lease.ts";
import type { Clock, Randomness } from "../ports/clock.ts";
import type { Ink } from "../report/document/tree.ts";
import { type Paint, plain, type StreamedLines, type TerminalStyle } from "../report/outcome.ts";
import type { Terminal } from "../screen/terminal.ts";
import type { OpenTransport } from "../service/client.ts";
import { type Output, standardStreams } from "./standard-streams.ts";

/** Everything of the process that a command may touch, so that a command can be run inside another. */
export interface ProcessHost {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly user: string;
  /** Opens standard input, which a command that does not read it leaves alone. */
  readonly stdin: () => StandardInput;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly terminal?: Terminal;
  readonly interruption: Interruption;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly openTransport?: OpenTransport;
  /** Where the API key comes from, or throws; the environment or the settings say it where it is absent. */
  readonly keySource?: () => KeySource;
  readonly localSystem?: LocalSystem;
  readonly secrets: Secrets;
}

export type StandardInput = Readable & { readonly isTTY?: boolean };

export interface Host extends ProcessHost {
  /** Where -C led from the directory in which the process started. */
  readonly directory?: string;
  readonly live: EventBuffer;
}

/** The first interrupt asks a command to end what it began; the second ends the process. */
export interface Interruption {
  readonly signal: AbortSignal;
  readonly by: () => Interrupt | undefined;
}

export type Interrupt = "SIGINT" | "SIGTERM" | "SIGHUP";

/** `CI` is set, and is not empty, `false` or `0`. */
export function isPipeline(host: Host): boolean {
  const value = host.env["CI"];
  return value !== undefined && value !== "" && value.toLowerCase() !== "false" && value !== "0";
}

interface EventBuffer {
  streamed: StreamedLines | undefined;
  readonly kept: string[];
}

export function newEventBuffer(): EventBuffer {
  return { streamed: undefined, kept: [] };
}

const styles = {
  add: "green",
  change: "yellow",
  remove: "red",
  alarm: "red",
  dim: "dim",
  strong: "bold",
  marked: "inverse",
} as const satisfies Record<Ink, string>;

export function painter(output: Output): Paint {
  return output.hasColours ? (ink, text) => styleText(styles[ink], text, { validateStream: false }) : plain;
}

export function textStyleOf(output: Output): TerminalStyle {
  return { paint: painter(output), columns: output.columns };
}

const sniffLength = 4096;

/** Reads standard input to its end, or to just behind the most that may be there. How much that is can depend on the beginning. */
export async function readStandardInput(
  stdin: StandardInput,
  largestAfter: (beginning: Buffer) => number,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  let largest: number | undefined;
  for await (const chunk of stdin) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    chunks.push(bytes);
    length += bytes.length;
    if (length >= sniffLength) largest ??= largestAfter(Buffer.concat(chunks));
    if (largest !== undefined && length > largest) break;
  }
  return Buffer.concat(chunks);
}

export function processHost(terminals: readonly number[]): ProcessHost {
  const { stdout, stderr, terminal } = standardStreams(terminals);
  return {
    env: process.env,
    cwd: process.cwd(),
    user: ownName(),
    stdin: () => process.stdin,
    stdout,
    stderr,
    ...(terminal === undefined ? {} : { terminal }),
    interruption: interruptionOf(process, terminals),
    clock: systemClock,
    randomness: systemRandomness,
    secrets: newSecrets(),
  };
}

/** With which code a process ends that was ended so. SIGHUP: its terminal was closed. */
export const interruptExitCodes: Readonly<Record<Interrupt, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/** Milliseconds within which signals are one: npm and the like pass on what the terminal has sent to us as well. */
const signalWindow = 200;

/** The first signal asks, the next one ends the process at once. @internal */
export function interruptionOf(process: NodeJS.Process, terminals: readonly number[]): Interruption {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  let first: { readonly by: Interrupt; readonly at: number } | undefined;
  function take(by: Interrupt): void {
    if (first !== undefined && performance.now() - first.at > signalWindow) exitBySignal(by, process, terminals);
    first ??= { by, at: performance.now() };
    controller.abort(by);
  }
  for (const by of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(by, () => take(by));
  return { signal: controller.signal, by: () => first?.by };
}

/** Node's own way out sets the terminal back, and aborts where that is gone: then the signal itself ends the process, with the same code. */
function exitBySignal(by: Interrupt, process: NodeJS.Process, terminals: readonly number[]): void {
  // Windows knows no process that ends by this signal.
  if (by === "SIGHUP" && terminals.length > 0 && process.platform !== "win32") {
    process.removeAllListeners(by);
    process.kill(process.pid, by);
  }
  process.exit(interruptExitCodes[by]);
}

/** A process of which a terminal was closed does not take Node's own way out, whether or not its signal has come. */
export function leaveClosedTerminal(
  { by }: Interruption,
  process: NodeJS.Process,
  terminals: readonly number[],
  isTerminal: (fd: number) => boolean = isatty,
): void {
  const isClosed = terminals.some((fd) => !isTerminal(fd));
  if (isClosed || (by() === "SIGHUP" && terminals.length > 0)) exitBySignal("SIGHUP", process, terminals);
}
