import { type RunProgress, trackProgress } from "../../journal/run-progress.ts";
import type { RunEvent } from "../../model/event.ts";
import type { Plan } from "../../model/plan.ts";
import type { ProgressObserver, ReadStep } from "../../ports/progress.ts";
import { type Line, prose } from "../../report/document/blocks.ts";
import type { Ink } from "../../report/outcome.ts";
import { planNames } from "../../report/plan-names.ts";
import { renderLines } from "../../report/text/lines.ts";
import { progressLine } from "../../report/text/progress.ts";
import { readingExitSummary, runExitSummary } from "../../screen/exit-summary.ts";
import type { LogLine, ProgressScreen, ProgressView } from "../../screen/progress.tsx";
import type { Terminal } from "../../screen/terminal.ts";
import { type Host, painter } from "../host.ts";

/** Milliseconds that something may take before a screen is worth it. */
const screenDelay = { reading: 500, run: 300 } as const;

/** Shows long reads and runs on the terminal. A run leaves a line for each action, and all leave a few lines on how it went. */
export function screenObserver(host: Host, terminal: Terminal): ProgressObserver {
  const { clock, secrets, interruption } = host;
  const screen = delayedScreen(host, terminal);
  const steps = new Map<string, ReadStep>();
  let began: number | undefined;
  let plan: Plan | undefined;
  let run: RunLog | undefined;

  function startOfReading(): void {
    const from = clock.now();
    began = from;
    screen.soon(screenDelay.reading, () => {
      const { aborted: isStopping } = interruption.signal;
      return { is: "reading", steps: [...steps.values()], elapsed: clock.now() - from, isStopping };
    });
  }
  function endOfReading(): void {
    if (began === undefined) return;
    const summary = readingExitSummary([...steps.values()], clock.now() - began);
    const stopped = interruption.signal.aborted ? [prose(0, "Stopped. Nothing was sent.")] : [];
    screen.leave((wasShown) => [...(wasShown ? summary : []), ...stopped]);
    steps.clear();
    began = undefined;
  }
  function startOfRun(planned: Plan): void {
    const log = runLog(planned, clock.now());
    run = log;
    screen.soon(screenDelay.run, () => log.view(clock.now(), interruption.signal.aborted ? "stopping" : "running"));
  }
  function endOfRun(): void {
    const ended = run;
    run = undefined;
    if (ended === undefined) return;
    const summary = runExitSummary(ended.progress(clock.now()));
    // What was shown has scrolled by already.
    screen.leave((wasShown) => [...(wasShown ? [] : ended.lines().map(({ line }) => line)), ...summary]);
  }

  return {
    read(step) {
      steps.set(step.what, secrets.redactAll(step));
      if (began === undefined && run === undefined) startOfReading();
    },
    planned(made) {
      endOfReading();
      plan = secrets.redactAll(made);
    },
    asking: endOfReading,
    event(event: RunEvent) {
      if (event.type === "run-started" && plan !== undefined) startOfRun(plan);
      run?.take(secrets.redactAll(event));
      if (event.type === "run-finished") endOfRun();
    },
    async end() {
      endOfRun();
      endOfReading();
    },
  };
}

/** What is known of a run, and a line for each action that has ended. */
interface RunLog {
  take(event: RunEvent): void;
  progress(now: number): RunProgress;
  lines(): readonly LogLine[];
  view(now: number, phase: "running" | "stopping"): ProgressView;
}

/** How the line of an action looks, by the event that ends it. */
const endInks: Readonly<Partial<Record<RunEvent["type"], Ink | "none">>> = {
  succeeded: "none",
  settled: "none",
  unneeded: "dim",
  skipped: "change",
  stale: "change",
  failed: "alarm",
  "unknown-outcome": "alarm",
};

function runLog(plan: Plan, began: number): RunLog {
  const fold = trackProgress(plan, began);
  const names = planNames(plan);
  const lines: LogLine[] = [];
  let isSending = false;
  return {
    take(event) {
      fold.take(event);
      if (event.type === "intended") isSending = true;
      const ink = endInks[event.type];
      const text = progressLine(event, plan);
      if (ink === undefined || text === undefined) return;
      lines.push({ number: lines.length + 1, line: prose(0, text, ink === "none" ? undefined : ink) });
    },
    progress: (now) => fold.at(now),
    lines: () => lines,
    view(now, phase) {
      const stopping = isSending ? "calls-in-progress" : "nothing-sent";
      const view = { is: "run", progress: fold.at(now), names, now, log: lines } as const;
      return phase === "stopping" ? { ...view, stopping } : view;
    },
  };
}

interface DelayedScreen {
  /** Shows a screen, unless it is left before so many milliseconds. */
  soon(milliseconds: number, look: () => ProgressView): void;
  /** Gives the terminal back, and leaves lines there. */
  leave(lines: (wasShown: boolean) => readonly Line[]): void;
}

/** What screens are made of is loaded only when the first one is shown. */
function delayedScreen({ stderr }: Host, terminal: Terminal): DelayedScreen {
  const paint = painter(stderr);
  let shown: ProgressScreen | undefined;
  let wanted: { readonly look: () => ProgressView; readonly timer: NodeJS.Timeout } | undefined;

  async function open(look: () => ProgressView): Promise<void> {
    const { watchOnScreen } = await import("../../screen/progress.tsx");
    if (wanted?.look === look) shown = watchOnScreen(terminal, { paint, look });
  }

  return {
    soon(milliseconds, look) {
      clearTimeout(wanted?.timer);
      wanted = { look, timer: setTimeout(() => void open(look), milliseconds) };
    },
    leave(lines) {
      clearTimeout(wanted?.timer);
      wanted = undefined;
      const wasShown = shown !== undefined;
      shown?.leave();
      shown = undefined;
      stderr.write(renderLines(lines(wasShown), paint, stderr.columns));
    },
  };
}
