import type { Progress, ProgressObserver } from "../../ports/progress.ts";
import type { CommandOutcome } from "../../report/outcome.ts";
import type { Host } from "../host.ts";
import { isFollowed, type OutputFlags } from "../output/output-flags.ts";
import { lineObserver } from "./onlooking-lines.ts";
import { screenTerminal } from "./screen-terminal.ts";

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
  const { ndjsonObserver: onlookingJson } = await import("./onlooking-json.ts");
  return combineObservers([told, onlookingJson(host, watched)]);
}

async function observerForPeople(host: Host, watched: ProgressOptions): Promise<ProgressObserver> {
  const { format } = watched;
  // Behind a pipe there may be somebody who has the terminal, such as a pager.
  const terminal = host.stdout.isTerminal ? screenTerminal(host, watched) : undefined;
  if (terminal !== undefined) return (await import("./onlooking-screen.ts")).screenObserver(host, terminal);
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
