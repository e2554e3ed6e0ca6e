import type { Readable } from "node:stream";
import { styleText } from "node:util";
import type { Clock, Randomness } from "../ports/clock.ts";
import { type Ink, type Paint, plain, type StreamedLines, type TerminalStyle } from "../report/outcome.ts";
import type { Terminal } from "../screen/terminal.ts";
import type { OpenTransport } from "../service/transport.ts";
import type { LocalSystem } from "../state/process-identity.ts";
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

/** The lines that a command tells while it works: kept where a report wants them, and told once. */
interface EventBuffer {
  /** From now on lines are told. */
  begin(): void;
  /** Keeps a line for a report. */
  keep(line: string): void;
  /** The plan of this id was told. */
  planned(id: string): void;
  /** The lines that were kept. */
  text(): string;
  /** Undefined where lines were not begun. */
  told(): StreamedLines | undefined;
}

/** Nothing is told yet. */
export function newEventBuffer(): EventBuffer {
  const lines: string[] = [];
  let told: StreamedLines | undefined;
  return {
    begin() {
      told = {};
    },
    keep(line) {
      lines.push(line);
    },
    planned(id) {
      told = { ...told, plan: id };
    },
    text: () => lines.join(""),
    told: () => told,
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
