import { fstatSync, writeSync } from "node:fs";
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

/** Opened when something is written: that takes a while. */
function outputTo(fd: 1 | 2, terminals: readonly number[], held: HeldOutput): Output {
  const lost = lossOf(fd);
  let opened: NodeJS.WriteStream | undefined;
  const stream = () => {
    opened ??= (fd === 1 ? process.stdout : process.stderr).on("error", lost);
    return opened;
  };
  const isTerminal = terminals.includes(fd);
  const toFile = fstatSync(fd).isFile() ? fileWriter(fd, lost) : undefined;
  return {
    write(text) {
      if (text === "") return;
      if (isTerminal) held.write(stream(), text);
      else if (toFile === undefined) stream().write(text);
      else toFile(text);
    },
    isTerminal,
    hasColours: hasColours(isTerminal),
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

function hasColours(isTerminal: boolean): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== "") return FORCE_COLOR !== "0";
  return isTerminal && TERM !== "dumb";
}
