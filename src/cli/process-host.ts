import type { Host, Interrupt, Interruption, Output } from "./host.ts";

/** The process as a host: its streams, its environment, its signals. */
export function processHost(): Host {
  return {
    env: process.env,
    cwd: process.cwd(),
    stdin: process.stdin,
    stdout: outputTo(process.stdout),
    stderr: outputTo(process.stderr),
    interruption: interruptionOf(process),
  };
}

function outputTo(stream: NodeJS.WriteStream): Output {
  // A reader that has gone away (`roster plan | head`) is no failure.
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  const isTerminal = stream.isTTY === true;
  return { write: (text) => void (text === "" || stream.write(text)), isTerminal, hasColours: hasColours(isTerminal) };
}

function hasColours(isTerminal: boolean): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== "") return FORCE_COLOR !== "0";
  return isTerminal && TERM !== "dumb";
}

/** The first signal asks, the second ends the process at once. */
function interruptionOf(from: NodeJS.Process): Interruption {
  const controller = new AbortController();
  const state: { by?: Interrupt } = {};
  const interrupt = (name: Interrupt) => (): void => {
    if (state.by !== undefined) from.exit(name === "SIGINT" ? 130 : 143);
    state.by = name;
    controller.abort(name);
  };
  for (const name of ["SIGINT", "SIGTERM"] as const) from.on(name, interrupt(name));
  return { signal: controller.signal, by: () => state.by };
}
