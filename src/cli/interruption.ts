import type { Interrupt, Interruption } from "./host.ts";

/** With which code a process ends that was ended so. SIGHUP: its terminal was closed. */
export const interruptCodes: Readonly<Record<Interrupt, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/** Milliseconds within which signals are one: npm and the like pass on what the terminal has sent to us as well. */
const together = 200;

/** The first signal asks, the next one ends the process at once. */
export function interruptionOf(process: NodeJS.Process): Interruption {
  const controller = new AbortController();
  let first: { readonly by: Interrupt; readonly at: number } | undefined;
  function take(by: Interrupt): void {
    if (first !== undefined && performance.now() - first.at > together) process.exit(interruptCodes[by]);
    first ??= { by, at: performance.now() };
    controller.abort(by);
  }
  for (const by of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(by, () => take(by));
  return { signal: controller.signal, by: () => first?.by };
}
