import type { Plan } from "../../model/plan.ts";
import type { ProgressObserver } from "../../ports/progress.ts";
import type { CommandOutcome } from "../../report/outcome.ts";
import { safe } from "../../report/safe.ts";
import { progressLine } from "../../report/text/progress.ts";
import type { Terminal } from "../../screen/terminal.ts";
import { type Host, isPipeline } from "../host.ts";
import { isFollowed, type OutputFlags } from "../output/output-flags.ts";

/** Which command is observed, and how its results are printed. */
export interface ProgressOptions extends OutputFlags {
  readonly debug?: boolean;
  readonly command: CommandOutcome["command"];
}

/** The observer of a command that fits its output and its format. */
export async function progressObserverFor(host: Host, options: ProgressOptions): Promise<ProgressObserver> {
  const { format, report = [] } = options;
  const forPeople = await observerForPeople(host, options);
  const isReported = report.some((one) => one.format === "ndjson");
  if (format !== "ndjson" && !isReported) return forPeople;
  const { ndjsonObserver } = await import("./ndjson-observer.ts");
  return combineObservers([forPeople, ndjsonObserver(host, options)]);
}

async function observerForPeople(host: Host, options: ProgressOptions): Promise<ProgressObserver> {
  const { format } = options;
  // Behind a pipe there may be somebody who has the terminal, such as a pager.
  const terminal = host.stdout.isTerminal ? screenTerminal(host, options) : undefined;
  if (terminal !== undefined) return (await import("./screen-observer.ts")).screenObserver(host, terminal);
  return lineObserver(host, { events: isFollowed(options) || (format !== "ndjson" && host.stderr.isTerminal) });
}

function combineObservers(observers: readonly ProgressObserver[]): ProgressObserver {
  return {
    read(step) {
      for (const one of observers) one.read(step);
    },
    planned(plan) {
      for (const one of observers) one.planned(plan);
    },
    asking() {
      for (const one of observers) one.asking();
    },
    event(event) {
      for (const one of observers) one.event(event);
    },
    async end() {
      for (const one of observers) await one.end();
    },
  };
}

/** The terminal, where screens are wanted on it: for people, not in a pipeline, and not among the lines of a trace. */
export function screenTerminal(
  host: Host,
  { format, plain, debug }: OutputFlags & { readonly debug?: boolean },
): Terminal | undefined {
  const isWanted = format === "text" && plain !== true && debug !== true;
  return isWanted && !isPipeline(host) ? host.terminal : undefined;
}

/** Tells on standard error, in lines: how far long reads are, on a terminal and now and then; and what happens in the run. */
function lineObserver({ stderr, clock }: Host, wanted: { readonly events: boolean }): ProgressObserver {
  let last = clock.now();
  let plan: Plan | undefined;
  return {
    read({ what, done, of }) {
      if (!stderr.isTerminal || clock.now() - last < 1000) return;
      last = clock.now();
      stderr.write(`${safe(what)}: ${done}${of === undefined ? "" : ` of ${of}`}\n`);
    },
    planned(made) {
      plan = made;
    },
    event(event) {
      const line = wanted.events && plan !== undefined ? progressLine(event, plan) : undefined;
      if (line !== undefined) stderr.write(`${line}\n`);
    },
    asking: () => undefined,
    end: async () => undefined,
  };
}
