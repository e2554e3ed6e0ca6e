import { rosterVersion } from "../codec/version.ts";
import { trackProgress } from "../log/summary.ts";
import type { RunEvent } from "../model/event.ts";
import type { JsonObject } from "../model/json.ts";
import type { Plan } from "../model/plan.ts";
import { isoTime, stopwatch } from "../ports/clock.ts";
import type { ReadStep } from "../ports/operator.ts";
import { noNames, planNames } from "../report/document/names.ts";
import { type Ink, inked, type Line, line } from "../report/document/tree.ts";
import type { CommandOutcome } from "../report/outcome.ts";
import { jsonLine, safe } from "../report/safe.ts";
import { progressLine, renderLines } from "../report/text/lines.ts";
import { readingExitSummary, runExitSummary } from "../screen/exit-summary.ts";
import type { LogLine, ProgressScreen, ProgressView } from "../screen/progress.tsx";
import type { Terminal } from "../screen/terminal.ts";
import { type Flags, formatsIn, isFollowed } from "./flags.ts";
import { type Host, isPipeline, painter } from "./host.ts";

/** Follows a command while it reads, plans and runs. The command never waits for it. */
export interface ProgressObserver {
  read(step: ReadStep): void;
  /** The plan is made, and nothing of it was done yet. */
  planned(plan: Plan): void;
  /** Somebody is about to be asked, and needs the terminal: nothing of what was read is shown any more. */
  asking(): void;
  event(event: RunEvent): void;
  /** The work is done or was given up; resolves when nothing more of it is shown. */
  end(): Promise<void>;
}

export async function progressObserverFor(
  host: Host,
  command: CommandOutcome["command"],
  flags: Flags,
): Promise<ProgressObserver> {
  // Behind a pipe there may be somebody who has the terminal, such as a pager.
  const terminal = host.stdout.isTerminal ? screenTerminal(host, flags) : undefined;
  const events = isFollowed(flags) || (flags.format !== "ndjson" && host.stderr.isTerminal);
  const observers: Partial<ProgressObserver>[] = [
    terminal === undefined ? lineObserver(host, events ? "events" : "reads") : screenObserver(host, terminal),
  ];
  if (formatsIn(flags).includes("ndjson")) observers.push(await ndjsonObserver(host, command, flags));
  const each = (call: (one: Partial<ProgressObserver>) => void) => observers.forEach(call);
  return {
    read: (step) => each((one) => one.read?.(step)),
    planned: (plan) => each((one) => one.planned?.(plan)),
    asking: () => each((one) => one.asking?.()),
    event: (event) => each((one) => one.event?.(event)),
    async end() {
      for (const one of observers) await one.end?.();
    },
  };
}

/** The terminal, where screens are wanted on it: for people, not in a pipeline, and not among the lines of a trace. */
export function screenTerminal(host: Host, { format, debug }: Flags): Terminal | undefined {
  const isWanted = format === "text" && debug !== true;
  return isWanted && !isPipeline(host) ? host.terminal : undefined;
}

function lineObserver({ stderr, clock }: Host, tells: "events" | "reads"): Partial<ProgressObserver> {
  let last = clock.monotonic();
  let plan: Plan | undefined;
  let waiting = "";
  let lastWait = "";
  const write = () => {
    stderr.write(waiting);
    waiting = "";
  };
  return {
    read({ what, done, of }) {
      if (!stderr.isTerminal || clock.monotonic() - last < minInterval) return;
      last = clock.monotonic();
      stderr.write(`${safe(what)}: ${done}${of === undefined ? "" : ` of ${of}`}\n`);
    },
    planned(made) {
      plan = made;
    },
    event(event) {
      const line = tells === "events" && plan !== undefined ? progressLine(event, plan) : undefined;
      const isSaid = event.type === "waiting" && event.why === lastWait;
      if (line === undefined || isSaid) return;
      lastWait = event.type === "waiting" ? event.why : "";
      // Events that became durable together are one write.
      if (waiting === "") process.nextTick(write);
      waiting += `${line}\n`;
    },
    end: async () => write(),
  };
}

const minInterval = 1000;

/** Writes everything in lines of JSON as it happens: on standard output, or only for a report. `finish` writes the rest. */
async function ndjsonObserver(
  host: Host,
  command: CommandOutcome["command"],
  { format, report = [] }: Flags,
): Promise<Partial<ProgressObserver>> {
  const { eventPart, plannedParts, versionPart } = await import("../report/json/ndjson.ts");
  const { clock, live, secrets, stdout } = host;
  const lastSteps = new Map<string, number>();
  const isReported = report.some((one) => one.format === "ndjson");
  let names = noNames;
  const tell = (part: JsonObject) => {
    const line = secrets.redact(jsonLine(secrets.redactAll(part)));
    if (isReported) live.kept.push(line);
    if (format === "ndjson") stdout.write(line);
  };
  live.streamed = {};
  tell(versionPart(command, rosterVersion));
  return {
    read({ what, done, of }) {
      const last = lastSteps.get(what);
      if (last !== undefined && clock.monotonic() - last < minInterval) return;
      lastSteps.set(what, clock.monotonic());
      tell({ type: "read", at: isoTime(clock), what, done, of });
    },
    planned(plan) {
      names = planNames(plan);
      for (const part of plannedParts(plan)) tell(part);
      live.streamed = { plan: plan.id };
    },
    event: (event) => tell(eventPart(event, names)),
  };
}

/** Milliseconds that something may take before a screen is worth it. */
const screenDelay = { reading: 500, run: 300 } as const;

/** Shows long reads and runs on the terminal. A run leaves a line for each action, and all leave a few lines on how it went. */
export function screenObserver(host: Host, terminal: Terminal): ProgressObserver {
  const { clock, secrets, interruption, stderr } = host;
  const paint = painter(stderr);
  let shown: ProgressScreen | undefined;
  let timer: NodeJS.Timeout | undefined;
  const steps = new Map<string, ReadStep>();
  let began: (() => number) | undefined;
  let plan: Plan | undefined;
  let run: { readonly fold: ReturnType<typeof trackProgress>; readonly log: LogLine[]; isSending: boolean } | undefined;

  /** Shows a screen, unless it is left before so many milliseconds. */
  function showSoon(milliseconds: number, look: () => ProgressView): void {
    clearTimeout(timer);
    const own = setTimeout(async () => {
      const { watchOnScreen } = await import("../screen/progress.tsx");
      if (timer === own) shown = watchOnScreen(terminal, { paint, look });
    }, milliseconds);
    timer = own;
  }
  /** Gives the terminal back, and leaves lines there. */
  function leave(lines: (wasShown: boolean) => readonly Line[]): void {
    clearTimeout(timer);
    timer = undefined;
    const wasShown = shown !== undefined;
    shown?.leave();
    shown = undefined;
    stderr.write(renderLines(lines(wasShown), { paint, columns: stderr.columns }));
  }
  function endOfReading(): void {
    if (began === undefined) return;
    const summary = readingExitSummary([...steps.values()], began());
    const stopped = interruption.signal.aborted ? [line(0, ["Stopped. Nothing was sent."])] : [];
    leave((wasShown) => [...(wasShown ? summary : []), ...stopped]);
    steps.clear();
    began = undefined;
  }
  function startOfRun(planned: Plan): void {
    const begun = { fold: trackProgress(planned, clock.now()), log: [] as LogLine[], isSending: false };
    const names = planNames(planned);
    run = begun;
    showSoon(screenDelay.run, () => {
      const now = clock.now();
      const view = { is: "run", progress: begun.fold.at(now), names, now, log: begun.log } as const;
      if (!interruption.signal.aborted) return view;
      return { ...view, stopping: begun.isSending ? "calls-in-progress" : "nothing-sent" };
    });
  }
  function endOfRun(): void {
    if (run === undefined) return;
    const { fold, log } = run;
    run = undefined;
    const summary = runExitSummary(fold.at(clock.now()));
    // What was shown has scrolled by already.
    leave((wasShown) => [...(wasShown ? [] : log.map(({ line }) => line)), ...summary]);
  }

  return {
    read(step) {
      steps.set(step.what, secrets.redactAll(step));
      if (began !== undefined || run !== undefined) return;
      const elapsed = stopwatch(clock);
      began = elapsed;
      showSoon(screenDelay.reading, () => {
        const { aborted: isStopping } = interruption.signal;
        return { is: "reading", steps: [...steps.values()], elapsed: elapsed(), isStopping };
      });
    },
    planned(made) {
      endOfReading();
      plan = secrets.redactAll(made);
    },
    asking: endOfReading,
    event(happened: RunEvent) {
      const event = secrets.redactAll(happened);
      if (event.type === "run-started" && plan !== undefined) startOfRun(plan);
      if (run === undefined || plan === undefined) return;
      run.fold.take(event);
      if (event.type === "intended") run.isSending = true;
      const ink = endInks[event.type];
      const text = ink && progressLine(event, plan);
      if (text !== undefined)
        run.log.push({ number: run.log.length + 1, line: line(0, [inked(ink === "none" ? undefined : ink, text)]) });
      if (event.type === "run-finished") endOfRun();
    },
    async end() {
      endOfRun();
      endOfReading();
    },
  };
}

/** How the line of an action looks, by the event that ends it. */
const endInks: Readonly<Partial<Record<RunEvent["type"], Ink | "none">>> = {
  succeeded: "none",
  resolved: "none",
  unneeded: "dim",
  stale: "change",
  failed: "alarm",
  "unknown-outcome": "alarm",
};
