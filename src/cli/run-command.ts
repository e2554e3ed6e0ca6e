import { appendFile, readFile, realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { isPlanFile } from "../codec/document.ts";
import { rosterVersion } from "../codec/version.ts";
import { inCi } from "../codes/guards.ts";
import { replaceFile, systemErrorCode } from "../files/file-system.ts";
import { type ApplyResult, abortedBefore, type RosterError, rosterError } from "../library/error.ts";
import type { Diagnostic } from "../model/failure.ts";
import { shellWord } from "../model/state.ts";
import { plain } from "../report/document/tree.ts";
import { type FormatName, formats } from "../report/formats.ts";
import type { CommandOutcome, Rendered, TerminalStyle } from "../report/outcome.ts";
import { renderProblems } from "../report/text/text.ts";
import { type Ending, exitCodeOf } from "./exit-code.ts";
import {
  type Cancellation,
  cancellationAfter,
  type Flags,
  formatsIn,
  type OutputFlags,
  readDeadline,
  type SomeFlags,
} from "./flags.ts";
import { type Host, isPipeline, textStyleOf } from "./host.ts";
import type { ProgressObserver } from "./progress-observer.ts";
import type { Report } from "./report-flags.ts";
import { leadsOutOfCheckout, pathsInCheckout, trustsCheckout } from "./trust.ts";

export interface Command {
  readonly name: CommandOutcome["command"];
  readonly host: Host;
  /** Ends the work: an interrupt, and the deadline where one was started. */
  readonly cancellation: Cancellation;
  tell(part: Partial<CommandResult>): void;
  startDeadline(flags: SomeFlags): Cancellation;
  /** Follows the command on the terminal, and in the lines that are streamed. Loaded only where it is wanted. */
  observe(flags: Flags): Promise<ProgressObserver>;
  /** Done when the command has ended, and its result is written. */
  afterwards(step: (ended: FinishedCommand) => Promise<void>): void;
  /** Closes something with the command. What was opened last is closed first. */
  closing<Opened extends { close(): Promise<void> }>(opened: Opened): Opened;
}

export interface EndedCommand {
  readonly exitCode: number;
}

export interface FinishedCommand extends EndedCommand {
  readonly result: CommandResult;
}

/** The only place where errors of a command are caught. What stopped it counts before what could not be saved. A defect is thrown on. */
export async function runCommand(
  name: CommandOutcome["command"],
  flags: OutputFlags & Pick<SomeFlags, "state">,
  host: Host,
  work: (command: Command) => Promise<void>,
): Promise<FinishedCommand> {
  const verify = commandLine(["audit", "verify", ...logFlag(flags), "--expect-head"], host);
  let result: CommandResult = { command: name, tells: "success-only", diagnostics: [], verify };
  let cancellation = cancellationAfter(undefined, host);
  const steps: (() => Promise<void>)[] = [];
  const errors: RosterError[] = [];
  let after: (ended: FinishedCommand) => Promise<void> = async () => undefined;
  const tell = (part: Partial<CommandResult>) => {
    for (const [field, value] of Object.entries(part)) if (value !== undefined) result = { ...result, [field]: value };
  };
  const collect = (error: unknown) => void errors.push(rosterError(error));
  const command: Command = {
    name,
    host,
    tell,
    get cancellation() {
      return cancellation;
    },
    startDeadline(given) {
      cancellation = cancellationAfter(readDeadline(given), host);
      steps.push(async () => cancellation.end());
      return cancellation;
    },
    async observe(wanted) {
      const { progressObserverFor } = await import("./progress-observer.ts");
      const observer = await progressObserverFor(host, name, wanted);
      steps.push(() => observer.end());
      return observer;
    },
    afterwards(step) {
      after = step;
    },
    closing(opened) {
      steps.push(() => opened.close());
      return opened;
    },
  };
  try {
    await work(command).catch(collect);
  } finally {
    await closeAll(steps, collect);
  }
  const [error] = errors;
  tell({ ...appliedPart(error?.applied), stop: error && stopFrom(error, cancellation) });
  const ended = { result, exitCode: await finish(result, flags, host) };
  await after(ended);
  return ended;
}

/** Every step is run, also after one that threw. */
async function closeAll(steps: (() => Promise<void>)[], collect: (error: unknown) => void): Promise<void> {
  const step = steps.pop();
  if (step === undefined) return;
  try {
    await step().catch(collect);
  } finally {
    await closeAll(steps, collect);
  }
}

export function appliedPart({ plan, reading, run, head }: Partial<ApplyResult> = {}): Partial<CommandResult> {
  return { plan, reading, run, head };
}

/** Work that the deadline ended is reported as that. An interrupt is seen by the exit code, and a run tells what it did. */
function stopFrom(error: RosterError, cancellation: Cancellation): RosterError | undefined {
  if (error.problem?.code !== "aborted") return error;
  if (error.applied?.run !== undefined) return undefined;
  return cancellation.outOfTime() ?? (error.message === abortedBefore().message ? undefined : error);
}

/** The command lines that a plan names. */
export function planCommands(paths: readonly string[], flags: SomeFlags, host: Pick<Host, "directory" | "secrets">) {
  const resolve = commandLine(["state", "resolve", ...logFlag(flags)], host);
  return { planAgain: planAgain(paths, flags, host), resolve };
}

function logFlag({ state }: Pick<SomeFlags, "state">): readonly string[] {
  return state === undefined ? [] : ["--state", state];
}

/** Plans the same again, for a person who allows something. A plan file holds it in its findings: it is without secrets from the start. */
export function planAgain(
  paths: readonly string[],
  { include = [], exclude = [], unmanaged, repair, ...flags }: SomeFlags,
  host: Pick<Host, "directory" | "secrets">,
  command = repair === undefined ? (flags.out === undefined ? "apply" : "plan") : "drift",
): string {
  if (flags.planAgain !== undefined) return flags.planAgain;
  const settings = (["account", "endpoint", "state", "out", "reason"] as const).flatMap((name) => {
    const value = flags[name];
    return value === undefined ? [] : [`--${name}`, value];
  });
  const words = [
    command,
    ...(repair ?? []).flatMap((written) => ["--repair", written]),
    ...paths.map((path) => (path.startsWith("-") && path !== "-" ? `./${path}` : path)),
    ...include.flatMap((written) => ["--include", written]),
    ...exclude.flatMap((written) => ["--exclude", written]),
    // A repair always reads the users who are not in the roster.
    ...(unmanaged === true && repair === undefined ? ["--unmanaged"] : []),
    ...settings,
    ...(flags.autoApprove === true ? ["--auto-approve"] : []),
  ];
  return commandLine(words, host);
}

export function commandLine(
  words: readonly string[],
  { directory, secrets }: Pick<Host, "directory" | "secrets">,
): string {
  const all = [...(directory === undefined ? [] : ["-C", directory]), ...words];
  return ["roster", ...all.map((word) => shellWord(secrets.redact(word)))].join(" ");
}

type Render = (format: FormatName, style: TerminalStyle) => Promise<Rendered>;

/** All outputs agree on the exit code. Secrets are taken out before a format is made: it may wrap or escape what it is given. */
export async function finish(result: CommandResult, flags: OutputFlags, host: Host): Promise<number> {
  const { format, report = [] } = flags;
  const { reports = report } = result;
  // What of the results could not be written, and why: whatever is rendered later says so.
  const lost: Diagnostic[] = [];
  // An interrupt that comes while they are written changes none of them any more.
  const interrupted = host.interruption.by();
  const outcomeNow = () => {
    const exitCode = exitCodeOf({ ...result, interrupted, isWritten: lost.length === 0 });
    return host.secrets.redactAll(outcomeOf(result, exitCode, flags, lost));
  };
  const render: Render = async (name, style) => {
    // What programs read says in one document what stopped the command.
    const own = name === "json" && result.stop !== undefined ? undefined : result.ownWords?.[name];
    if (own !== undefined) return { stdout: own };
    const about = { at: host.clock.now(), version: rosterVersion, pathOf: await pathsInCheckout(host) };
    return (await formats[name].load())(outcomeNow(), { ...style, streamed: host.live.streamed, ...about });
  };
  lost.push(...(await writeReports(reports, render, host)));
  if (formatsIn(flags).includes("github")) await appendForRunner(render, host, lost);
  // Files that were written say the same as what is printed. What a pipe or a device has got cannot be taken back.
  if (lost.length > 0) await writeReports(reports, render, host, "replaceable");
  const { stdout } = await render(format, textStyleOf(host.stdout));
  host.stdout.write(stdout);
  const outcome = outcomeNow();
  const problems = renderProblems(outcome, textStyleOf(host.stderr));
  host.stderr.write(problems);
  if (isPipeline(host) && !trustsCheckout(host) && /\bsettings file\b/u.test(stdout + problems))
    host.stderr.write(`In CI, roster refuses most settings ${inCi}.\n`);
  return outcome.exitCode;
}

export function outcomeOf(
  { stop, tells: _, ownWords: __, reports: ___, ...rest }: CommandResult,
  exitCode: number,
  { title }: OutputFlags,
  lost: readonly Diagnostic[] = [],
): CommandOutcome {
  return {
    ...rest,
    exitCode,
    diagnostics: [...rest.diagnostics, ...(stop?.diagnostics ?? []), ...lost],
    problem: stop?.problem,
    title,
  };
}

async function writeReports(
  reports: readonly Report[],
  render: Render,
  host: Host,
  which: "all" | "replaceable" = "all",
): Promise<readonly Diagnostic[]> {
  const lost: Diagnostic[] = [];
  for (const { format, file } of reports) {
    const path = resolve(host.cwd, file);
    if (which === "replaceable" && (await isAppended(path))) continue;
    const before = format === "ndjson" ? host.live.kept.join("") : "";
    const text = host.secrets.redact(`${before}${(await render(format, { paint: plain })).stdout}`);
    const why = (await leadsOutOfCheckout(path, host))
      ? "a symbolic link in the checkout leads out of it"
      : await writeReport(text, path);
    if (why === undefined) continue;
    const message = `The ${format} report ${file} cannot be written: ${why}.`;
    const hint = "Create its directory, or name another file with --report.";
    lost.push({ code: "unwritable", severity: "error", message, hint });
  }
  return lost;
}

/** A plan may be the approval of an apply that is still to come, and a log is what all runs remember: neither is replaced. */
async function writeReport(text: string, path: string): Promise<string | undefined> {
  try {
    const at = await realpath(path).catch(() => undefined);
    if (await isAppended(path)) await appendFile(path, text);
    else {
      const before = at === undefined ? "" : await readFile(at, "utf8");
      // A checkpoint holds a state, which has a field a line; no report has one of these at the beginning of a line.
      if (isPlanFile(before) || /^(?:\{"position":1,"previous":"|"lineage": ")/mu.test(before))
        return "it is a log, a saved plan or a snapshot";
      await replaceFile(at ?? path, [text], { permissions: "kept" });
    }
    return undefined;
  } catch (error) {
    return systemErrorCode(error);
  }
}

/** What is no regular file, such as a pipe or a device, or is open already, as `/dev/stderr`, is written to and never replaced. */
async function isAppended(path: string): Promise<boolean> {
  if (/^\/(?:dev|proc)\//u.test(path)) return true;
  return (await stat(path).catch(() => undefined))?.isFile() === false;
}

/** Appends the summary and the outputs of a step to the files that the runner names. The outputs have the exit code, which a lost summary changes. */
async function appendForRunner(render: Render, host: Host, lost: Diagnostic[]): Promise<void> {
  const append = async (text: string, variable: string) => {
    const file = host.env[variable] ?? "";
    if (text === "" || file === "") return;
    try {
      // What an earlier command of the step wrote may end in the middle of a line, or of HTML that goes on until an empty one.
      const there = await stat(file).catch(() => undefined);
      const separator = there?.isFile() === true && there.size > 0 ? "\n\n" : "";
      await appendFile(file, `${separator}${host.secrets.redact(text)}`);
    } catch (error) {
      const message = `The file ${file}, which ${variable} names, cannot be written: ${systemErrorCode(error)}.`;
      lost.push({ code: "unwritable", severity: "error", message });
    }
  };
  await append((await render("github", { paint: plain })).stepSummary ?? "", "GITHUB_STEP_SUMMARY");
  const lines = [...((await render("github", { paint: plain })).outputs ?? [])].map(([name, value]) => {
    // Nothing in a value can be taken for its end.
    const end = `end-${host.randomness.identifier()}`;
    return `${name}<<${end}\n${value}\n${end}\n`;
  });
  await append(lines.join(""), "GITHUB_OUTPUT");
}

export type CommandResult = Omit<CommandOutcome, "exitCode" | "problem"> &
  Pick<Ending, "stop" | "tells"> & {
    /** In place of those that the flags name. */
    readonly reports?: readonly Report[] | undefined;
    readonly ownWords?: Readonly<Partial<Record<FormatName, string>>> | undefined;
  };
