import { Box, Static } from "ink";
import { type ReactNode, useEffect, useState } from "react";
import type { Pause, RunProgress, StageProgress, WaitingActions } from "../log/run-progress.ts";
import type { ReadStep } from "../ports/operator.ts";
import type { PlanNames } from "../report/document/actions.ts";
import { actionName } from "../report/document/actions.ts";
import type { Line, Piece } from "../report/document/tree.ts";
import type { Paint } from "../report/outcome.ts";
import { formatElapsed, formatRate, formatStageStatus, stageLabels } from "./exit-summary.ts";
import { openStage } from "./stage.tsx";
import type { Terminal } from "./terminal.ts";
import { Lines, Row, StyledText, useSize } from "./text.tsx";

export type ProgressView = ReadingView | RunView;

interface ReadingView {
  readonly is: "reading";
  readonly steps: readonly ReadStep[];
  readonly elapsed: number;
  readonly isStopping: boolean;
}

interface RunView {
  readonly is: "run";
  readonly progress: RunProgress;
  readonly names: PlanNames;
  readonly now: number;
  /** No new action starts any more; whether any was sent before. */
  readonly stopping?: "nothing-sent" | "calls-in-progress";
  /** One line for each action that has ended, in the order in which they ended. */
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

/** Milliseconds between two looks. */
const refreshInterval = 125;

/** Shows what `look` returns, again and again, below what was written before. */
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
  const { columns } = useSize();
  return (
    <>
      {view.is === "run" && (
        <Static items={[...view.log]}>
          {({ number, line }) => <Lines key={number} lines={[line]} columns={columns} />}
        </Static>
      )}
      {!isOver && (view.is === "run" ? <Run view={view} /> : <Reading view={view} />)}
    </>
  );
}

function Run({ view }: { readonly view: RunView }) {
  const { columns, rows } = useSize();
  const { progress, names, now, stopping } = view;
  const { stages } = progress;
  const room = Math.max(2, rows - stages.length - 8);
  const waiting = progress.waiting.reduce((sum, { count }) => sum + count, 0);
  const running = progress.running.map(({ action, since }) => (
    <Row
      key={action.id}
      pieces={[`   ${actionName(action, names)}`]}
      right={`${formatElapsed(now - since)} `}
      columns={columns}
    />
  ));
  const waits = [...formatPauses(progress.pauses, now), ...formatWaiting(progress.waiting, names)].map((piece) => (
    <Row key={JSON.stringify(piece)} pieces={["   ", piece]} columns={columns} />
  ));
  const runningRoom = Math.max(Math.ceil(room / 2), room - waits.length);
  const sections = [
    ...section(`Running (${progress.running.length})`, running, { columns, room: runningRoom }),
    ...section(`Waiting (${waiting})`, waits, { columns, room: room - Math.min(running.length, runningRoom) }),
  ];
  const head = (
    <Row
      key="head"
      pieces={[` Applying: ${formatOverall(progress)}`]}
      right={`${formatElapsed(progress.elapsed)} `}
      columns={columns}
      isMarked
    />
  );
  const status = [head, ...stages.map((stage) => <StageRow key={stage.stage} stage={stage} />), ...sections];
  return <Status rows={status} foot={stoppingHints[stopping ?? "running"]} />;
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

function StageRow({ stage }: { readonly stage: StageProgress }) {
  const { columns } = useSize();
  const status = formatStageStatus(stage);
  const hasFailed = stage.failed + stage.unknown > 0;
  return (
    <Box width={columns}>
      <Box width={16} flexShrink={0} paddingLeft={1}>
        <StyledText pieces={[stageLabels[stage.stage]]} />
      </Box>
      <ProgressBar done={stage.done} failed={stage.failed} total={stage.total} width={Math.min(40, columns - 66)} />
      <Box width={17} flexShrink={0} paddingLeft={1}>
        <StyledText pieces={[`${stage.done} of ${stage.total}`]} />
      </Box>
      <StyledText pieces={[hasFailed ? { ink: "alarm", text: status } : status]} />
    </Box>
  );
}

interface ProgressBarProps {
  readonly done: number;
  readonly failed?: number;
  readonly total: number;
  /** Columns; never less than four. */
  readonly width: number;
}

function ProgressBar({ done, failed = 0, total, width }: ProgressBarProps) {
  const columns = Math.max(4, width);
  const share = (count: number) => (total === 0 ? 0 : Math.floor((count / total) * columns));
  const full = share(done);
  const broken = Math.min(columns - full, failed === 0 ? 0 : Math.max(1, share(failed)));
  const pieces: readonly Piece[] = [
    { ink: "add", text: "█".repeat(full) },
    { ink: "remove", text: "▓".repeat(broken) },
    { ink: "dim", text: "░".repeat(columns - full - broken) },
  ];
  return (
    <Box width={columns} flexShrink={0}>
      <StyledText pieces={pieces} />
    </Box>
  );
}

interface SectionSize {
  readonly columns: number;
  readonly room: number;
}

function section(title: string, rows: readonly ReactNode[], { columns, room }: SectionSize): readonly ReactNode[] {
  if (rows.length === 0) return [];
  const shown = rows.length <= room ? rows : rows.slice(0, Math.max(0, room - 1));
  const more = rows.length - shown.length;
  return [
    <Row key={`above ${title}`} pieces={[]} columns={columns} />,
    <Row key={title} pieces={[{ ink: "strong", text: ` ${title}` }]} columns={columns} />,
    ...shown,
    ...(more === 0
      ? []
      : [<Row key={`more ${title}`} pieces={[{ ink: "dim", text: `   and ${more} more` }]} columns={columns} />]),
  ];
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

function Reading({ view: { steps, elapsed, isStopping } }: { readonly view: ReadingView }) {
  const { columns } = useSize();
  const foot = isStopping ? "Reading is stopped. Nothing was sent." : "Ctrl-C: stop reading; nothing was changed";
  const head = (
    <Row key="head" pieces={[" Reading the service"]} right={`${formatElapsed(elapsed)} `} columns={columns} isMarked />
  );
  return <Status rows={[head, ...steps.map((step) => <ReadStepRow key={step.what} step={step} />)]} foot={foot} />;
}

/** It is never as high as the terminal, or that would scroll. */
function Status({ rows, foot }: { readonly rows: readonly ReactNode[]; readonly foot: string }) {
  const size = useSize();
  return (
    <Box flexDirection="column" width={size.columns}>
      {rows.slice(0, Math.max(0, size.rows - 2))}
      <Row pieces={[` ${foot}`]} columns={size.columns} isMarked />
    </Box>
  );
}

function ReadStepRow({ step: { what, done, of } }: { readonly step: ReadStep }) {
  const { columns } = useSize();
  return (
    <Box width={columns}>
      <Box minWidth={26} flexShrink={0} paddingLeft={1}>
        <StyledText pieces={[what]} />
      </Box>
      {of !== undefined && <ProgressBar done={done} total={of} width={Math.min(40, columns - 46)} />}
      {(of !== undefined || done > 0) && <StyledText pieces={[of === undefined ? `${done}` : ` ${done} of ${of}`]} />}
    </Box>
  );
}
