import { setMaxListeners } from "node:events";
import { invalidSetting, type RosterError, stopError } from "../library/error.ts";
import type { RunFlags } from "../library/policy.ts";
import { unsafeAddressReason } from "../model/address.ts";
import { isDate } from "../model/roster.ts";
import { stopwatch } from "../ports/clock.ts";
import type { AccessSelection } from "../report/access/access-map.ts";
import type { AuditSelection } from "../report/document/audit.ts";
import { type CommandName, type FormatName, formatsOf } from "../report/formats.ts";
import type { ViewName } from "../report/outcome.ts";
import { readDuration, showDuration } from "../yaml/duration.ts";
import type { Host } from "./host.ts";
import { type Report, readReport } from "./report-flags.ts";

type TextFlag =
  | ("account" | "endpoint" | "parallelism" | "state" | "deadline" | "from" | "out" | "expectPlan" | "expectHead")
  | ("sequence" | "lockTimeout" | "breakStaleLock" | "since" | "asOf")
  /** What `planAgain` prints where another command runs this one. */
  | "planAgain";

type SwitchFlag = "debug" | "unmanaged" | "detailedExitcode" | "autoApprove" | "onlyNew" | "record";

/** The flags of commands, as they were written. `command-line/command-texts.ts` says which command takes which, and what it means. */
export type Flags = OutputFlags &
  RunFlags & { readonly [Name in TextFlag]?: string | undefined } & {
    readonly [Name in SwitchFlag]?: boolean | undefined;
  } & { readonly [Name in "repair"]?: readonly string[] | undefined };

export type SomeFlags = Partial<Omit<Flags, "format" | "report">>;

export interface OutputFlags {
  readonly format: FormatName;
  readonly report?: readonly Report[] | undefined;
  readonly title?: string;
  readonly view?: ViewName;
}

export const printedForPeople: OutputFlags = { format: "text" };

/** The formats of the result: as it is printed, and of the reports. */
export function formatsIn({ format, report = [] }: OutputFlags): readonly FormatName[] {
  return [format, ...report.map((one) => one.format)];
}

/** Whether people follow what is printed while it is: a log of GitHub is the text, with annotations after it. */
export function isFollowed({ format }: OutputFlags): boolean {
  return format === "text" || format === "github";
}

/** Refuses a view where nobody is shown the text of a plan: nothing that is said is passed over. */
export function refuseUnusedView(flags: OutputFlags): void {
  const { view, format } = flags;
  if (view === undefined || formatsIn(flags).includes("text")) return;
  const message = `--view ${view} works only with text output, and this command prints ${format}.`;
  throw invalidSetting("usage", message, "Leave it out, or add `--report text=FILE`.");
}

export function outputFlagsIn(argv: readonly string[], command: CommandName): OutputFlags {
  const known = formatsOf(command);
  const said = flagValuesIn("--format", argv).at(-1);
  const format = known.find((name) => name === said) ?? "text";
  const report: Report[] = [];
  for (const value of flagValuesIn("--report", argv)) {
    const read = readReport(value, known, report);
    if (read.ok) report.push(read.value);
  }
  return { format, report };
}

function flagValuesIn(flag: string, argv: readonly string[]): readonly string[] {
  return argv.flatMap((word, index) => {
    if (word.startsWith(`${flag}=`)) return [word.slice(flag.length + 1)];
    const next = argv[index + 1];
    return word === flag && next !== undefined ? [next] : [];
  });
}

/** A whole number, if a flag or a variable says one. */
export function readCount(
  name: string,
  said: string | undefined,
  { least, most }: { readonly least: number; readonly most: number },
): number | undefined {
  if (said === undefined) return undefined;
  if (/^\d+$/u.test(said) && Number(said) >= least && Number(said) <= most) return Number(said);
  const message = `${asWritten(name, said)} is not a whole number from ${least} to ${most}.`;
  throw invalidSetting("bad-flag-value", message);
}

function asWritten(name: string, said: string): string {
  return `${name}${name.startsWith("--") ? " " : "="}${said}`;
}

/** A day, a time, or so long ago, in milliseconds since the epoch. */
export function readTime(flag: string, written: string, now: number): number {
  const time = isDate(written.slice(0, 10)) ? Date.parse(written) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  const days = /^(\d{1,5})d$/u.exec(written)?.[1];
  if (days !== undefined) return now - Number(days) * 86_400_000;
  const duration = readDuration(written);
  if (duration.ok) return now - duration.value;
  const message = `${flag} ${written} is neither a date nor a duration.`;
  throw invalidSetting("bad-flag-value", message, "Write a date such as 2026-11-01, or a duration such as 30d.");
}

export function durationOf(name: string, said: string | undefined): number | undefined {
  if (said === undefined) return undefined;
  const read = readDuration(said);
  if (read.ok) return read.value;
  throw invalidSetting("bad-flag-value", `${asWritten(name, said)} is not understood: ${read.error}.`);
}

/** What can end a command before its work is done: an interrupt, and the time that it was given. */
export interface Cancellation {
  readonly signal: AbortSignal;
  /** Aborted once the time is over. */
  readonly deadline: AbortSignal;
  /** What to say of a command that ran out of time before anything was done; undefined where it has not. */
  outOfTime(): RosterError | undefined;
  end(): void;
}

export function readDeadline({ deadline }: SomeFlags): number | undefined {
  return durationOf("--deadline", deadline);
}

export function cancellationAfter(limit: number | undefined, { clock, interruption }: Host): Cancellation {
  const passed = new AbortController();
  const ended = new AbortController();
  const wait = async (most: number) => {
    const elapsed = stopwatch(clock);
    for (let left = most; !ended.signal.aborted && left > 0; left = most - elapsed())
      await clock.wait(Math.min(left, longestTimer), ended.signal);
    if (!ended.signal.aborted) passed.abort();
  };
  if (limit !== undefined) void wait(limit);
  const signal = AbortSignal.any([interruption.signal, passed.signal]);
  // Each wait of a call listens to it; from the eleventh listener on, Node prints a warning.
  setMaxListeners(0, signal);
  return {
    signal,
    deadline: passed.signal,
    outOfTime() {
      if (!passed.signal.aborted) return undefined;
      const message = `the command did not end within the --deadline of ${showDuration(limit ?? 0)}. Nothing was changed`;
      return stopError("failed", "aborted", message, "run it again with a longer --deadline, or without one");
    },
    end: () => ended.abort(),
  };
}

/** Timers stand still while a machine sleeps. */
const longestTimer = 500;

/** What `--include` leaves of a list: a row must fit all that is given. */
export function readSelection(
  words: readonly string[] | undefined,
  kinds: readonly ("user" | "team" | "role" | "run")[],
): AccessSelection & Pick<AuditSelection, "run"> {
  const forms = kinds.map((kind) => (kind === "user" ? "user:EMAIL" : `${kind}:${kind === "run" ? "ID" : "NAME"}`));
  const hint = `Write --include ${forms.join(" or ")}.`;
  let selection: ReturnType<typeof readSelection> = {};
  for (const word of words ?? []) {
    const [, kind, name = ""] = /^([a-z]+):(.+)$/su.exec(word) ?? [];
    const known = kinds.find((one) => one === kind);
    if (known === undefined) throw invalidSetting("bad-flag-value", `--include ${word} is not understood.`, hint);
    // An address that nobody can have would be found nowhere.
    const slip = known === "user" ? unsafeAddressReason(name) : undefined;
    if (slip !== undefined) throw invalidSetting("bad-flag-value", `${word} ${slip}.`, "Write an e-mail address.");
    selection = { ...selection, [known === "user" ? "person" : known]: name };
  }
  return selection;
}
