import type { Plan } from "../../model/plan.ts";
import type { Progress, ProgressObserver } from "../../ports/progress.ts";
import type { CommandOutcome } from "../../report/outcome.ts";
import { safe } from "../../report/safe.ts";
import { progressLine } from "../../report/text/progress.ts";
import type { Terminal } from "../../screen/terminal.ts";
import { type Host, isPipeline } from "../host.ts";
import { isFollowed, type OutputFlags } from "../output/output-flags.ts";

/** What is to be looked at, and how its results are to be told. */
export interface ProgressOptions extends OutputFlags {
  readonly debug?: boolean;
  readonly command: CommandOutcome["command"];
}

/** Whoever looks on while this command works, as its output and its format want it. */
export async function progressObserverFor(host: Host, watched: ProgressOptions): Promise<ProgressObserver> {
  const { format, report = [] } = watched;
  const told = await observerForPeople(host, watched);
  const isReported = report.some((one) => one.format === "ndjson");
  if (format !== "ndjson" && !isReported) return told;
  const { ndjsonObserver } = await import("./ndjson-observer.ts");
  return combineObservers([told, ndjsonObserver(host, watched)]);
}

async function observerForPeople(host: Host, watched: ProgressOptions): Promise<ProgressObserver> {
  const { format } = watched;
  // Behind a pipe there may be somebody who has the terminal, such as a pager.
  const terminal = host.stdout.isTerminal ? screenTerminal(host, watched) : undefined;
  if (terminal !== undefined) return (await import("./screen-observer.ts")).screenObserver(host, terminal);
  return lineObserver(host, { events: isFollowed(watched) || (format !== "ndjson" && host.stderr.isTerminal) });
}

/** The part of an onlooker that reads report to. */
export function readProgress(onlooker: ProgressObserver): Progress {
  return { report: (step) => onlooker.read(step) };
}

function combineObservers(onlookers: readonly ProgressObserver[]): ProgressObserver {
  return {
    read(step) {
      for (const one of onlookers) one.read(step);
    },
    planned(plan) {
      for (const one of onlookers) one.planned(plan);
    },
    asking() {
      for (const one of onlookers) one.asking();
    },
    event(event) {
      for (const one of onlookers) one.event(event);
    },
    async end() {
      for (const one of onlookers) await one.end();
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

/** The redacted request trace of `--debug`. */
export function debugTrace(flags: { readonly debug?: boolean }, host: Host): { trace?: (line: string) => void } {
  return flags.debug === true ? { trace: (line) => host.stderr.write(`${safe(line)}\n`) } : {};
}
