import { Box, Static } from "ink";
import { useEffect, useState } from "react";
import type { Pause, RunProgress, StageProgress, WaitingActions } from "../log/summary.ts";
import type { ReadStep } from "../ports/operator.ts";
import { actionName, type PlanNames } from "../report/document/names.ts";
import type { Paint } from "../report/document/tree.ts";
import { inked, type Line, type Piece } from "../report/document/tree.ts";
import { padTo } from "../report/text/lines.ts";
import { formatElapsed, formatRate, formatStageStatus, stageLabels } from "./exit-summary.ts";
import { Lines, openStage, Row, useSize } from "./stage.tsx";
import type { Size, Terminal } from "./terminal.ts";

export type ProgressView = ReadingView | RunView;

interface ReadingView {
  readonly is: "reading";
  readonly steps: readonly ReadStep[];
  /** Milliseconds. */
  readonly elapsed: number;
  readonly isStopping: boolean;
}

interface RunView {
  readonly is: "run";
  readonly progress: RunProgress;
  readonly names: PlanNames;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** No new action starts any more; whether any was sent before. */
  readonly stopping?: "nothing-sent" | "calls-in-progress";
  readonly log: readonly LogLine[];
}

export interface LogLine {
  /** Counted from 1. */
  readonly number: number;
  readonly line: Line;
}

export interface ProgressScreen {
  /** Leaves only what has scrolled by. */
  leave(): void;
}

const refreshInterval = 125;

export function watchOnScreen(
  terminal: Terminal,
  { paint, look }: { readonly paint: Paint; readonly look: () => ProgressView },
): ProgressScreen {
  // A screen that cannot be drawn must not end a run.
  const options = { area: "below-output", paint, onDefect: () => undefined } as const;
  const stage = openStage(terminal, <Watch look={look} isOver={false} />, options);
  return {
    leave() {
      stage.show(<Watch look={look} isOver={true} />);
      stage.close();
    },
  };
}

function Watch({ look, isOver }: { readonly look: () => ProgressView; readonly isOver: boolean }) {
  const [view, setView] = useState(look);
  useEffect(() => {
    const timer = setInterval(() => setView(look()), refreshInterval);
    return () => clearInterval(timer);
  }, [look]);
  return <Progress view={isOver ? look() : view} isOver={isOver} />;
}

/** Actions that have ended scroll by; below them, how far everything is. @internal */
export function Progress({ view, isOver }: { readonly view: ProgressView; readonly isOver: boolean }) {
  const size = useSize();
  const { columns } = size;
  const shown = isOver ? [] : view.is === "run" ? runRows(view, size) : readingRows(view, size);
  return (
    <>
      {view.is === "run" && (
        <Static items={[...view.log]}>
          {({ number, line }) => <Lines key={number} lines={[line]} columns={columns} />}
        </Static>
      )}
      {shown.length > 0 && (
        <Box flexDirection="column" width={columns}>
          {shown.map((row) => (
            <Row key={shown.indexOf(row)} {...row} columns={columns} />
          ))}
        </Box>
      )}
    </>
  );
}

type ShownRow = Omit<Parameters<typeof Row>[0], "columns">;

/** Never as high as the terminal, or that would scroll. */
function withFoot(rows: readonly ShownRow[], foot: string, size: Size): readonly ShownRow[] {
  return [...rows.slice(0, Math.max(0, size.rows - 2)), { pieces: [` ${foot}`], isMarked: true }];
}

function runRows({ progress, names, now, stopping }: RunView, size: Size): readonly ShownRow[] {
  const { stages, pauses, waiting } = progress;
  const room = Math.max(2, size.rows - stages.length - 8);
  const count = waiting.reduce((sum, one) => sum + one.count, 0);
  const running = progress.running.map(({ action, since }): ShownRow => {
    return { pieces: [`   ${actionName(action, names)}`], right: `${formatElapsed(now - since)} ` };
  });
  const waits = [...formatPauses(pauses, now), ...formatWaiting(waiting, names)].map((piece): ShownRow => {
    return { pieces: ["   ", piece] };
  });
  const runningRoom = Math.max(Math.ceil(room / 2), room - waits.length);
  const rows: readonly ShownRow[] = [
    { pieces: [` Applying: ${formatOverall(progress)}`], right: `${formatElapsed(progress.elapsed)} `, isMarked: true },
    ...stages.map((stage) => stageRow(stage, size)),
    ...section(`Running (${progress.running.length})`, running, runningRoom),
    ...section(`Waiting (${count})`, waits, room - Math.min(running.length, runningRoom)),
  ];
  return withFoot(rows, stoppingHints[stopping ?? "running"], size);
}

const stoppingHints = {
  running: "Ctrl-C: start no new action, finish the calls in progress",
  "nothing-sent": "Stopping: reading was stopped, nothing was sent. Ctrl-C again exits at once.",
  "calls-in-progress": "Stopping after the calls in progress. Ctrl-C again exits at once.",
} as const;

function formatOverall({ phase, stages, rate, timeLeft }: RunProgress): string {
  const total = stages.reduce((sum, stage) => sum + stage.total, 0);
  const ended = stages.reduce((sum, { done, failed, unknown, leftOut }) => sum + done + failed + unknown + leftOut, 0);
  const parts = [
    `${ended} of ${total} actions`,
    ...(rate === undefined || rate === 0 || phase !== "running" ? [] : [formatRate(rate)]),
    ...(timeLeft === undefined ? [] : [`about ${formatElapsed(timeLeft)} left`]),
    ...(phase === "reading-again" ? ["verifying the changes"] : []),
  ];
  return parts.join(", ");
}

function stageRow(stage: StageProgress, { columns }: Size): ShownRow {
  const { done, failed, unknown, total } = stage;
  const status = formatStageStatus(stage);
  const label = padTo(` ${stageLabels[stage.stage]}`, 16);
  const bar = progressBar(Math.min(40, columns - 66), total, done, failed);
  const ended = failed + unknown > 0 ? inked("alarm", status) : status;
  return { pieces: [label, ...bar, padTo(` ${done} of ${total}`, 17), ended] };
}

/** How much of a whole is done, and how much of it has failed; never less than four columns. */
function progressBar(width: number, total: number, done: number, failed = 0): readonly Piece[] {
  const columns = Math.max(4, width);
  const share = (count: number) => (total === 0 ? 0 : Math.floor((count / total) * columns));
  const full = share(done);
  const broken = Math.min(columns - full, failed === 0 ? 0 : Math.max(1, share(failed)));
  return [
    { ink: "add", text: "█".repeat(full) },
    { ink: "remove", text: "▓".repeat(broken) },
    { ink: "dim", text: "░".repeat(columns - full - broken) },
  ];
}

/** A heading and as many rows as there is room for; the last one counts the others. */
function section(title: string, rows: readonly ShownRow[], room: number): readonly ShownRow[] {
  if (rows.length === 0) return [];
  const shown = rows.length <= room ? rows : rows.slice(0, Math.max(0, room - 1));
  const more = rows.length - shown.length;
  const rest: readonly ShownRow[] = more === 0 ? [] : [{ pieces: [inked("dim", `   and ${more} more`)] }];
  return [{ pieces: [] }, { pieces: [inked("strong", ` ${title}`)] }, ...shown, ...rest];
}

function formatPauses(pauses: readonly Pause[], now: number): readonly Piece[] {
  return pauses
    .filter(({ until }) => until > now)
    .map(({ why, until, times }) => {
      const often = times === 1 ? "" : `, ${times} times so far`;
      return { ink: "change", text: `${formatElapsed(until - now)} more: ${why}${often}` };
    });
}

function formatWaiting(waiting: readonly WaitingActions[], names: PlanNames): readonly Piece[] {
  return waiting.map(({ count, for: cause }) =>
    cause === undefined ? `${count} for their turn` : `${count} for: ${actionName(cause, names)}`,
  );
}

function readingRows({ steps, elapsed, isStopping }: ReadingView, size: Size): readonly ShownRow[] {
  const foot = isStopping ? "Reading is stopped. Nothing was sent." : "Ctrl-C: stop reading; nothing was changed";
  const rows = steps.map(({ what, done, of }): ShownRow => {
    const bar = of === undefined ? [] : progressBar(Math.min(40, size.columns - 46), of, done);
    const count = of !== undefined ? ` ${done} of ${of}` : done > 0 ? `${done}` : "";
    return { pieces: [padTo(` ${what}`, 26), ...bar, count] };
  });
  const head: ShownRow = { pieces: [" Reading the service"], right: `${formatElapsed(elapsed)} `, isMarked: true };
  return withFoot([head, ...rows], foot, size);
}
