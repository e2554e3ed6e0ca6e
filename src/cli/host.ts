import { setMaxListeners } from "node:events";
import type { Readable } from "node:stream";
import { isatty } from "node:tty";
import { styleText } from "node:util";
import type { Clock, Randomness } from "../ports/clock.ts";
import type { Ink } from "../report/document/blocks.ts";
import { type Paint, plain, type StreamedLines, type TerminalStyle } from "../report/outcome.ts";
import type { Terminal } from "../screen/terminal.ts";
import type { OpenTransport } from "../service/client.ts";
import { type LocalSystem, ownName } from "../state/lock.ts";
import { newSecrets, type Secrets } from "./output/secrets.ts";
import { systemClock, systemRandomness } from "./system.ts";

/** Everything of the process that a command may touch, so that a command can be run inside another. */
export interface ProcessHost {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Who runs the process, by the system's name. */
  readonly user: string;
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

/** `CI` is set, and is not empty, `false` or `0`. */
export function isPipeline(host: Host): boolean {
  const value = host.env["CI"];
  return value !== undefined && value !== "" && value.toLowerCase() !== "false" && value !== "0";
}

/** The lines that a command streams while it works. They are kept if a report wants them. */
interface EventBuffer {
  /** From now on lines are streamed. */
  begin(): void;
  /** Keeps a line for a report. */
  keep(line: string): void;
  /** The plan of this id was streamed. */
  planned(id: string): void;
  /** The lines that were kept. */
  text(): string;
  /** What was streamed; undefined if nothing is. */
  streamed(): StreamedLines | undefined;
}

/** Nothing is streamed yet. */
export function newEventBuffer(): EventBuffer {
  const lines: string[] = [];
  let streamed: StreamedLines | undefined;
  return {
    begin() {
      streamed = {};
    },
    keep(line) {
      lines.push(line);
    },
    planned(id) {
      streamed = { ...streamed, plan: id };
    },
    text: () => lines.join(""),
    streamed: () => streamed,
  };
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

/** Colours for an output, or none: the output knows what its reader wants. */
export function painter(output: Output): Paint {
  return output.hasColours ? (ink, text) => styleText(styles[ink], text, { validateStream: false }) : plain;
}

/** How texts are to look on an output: in which colours, and on how many columns. */
export function textStyleOf(output: Output): TerminalStyle {
  return { paint: painter(output), columns: output.columns };
}

/** As much of standard input as tells what it is. */
const sniffLength = 4096;

/**
 * Reads standard input to its end, but no further than just behind the most that may be there: then what is returned is
 * longer than that. How much may be there can depend on the beginning.
 */
export async function readStandardInput(
  { stdin }: Pick<Host, "stdin">,
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

/** The process as a host: its streams, its environment, its signals. */
export function processHost(): ProcessHost {
  const kept = holdOutput();
  const terminal = terminalOf(kept);
  return {
    env: process.env,
    cwd: process.cwd(),
    user: ownName(),
    // Opened by the command that reads it.
    get stdin() {
      return process.stdin;
    },
    stdout: outputTo(process.stdout, kept),
    stderr: outputTo(process.stderr, kept),
    ...(terminal === undefined ? {} : { terminal }),
    interruption: interruptionOf(process),
    clock: systemClock,
    randomness: systemRandomness,
    secrets: newSecrets(),
  };
}

/** What waits until a screen has given the terminal back, in the order in which it was written. */
interface HeldOutput {
  /** At once, or when nothing is kept back any more. */
  write(stream: NodeJS.WriteStream, text: string): void;
  hold(): () => void;
}

function holdOutput(): HeldOutput {
  let writes: (() => void)[] | undefined;
  return {
    write(stream, text) {
      const write = () => void stream.write(text);
      if (writes === undefined) write();
      else writes.push(write);
    },
    hold() {
      writes ??= [];
      return () => {
        const all = writes ?? [];
        writes = undefined;
        for (const write of all) write();
      };
    },
  };
}

function terminalOf({ hold }: HeldOutput): Terminal | undefined {
  const { stderr, env } = process;
  if (!isatty(0) || stderr.isTTY !== true || env["TERM"] === "dumb") return undefined;
  return { input: process.stdin, output: stderr, hold };
}

function outputTo(stream: NodeJS.WriteStream, kept: HeldOutput): Output {
  let isLost = false;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE" || stream !== process.stdout || isLost) return;
    isLost = true;
    reportLostOutput(error);
  });
  const isTerminal = stream.isTTY === true;
  const write = isTerminal ? (text: string) => kept.write(stream, text) : (text: string) => void stream.write(text);
  return {
    write: (text) => void (text === "" || write(text)),
    isTerminal,
    hasColours: hasColours(isTerminal),
    // A window may be made wider or narrower at any time; some terminals say 0.
    get columns() {
      return isTerminal ? stream.columns || undefined : undefined;
    },
  };
}

/**
 * A reader that has gone away (`roster plan | head`) is no failure. What cannot be printed otherwise (a full disk) must not end a
 * run in the middle: the exit code says that a result was lost, and nothing says that progress was. Reported once: each event of a run would be another loss.
 */
function reportLostOutput(error: NodeJS.ErrnoException): void {
  process.stderr.write(`error: the result could not be printed: ${error.code ?? error.message}\n`);
  process.on("exit", (code) => {
    if (code === 0) process.exitCode = 1;
  });
}

function hasColours(isTerminal: boolean): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== "") return FORCE_COLOR !== "0";
  return isTerminal && TERM !== "dumb";
}

/** With which code a process ends that was ended so. SIGHUP: its terminal was closed. */
export const interruptExitCodes: Readonly<Record<Interrupt, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/** Milliseconds within which signals are one: npm and the like pass on what the terminal has sent to us as well. */
const signalWindow = 200;

/** The first signal asks, the next one ends the process at once. @internal */
export function interruptionOf(process: NodeJS.Process): Interruption {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  let first: { readonly by: Interrupt; readonly at: number } | undefined;
  function take(by: Interrupt): void {
    if (first !== undefined && performance.now() - first.at > signalWindow) exitBySignal(by, process);
    first ??= { by, at: performance.now() };
    controller.abort(by);
  }
  for (const by of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(by, () => take(by));
  return { signal: controller.signal, by: () => first?.by };
}

/**
 * Ends the process at once, as a signal ends one. Node's own way out sets the terminal back to what it was, and aborts where that
 * is gone: then the signal itself ends the process, which a shell tells as the same code.
 */
function exitBySignal(by: Interrupt, process: NodeJS.Process): void {
  if (by === "SIGHUP" && hasTerminal(process)) {
    process.removeAllListeners(by);
    process.kill(process.pid, by);
  }
  process.exit(interruptExitCodes[by]);
}

/**
 * To be called when all is done: a process whose terminal was closed does not take Node's own way out, whether or not its signal
 * has come. `isTerminal`: whether a file descriptor is one still.
 */
export function leaveClosedTerminal(
  { by }: Interruption,
  process: NodeJS.Process,
  isTerminal: (fd: number) => boolean = isatty,
): void {
  const isClosed = terminalsOf(process).some(({ fd }) => !isTerminal(fd));
  if (isClosed || (by() === "SIGHUP" && hasTerminal(process))) exitBySignal("SIGHUP", process);
}

function hasTerminal(process: NodeJS.Process): boolean {
  return terminalsOf(process).length > 0;
}

function terminalsOf({ stdin, stdout, stderr }: NodeJS.Process) {
  return [stdin, stdout, stderr].filter(({ isTTY }) => isTTY);
}
