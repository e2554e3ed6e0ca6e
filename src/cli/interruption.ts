import { isatty } from "node:tty";
import type { Interrupt, Interruption } from "./host.ts";

/** With which code a process ends that was ended so. SIGHUP: its terminal was closed. */
export const interruptExitCodes: Readonly<Record<Interrupt, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/** Milliseconds within which signals are one: npm and the like pass on what the terminal has sent to us as well. */
const signalWindow = 200;

/** The first signal asks, the next one ends the process at once. */
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
