import type { Pause, RunProgress, StageName, StageProgress, WaitingActions } from "../journal/progress.ts";
import { type ActionOutcome, refusedMembers } from "../journal/summary.ts";
import type { Failure } from "../model/result.ts";
import type { ReadStep } from "../ports/progress.ts";
import { formatCount } from "../report/phrases.ts";
import type { PlanNames } from "../report/plan-summary.ts";
import { actionName } from "../report/text/actions.ts";
import { type Line, type Piece, padTo, prose, row } from "../report/text/lines.ts";
import { blankRow, layoutLines, type ScreenRow, type SingleRow, type Size, screenRow } from "./rows.ts";

/** What a run is shown with. */
interface RunViewInput {
  readonly progress: RunProgress;
  readonly names: PlanNames;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Nothing new is begun any more. */
  readonly isEnding: boolean;
}

/** The whole screen of a run: how far each stage is, what runs, what waits and for what, and what has failed. */
export function viewRun(shown: RunViewInput, size: Size): readonly ScreenRow[] {
  const stages = shown.progress.stages.map((stage) => stageRow(stage, size));
  const room = Math.max(0, size.rows - stages.length - 4);
  const sections = sectionRows(shown, { ...size, rows: room });
  const space = Array.from({ length: Math.max(0, room - sections.length) }, () => blankRow);
  const rows = [headRow(shown), blankRow, ...stages, blankRow, ...sections, ...space, footRow(shown)];
  return [...rows.slice(0, Math.max(0, size.rows - 1)), ...rows.slice(-1)].slice(0, size.rows);
}

function headRow({ progress }: RunViewInput): SingleRow {
  const { phase, stages, rate, timeLeft, elapsed } = progress;
  const total = stages.reduce((sum, stage) => sum + stage.total, 0);
  const ended = stages.reduce((sum, { done, failed, unknown, leftOut }) => sum + done + failed + unknown + leftOut, 0);
  const parts = [
    `${ended} of ${total} actions`,
    ...(rate === undefined || rate === 0 || phase !== "running" ? [] : [formatRate(rate)]),
    ...(timeLeft === undefined ? [] : [`about ${formatElapsed(timeLeft)} left`]),
    ...(phase === "reading-again" ? ["reading again what was touched"] : []),
  ];
  return { ...screenRow([` Applying: ${parts.join(", ")}`], `${formatElapsed(elapsed)} `), marked: true };
}

function stageRow(stage: StageProgress, { columns }: Size): SingleRow {
  const count = `${stage.done} of ${stage.total}`;
  const width = Math.max(4, Math.min(40, columns - 66));
  const standing = formatStageStatus(stage);
  const pieces = [` ${padTo(stageLabels[stage.stage], 15)}`, ...progressBar(stage, width), ` ${padTo(count, 16)}`];
  return screenRow([...pieces, stage.failed + stage.unknown > 0 ? { ink: "alarm", text: standing } : standing]);
}

/** What is told in a section: in as many rows as it needs, or cut to one where there are not so many. */
interface Item {
  readonly rows: readonly SingleRow[];
  readonly cut: SingleRow;
}

/** What runs, what waits and what failed share the room: each gets a third, and what one leaves the others may take. */
function sectionRows(shown: RunViewInput, room: Size): readonly SingleRow[] {
  const { progress, names, now } = shown;
  const waiting = progress.waiting.reduce((sum, { count }) => sum + count, 0);
  const sections = [
    { title: `Running (${progress.running.length})`, items: runningRows(shown).map(singleRowItem) },
    {
      title: `Waiting (${waiting})`,
      items: [...pauseRows(progress.pauses, now), ...waitingRows(progress.waiting, names)].map(singleRowItem),
    },
    { title: `Not done (${progress.failures.length})`, items: failureItems(shown, room) },
  ].filter(({ items }) => items.length > 0);
  const shares = sharesOf(
    sections.map(({ items }) => rowsOf(items).length),
    room.rows - 2 * sections.length,
  );
  return sections.flatMap(({ title, items }, index) => section(title, items, shares[index] ?? 0));
}

function singleRowItem(row: SingleRow): Item {
  return { rows: [row], cut: row };
}

function rowsOf(items: readonly Item[]): readonly SingleRow[] {
  return items.flatMap(({ rows }) => rows);
}

/** Shares out rows to those who ask for so many: nobody gets less than a fair part while others get more. */
function sharesOf(asked: readonly number[], room: number): readonly number[] {
  const shares = asked.map(() => 0);
  for (let left = room; left > 0; left -= 1) {
    const open = shares.flatMap((share, index) => (share < (asked[index] ?? 0) ? [index] : []));
    const next = open.reduce<number | undefined>(
      (least, index) => (least === undefined || (shares[index] ?? 0) < (shares[least] ?? 0) ? index : least),
      undefined,
    );
    if (next === undefined) break;
    shares[next] = (shares[next] ?? 0) + 1;
  }
  return shares;
}

function section(title: string, items: readonly Item[], most: number): readonly SingleRow[] {
  const isWhole = rowsOf(items).length <= most;
  const told = isWhole ? rowsOf(items) : beginningOf(items, most - 1);
  return [screenRow([{ ink: "strong", text: ` ${title}` }]), ...told, blankRow];
}

/** The first items in so many rows, and after them how many more there are. */
function beginningOf(items: readonly Item[], room: number): readonly SingleRow[] {
  const told: SingleRow[] = [];
  let count = 0;
  for (const { rows, cut } of items) {
    if (told.length >= room) break;
    told.push(...(told.length + rows.length <= room ? rows : [cut]));
    count += 1;
  }
  return count === items.length ? told : [...told, more(items.length - count)];
}

function more(count: number): SingleRow {
  return screenRow([{ ink: "dim", text: `   and ${count} more` }]);
}

function runningRows({ progress, names, now }: RunViewInput): readonly SingleRow[] {
  return progress.running.map(({ action, since }) =>
    screenRow([`   ${actionName(action, names)}`], { ink: "dim", text: `${formatElapsed(now - since)} ` }),
  );
}

function pauseRows(pauses: readonly Pause[], now: number): readonly SingleRow[] {
  return pauses
    .filter(({ until }) => until > now)
    .map(({ why, until, times }): SingleRow => {
      const often = times === 1 ? "" : `, ${times} times so far`;
      return screenRow([{ ink: "change", text: `   for ${formatElapsed(until - now)} more: ${why}${often}` }]);
    });
}

function waitingRows(waiting: readonly WaitingActions[], names: PlanNames): readonly SingleRow[] {
  return waiting.map(({ count, for: cause }) => {
    const why = cause === undefined ? "for their turn" : `for: ${actionName(cause, names)}`;
    return screenRow([`   ${count} ${why}`]);
  });
}

/** The last first: it is the one that somebody who looks up has not seen. What was left out for what failed is only counted. */
function failureItems({ progress, names }: RunViewInput, { columns }: Size): readonly Item[] {
  const told = progress.failures.filter(({ outcome }) => outcome.is !== "skipped");
  const leftOut = progress.failures.length - told.length;
  const items = told.toReversed().map(({ action, outcome }): Item => {
    const planned = names.action(action);
    const name = planned === undefined ? action : actionName(planned, names);
    const pieces: readonly Piece[] = [{ ink: "alarm", text: "! " }, `${name}: ${formatOutcome(outcome, names)}`];
    return { rows: layoutLines([row(3, pieces)], columns), cut: screenRow(["   ", ...pieces]) };
  });
  return leftOut === 0 ? items : [singleRowItem(screenRow([`   ${leftOut} left out for what failed`])), ...items];
}

function footRow({ isEnding }: RunViewInput): SingleRow {
  const words = isEnding
    ? "ending: nothing new begins, what is under way comes to its end; Ctrl-C once more ends roster at once"
    : "Ctrl-C: begin nothing more, and let what is under way come to its end";
  return { ...screenRow([` ${words}`]), marked: true };
}

/** The whole screen of a long read: how far each of its parts is. */
export function viewReading(
  { steps, elapsed }: { readonly steps: readonly ReadStep[]; readonly elapsed: number },
  size: Size,
): readonly ScreenRow[] {
  const rows = steps.slice(0, Math.max(0, size.rows - 3)).map((step) => stepRow(step, size));
  const space = Array.from({ length: Math.max(0, size.rows - rows.length - 3) }, () => blankRow);
  const head = { ...screenRow([" Reading the service"], `${formatElapsed(elapsed)} `), marked: true } as const;
  const foot = { ...screenRow([" Ctrl-C: stop; nothing was changed"]), marked: true } as const;
  return [head, blankRow, ...rows, ...space, foot].slice(0, size.rows);
}

function stepRow({ what, done, of }: ReadStep, { columns }: Size): SingleRow {
  const name = ` ${padTo(what, 24)} `;
  if (of === undefined) return screenRow(done === 0 ? [name] : [name, `${done}`]);
  return screenRow([name, ...progressBar({ done, total: of }, Math.min(40, columns - 46)), ` ${done} of ${of}`]);
}

/** What a run leaves where it was shown: plain lines, whatever its screen was. */
export function runExitSummary({ stages, elapsed, rate, pauses }: RunProgress): readonly Line[] {
  const total = stages.reduce((sum, stage) => sum + stage.total, 0);
  const done = stages.reduce((sum, stage) => sum + stage.done, 0);
  // Of what took less than a second, a speed says nothing.
  const speed = rate === undefined || done === 0 || elapsed < 1000 ? "" : `, ${formatRate((done / elapsed) * 1000)}`;
  return [
    ...stages.map((stage) => {
      const standing = formatStageStatus(stage);
      const rest = standing === "" ? "" : `, ${standing}`;
      return row(0, [`${padTo(stageLabels[stage.stage], 15)}${stage.done} of ${stage.total}${rest}`]);
    }),
    row(0, [`${done} of ${formatCount(total, "action")} in ${formatElapsed(elapsed)}${speed}`]),
    ...pauses.map(({ why, times }) => prose(0, `waited ${formatCount(times, "time")}: ${why}`)),
  ];
}

/** What a long read leaves where it was shown. */
export function readingExitSummary(steps: readonly ReadStep[], elapsed: number): readonly Line[] {
  const parts = steps.flatMap(({ what, done }) => (done === 0 ? [] : [`${done} ${what}`]));
  return [prose(0, `Read for ${formatElapsed(elapsed)}: ${parts.join(", ")}`, "dim")];
}

const stageLabels: Readonly<Record<StageName, string>> = {
  found: "found teams",
  create: "create users",
  add: "add members",
  replace: "replace roles",
};

/** `2 running, 15 waiting, 1 failed`, without what is none. */
function formatStageStatus({ running, waiting, failed, unknown, leftOut }: StageProgress): string {
  const parts = [
    [running, "running"],
    [waiting, "waiting"],
    [failed, "failed"],
    [unknown, "unknown"],
    [leftOut, "left out"],
  ] as const;
  return parts.flatMap(([count, word]) => (count === 0 ? [] : [`${count} ${word}`])).join(", ");
}

/** Why something did not succeed, in a few words. */
function formatOutcome(outcome: ActionOutcome, names: PlanNames): string {
  switch (outcome.is) {
    case "succeeded":
      return refusedMembers(outcome)
        .map(({ address, failure }) => `${names.email(address)}: ${formatFailure(failure)}`)
        .join("; ");
    case "failed":
      return formatFailure(outcome.failure);
    case "unknown":
      return `unknown outcome: ${formatFailure(outcome.failure)}`;
    case "skipped":
      return `skipped: ${outcome.why}`;
    case "stale":
      return `stale: ${outcome.why}`;
    case "unneeded":
      return outcome.why;
  }
}

function formatFailure({ message, status }: Failure): string {
  return status === undefined || message.includes(`${status}`) ? message : `${message} (status ${status})`;
}

/** `8 s`, `2 min 05 s`, `1 h 02 min`. @internal */
export function formatElapsed(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${twoDigits(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${twoDigits(minutes % 60)} min`;
}

/** `5.2 per second`, or by the minute where that says more. */
function formatRate(perSecond: number): string {
  if (perSecond >= 1) return `${perSecond.toFixed(1)} per second`;
  return `${(perSecond * 60).toFixed(1)} per minute`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, "0");
}

/** How much of a whole is done, and how much of it has failed, as a bar of so many columns. */
function progressBar(
  { done, failed = 0, total }: { readonly done: number; readonly failed?: number; readonly total: number },
  columns: number,
): readonly Piece[] {
  const width = Math.max(0, columns);
  const share = (count: number) => (total === 0 ? 0 : Math.floor((count / total) * width));
  const full = share(done);
  const broken = Math.min(width - full, failed === 0 ? 0 : Math.max(1, share(failed)));
  return [
    { ink: "add", text: "█".repeat(full) },
    { ink: "remove", text: "▓".repeat(broken) },
    { ink: "dim", text: "░".repeat(width - full - broken) },
  ];
}
