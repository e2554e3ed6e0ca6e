import { setMaxListeners } from "node:events";
import { fstatSync, writeSync } from "node:fs";
import type { Readable } from "node:stream";
import { isatty } from "node:tty";
import { styleText } from "node:util";
import { ownName } from "../files/own-name.ts";
import type { KeySource } from "../library/connect.ts";
import { type Environment, systemClock, systemRandomness } from "../library/environment.ts";
import { newSecrets, type Secrets } from "../library/redaction.ts";
import { type Ink, type Paint, plain } from "../report/document/tree.ts";
import type { RenderOptions, TerminalStyle } from "../report/outcome.ts";
import type { Terminal } from "../screen/terminal.ts";

/** Everything of the process that a command may touch, so that a command can be run inside another. */
export interface ProcessHost extends Environment {
  readonly user: string;
  /** Opens standard input, which a command that does not read it leaves alone. */
  readonly stdin: () => StandardInput;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly terminal?: Terminal;
  readonly interruption: Interruption;
  /** Where the API key comes from, or throws; the environment or the settings say it where it is absent. */
  readonly keySource?: () => KeySource;
  /** Awaited before each request to the service. */
  readonly mayStart?: (effect: "read" | "write") => Promise<void>;
}

export type StandardInput = Readable & { readonly isTTY?: boolean };

export interface Host extends ProcessHost {
  /** Where -C led from the directory in which the process started. */
  readonly directory?: string;
  /** The target of a fleet that the command runs for. */
  readonly target?: string;
  readonly live: ReturnType<typeof newEventBuffer>;
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

/** Lines that were streamed while the command ran, and those that are kept for a report. */
export function newEventBuffer(): { streamed: RenderOptions["streamed"]; readonly kept: string[] } {
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
    if (length >= 4096) largest ??= largestAfter(Buffer.concat(chunks));
    if (largest !== undefined && length > largest) break;
  }
  return Buffer.concat(chunks);
}

export function processHost(terminals: readonly number[]): ProcessHost {
  return {
    env: process.env,
    cwd: process.cwd(),
    user: ownName(),
    stdin: () => process.stdin,
    ...standardStreams(terminals),
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

/** The first signal asks, the next one ends the process at once. */
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

export interface Output {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** True where colours are wanted: NO_COLOR, FORCE_COLOR and the terminal decide. */
  readonly hasColours: boolean;
  readonly columns?: number | undefined;
}

/** Whatever a command writes passes through here. */
export function redacted(output: Output, secrets: Secrets): Output {
  const { isTerminal, hasColours } = output;
  const write = (text: string) => output.write(secrets.redact(text));
  return {
    write,
    isTerminal,
    hasColours,
    get columns() {
      return output.columns;
    },
  };
}

function standardStreams(terminals: readonly number[]): Pick<ProcessHost, "stdout" | "stderr" | "terminal"> {
  const held = holdOutput();
  const streams = { stdout: outputTo(1, terminals, held), stderr: outputTo(2, terminals, held) };
  if (!terminals.includes(0) || !terminals.includes(2) || process.env["TERM"] === "dumb") return streams;
  // A screen writes to it before anything else may have opened it.
  const output = process.stderr.on("error", lossOf(2));
  return { ...streams, terminal: { input: process.stdin, output, hold: held.hold } };
}

export function standardTerminals(): readonly number[] {
  return [0, 1, 2].filter((fd) => isatty(fd));
}

/** What waits until a screen has given the terminal back, in the order in which it was written. */
function holdOutput() {
  let writes: (() => void)[] | undefined;
  return {
    /** At once, or when nothing is kept back any more. */
    write(stream: NodeJS.WriteStream, text: string) {
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

/** Opened when something is written: that takes a while. */
function outputTo(fd: 1 | 2, terminals: readonly number[], held: ReturnType<typeof holdOutput>): Output {
  const lost = lossOf(fd);
  let opened: NodeJS.WriteStream | undefined;
  const stream = () => {
    opened ??= (fd === 1 ? process.stdout : process.stderr).on("error", lost);
    return opened;
  };
  const isTerminal = terminals.includes(fd);
  const { NO_COLOR = "", FORCE_COLOR = "", TERM } = process.env;
  const wantsColours = NO_COLOR !== "" ? false : FORCE_COLOR === "" ? undefined : FORCE_COLOR !== "0";
  const toFile = fstatSync(fd).isFile() ? fileWriter(fd, lost) : undefined;
  return {
    write(text) {
      if (text === "") return;
      if (isTerminal) held.write(stream(), text);
      else if (toFile === undefined) stream().write(text);
      else toFile(text);
    },
    isTerminal,
    hasColours: wantsColours ?? (isTerminal && TERM !== "dumb"),
    // A window may be made wider or narrower at any time; some terminals say 0.
    get columns() {
      return isTerminal ? stream().columns || undefined : undefined;
    },
  };
}

/** Node's own stream of a file takes a text as written of which a full disk has taken a part. */
function fileWriter(fd: number, lost: (error: unknown) => void): (text: string) => void {
  let isOver = false;
  return (text) => {
    let rest: Uint8Array = Buffer.from(isOver ? "" : text);
    try {
      while (rest.length > 0) rest = rest.subarray(writeSync(fd, rest));
    } catch (error) {
      isOver = true;
      lost(error);
    }
  };
}

/** A reader that has gone away (`roster plan | head`) is no failure. A full disk must not end a run in the middle: the exit code says that the result was lost. */
function lossOf(fd: number): (error: unknown) => void {
  let isLost = false;
  return (error) => {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    // Reported once: each event of a run would be another loss. That progress is lost changes no result.
    if (code === "EPIPE" || fd !== 1 || isLost) return;
    isLost = true;
    // It may be on the same disk.
    process.stderr.on("error", () => undefined).write(`error: the result could not be printed: ${code}\n`);
    process.on("exit", (exitCode) => {
      if (exitCode === 0) process.exitCode = 1;
    });
  };
}
