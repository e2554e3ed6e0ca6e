import { type ProgressFold, trackProgress } from "../../journal/progress.ts";
import type { RunEvent } from "../../model/event.ts";
import type { Plan } from "../../model/plan.ts";
import type { ProgressObserver, ReadStep } from "../../ports/progress.ts";
import { planNames } from "../../report/plan-summary.ts";
import { type Line, renderLines } from "../../report/text/lines.ts";
import { readingExitSummary, runExitSummary, viewReading, viewRun } from "../../screen/progress.ts";
import type { ScreenRow, Size } from "../../screen/rows.ts";
import type { ProgressScreen } from "../../screen/stage.tsx";
import type { Terminal } from "../../screen/terminal.ts";
import { type Host, painter } from "../host.ts";

/** Milliseconds that something may take before a screen is worth it. */
const screenDelay = { reading: 500, run: 300 } as const;

/** Shows long reads and runs on the whole terminal, and leaves in their place a few plain lines of what they came to. */
export function screenObserver(host: Host, terminal: Terminal): ProgressObserver {
  const { clock, secrets, interruption } = host;
  const screen = delayedScreen(host, terminal);
  const steps = new Map<string, ReadStep>();
  let began: number | undefined;
  let plan: Plan | undefined;
  let run: ProgressFold | undefined;

  function endOfReading(): void {
    const elapsed = clock.now() - (began ?? clock.now());
    screen.leave((wasShown) => (wasShown ? readingExitSummary([...steps.values()], elapsed) : []));
    steps.clear();
    began = undefined;
  }
  function startOfRun(planned: Plan): ProgressFold {
    const fold = trackProgress(planned, clock.now());
    const names = planNames(planned);
    screen.soon(screenDelay.run, (size) => {
      const now = clock.now();
      return viewRun({ progress: fold.at(now), names, now, isEnding: interruption.signal.aborted }, size);
    });
    return fold;
  }
  function endOfRun(): void {
    const ended = run;
    run = undefined;
    if (ended !== undefined) screen.leave(() => runExitSummary(ended.at(clock.now())));
  }

  return {
    read(step) {
      steps.set(step.what, secrets.redactAll(step));
      if (began !== undefined || run !== undefined) return;
      const from = clock.now();
      began = from;
      screen.soon(screenDelay.reading, (size) =>
        viewReading({ steps: [...steps.values()], elapsed: clock.now() - from }, size),
      );
    },
    planned(made) {
      endOfReading();
      plan = secrets.redactAll(made);
    },
    asking: endOfReading,
    event(event: RunEvent) {
      if (event.type === "run-started" && plan !== undefined) run = startOfRun(plan);
      run?.take(secrets.redactAll(event));
      if (event.type === "run-finished") endOfRun();
    },
    async end() {
      endOfRun();
      endOfReading();
    },
  };
}

type ScreenView = (size: Size) => readonly ScreenRow[];

interface DelayedScreen {
  /** Shows a screen, unless it is left before so many milliseconds. */
  soon(milliseconds: number, look: ScreenView): void;
  /** Gives the terminal back, and leaves lines there. */
  leave(lines: (wasShown: boolean) => readonly Line[]): void;
}

/** What screens are made of is loaded only when the first one is shown. */
function delayedScreen({ stderr }: Host, terminal: Terminal): DelayedScreen {
  const paint = painter(stderr);
  let watch: ProgressScreen | undefined;
  let wanted: { readonly look: ScreenView; readonly timer: NodeJS.Timeout } | undefined;

  async function open(look: ScreenView): Promise<void> {
    const { openWatch } = await import("../../screen/stage.tsx");
    if (wanted?.look === look) watch = openWatch(terminal, { paint, look });
  }

  return {
    soon(milliseconds, look) {
      clearTimeout(wanted?.timer);
      wanted = { look, timer: setTimeout(() => void open(look), milliseconds) };
    },
    leave(lines) {
      clearTimeout(wanted?.timer);
      wanted = undefined;
      const wasShown = watch !== undefined;
      watch?.leave();
      watch = undefined;
      stderr.write(renderLines(lines(wasShown), paint, stderr.columns));
    },
  };
}
