import type { Output, ProcessHost } from "./host.ts";
import { interruptionOf } from "./interruption.ts";
import { newSecrets } from "./secrets.ts";
import { systemClock, systemRandomness } from "./system.ts";

/** The process as a host: its streams, its environment, its signals. */
export function processHost(): ProcessHost {
  return {
    env: process.env,
    cwd: process.cwd(),
    stdin: process.stdin,
    stdout: outputTo(process.stdout),
    stderr: outputTo(process.stderr),
    interruption: interruptionOf(process),
    clock: systemClock,
    randomness: systemRandomness,
    secrets: newSecrets(),
  };
}

function outputTo(stream: NodeJS.WriteStream): Output {
  stream.on("error", (error: NodeJS.ErrnoException) => tellLoss(stream, error));
  const isTerminal = stream.isTTY === true;
  return { write: (text) => void (text === "" || stream.write(text)), isTerminal, hasColours: hasColours(isTerminal) };
}

/**
 * A reader that has gone away (`roster plan | head`) is no failure. What cannot be printed otherwise (a full disk) must not end a
 * run in the middle: a lost result is told by the exit code, lost progress by nothing.
 */
function tellLoss(stream: NodeJS.WriteStream, error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE" || stream !== process.stdout) return;
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
