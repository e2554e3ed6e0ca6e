import type { JsonObject } from "../../codec/mapping.ts";
import type { Plan } from "../../model/plan.ts";
import { isoTime } from "../../ports/clock.ts";
import type { ProgressObserver } from "../../ports/progress.ts";
import type { CommandOutcome } from "../../report/outcome.ts";
import { safe } from "../../report/safe.ts";
import { progressLine } from "../../report/text/progress.ts";
import type { Terminal } from "../../screen/terminal.ts";
import { type Host, isPipeline } from "../host.ts";
import { isFollowed, type OutputFlags } from "../output/output-flags.ts";
import { installedPackage } from "../system.ts";

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
  return combineObservers([forPeople, await ndjsonObserver(host, options)]);
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
  { format, tui, debug }: OutputFlags & { readonly debug?: boolean },
): Terminal | undefined {
  const isWanted = format === "text" && tui !== false && debug !== true;
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

/** Milliseconds between two lines about one read. */
const minInterval = 1000;

/** Writes everything in lines of JSON as it happens: on standard output, or only for a report. `finish` writes the rest. */
async function ndjsonObserver(
  host: Host,
  { format, report = [], command }: ProgressOptions,
): Promise<ProgressObserver> {
  const { eventPart, plannedParts, toJsonLine, versionPart } = await import("../../report/json/ndjson.ts");
  const { noNames, planNames } = await import("../../report/plan-names.ts");
  const { clock, live, secrets, stdout } = host;
  const lastSteps = new Map<string, number>();
  const isReported = report.some((one) => one.format === "ndjson");
  let names = noNames;
  const tell = (part: JsonObject) => {
    const line = secrets.redact(toJsonLine(secrets.redactAll(part)));
    if (isReported) live.keep(line);
    if (format === "ndjson") stdout.write(line);
  };
  live.begin();
  tell(versionPart(command, installedPackage().version));
  return {
    read({ what, done, of }) {
      const last = lastSteps.get(what);
      if (last !== undefined && clock.now() - last < minInterval) return;
      lastSteps.set(what, clock.now());
      tell({ type: "read", at: isoTime(clock), what, done, of });
    },
    planned(plan) {
      names = planNames(plan);
      for (const part of plannedParts(plan)) tell(part);
      live.planned(plan.id);
    },
    event: (event) => tell(eventPart(event, names)),
    asking: () => undefined,
    end: async () => undefined,
  };
}
