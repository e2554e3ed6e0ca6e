import type { Terminal } from "../screen/terminal.ts";
import type { Output, ProcessHost } from "./host.ts";
import { interruptionOf } from "./interruption.ts";
import { newSecrets } from "./output/secrets.ts";
import { systemClock, systemRandomness } from "./system.ts";

/** The process as a host: its streams, its environment, its signals. */
export function processHost(): ProcessHost {
  const kept = holdOutput();
  const terminal = terminalOf(kept);
  return {
    env: process.env,
    cwd: process.cwd(),
    stdin: process.stdin,
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
  const { stdin, stderr, env } = process;
  if (stdin.isTTY !== true || stderr.isTTY !== true || env["TERM"] === "dumb") return undefined;
  return { input: stdin, output: stderr, hold };
}

function outputTo(stream: NodeJS.WriteStream, kept: HeldOutput): Output {
  const told = { isLost: false };
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE" || stream !== process.stdout || told.isLost) return;
    told.isLost = true;
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
 * run in the middle: a lost result is told by the exit code, lost progress by nothing. Told once: of a run, each event would be another loss.
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
