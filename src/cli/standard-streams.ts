import { fstatSync, statSync, writeSync } from "node:fs";
import { isatty } from "node:tty";
import type { Terminal } from "../screen/terminal.ts";

export interface Output {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** True where colours are wanted: NO_COLOR, FORCE_COLOR and the terminal decide. */
  readonly hasColours: boolean;
  readonly columns?: number | undefined;
}

interface StandardStreams {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly terminal?: Terminal;
}

export function standardStreams(terminals: readonly number[]): StandardStreams {
  const kept = holdOutput();
  const terminal = terminalOf(terminals, kept);
  const outputTo = (fd: 1 | 2) => (terminals.includes(fd) ? terminalOutput(fd, kept) : plainOutput(fd));
  return { stdout: outputTo(1), stderr: outputTo(2), ...(terminal === undefined ? {} : { terminal }) };
}

/** Which of the standard streams are terminals. What Node needs to know of these is loaded only where there may be one. */
export function standardTerminals(): readonly number[] {
  return [0, 1, 2].filter((fd) => mayBeTerminal(fd) && isatty(fd));
}

function mayBeTerminal(fd: number): boolean {
  try {
    const stats = fstatSync(fd);
    return stats.isCharacterDevice() && stats.rdev !== statSync("/dev/null").rdev;
  } catch {
    return true;
  }
}

function streamOf(fd: 1 | 2): NodeJS.WriteStream {
  return fd === 1 ? process.stdout : process.stderr;
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

function terminalOf(terminals: readonly number[], { hold }: HeldOutput): Terminal | undefined {
  if (!terminals.includes(0) || !terminals.includes(2) || process.env["TERM"] === "dumb") return undefined;
  return { input: process.stdin, output: process.stderr, hold };
}

function terminalOutput(fd: 1 | 2, kept: HeldOutput): Output {
  const stream = streamOf(fd).on("error", lossOf(fd));
  return {
    write: (text) => void (text === "" || kept.write(stream, text)),
    isTerminal: true,
    hasColours: hasColours(true),
    // A window may be made wider or narrower at any time; some terminals say 0.
    get columns() {
      return stream.columns || undefined;
    },
  };
}

/** A file, a pipe or a device: written to at once, as Node's own stream of it does, or by that where it takes no more for now. */
function plainOutput(fd: 1 | 2): Output {
  const lost = lossOf(fd);
  let stream: NodeJS.WriteStream | undefined;
  let isOver = false;
  function write(text: string): void {
    let rest: Uint8Array = Buffer.from(text);
    try {
      while (rest.length > 0) rest = rest.subarray(writeSync(fd, rest));
    } catch (error) {
      if (codeOf(error) !== "EAGAIN") {
        isOver = true;
        lost(error);
        return;
      }
      stream = streamOf(fd).on("error", lost);
      stream.write(rest);
    }
  }
  return {
    write: (text) => void (isOver || text === "" || (stream === undefined ? write(text) : stream.write(text))),
    isTerminal: false,
    hasColours: hasColours(false),
  };
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

/**
 * A reader that has gone away (`roster plan | head`) is no failure. What cannot be printed otherwise (a full disk) must not end a
 * run in the middle: the exit code says that a result was lost, and nothing says that progress was. Reported once: each event of a run would be another loss.
 */
function lossOf(fd: number): (error: unknown) => void {
  let isLost = false;
  return (error) => {
    const code = codeOf(error) ?? String(error);
    if (code === "EPIPE" || fd !== 1 || isLost) return;
    isLost = true;
    process.stderr.write(`error: the result could not be printed: ${code}\n`);
    process.on("exit", (exitCode) => {
      if (exitCode === 0) process.exitCode = 1;
    });
  };
}

function hasColours(isTerminal: boolean): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== "") return FORCE_COLOR !== "0";
  return isTerminal && TERM !== "dumb";
}
