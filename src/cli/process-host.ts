import { isatty } from "node:tty";
import type { Terminal } from "../screen/terminal.ts";
import type { Interrupt, Interruption, Output, ProcessHost } from "./host.ts";
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

/** With which code a process ends that was ended so. SIGHUP: its terminal was closed. */
export const interruptExitCodes: Readonly<Record<Interrupt, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/** Milliseconds within which signals are one: npm and the like pass on what the terminal has sent to us as well. */
const signalWindow = 200;

/** The first signal asks, the next one ends the process at once. @internal */
export function interruptionOf(process: NodeJS.Process): Interruption {
  const controller = new AbortController();
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
