import { appendFile, readFile, realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { isPlanFile } from "../../codec/document.ts";
import { replaceFile, systemErrorCode } from "../../files/file-system.ts";
import { exitCodesOf } from "../../fleet/outcomes.ts";
import type { RosterError } from "../../library/error.ts";
import type { Diagnostic } from "../../model/result.ts";
import { remainingDrift } from "../../report/drift.ts";
import { type FormatName, formats } from "../../report/formats.ts";
import { type CommandOutcome, plain, type Rendered, type RenderOptions } from "../../report/outcome.ts";
import { renderProblems } from "../../report/text/text.ts";
import { type Host, type Interrupt, textStyleOf } from "../host.ts";
import { installedPackage } from "../installed-package.ts";
import { leadsOutOfCheckout, pathsInCheckout } from "../trust/checkout.ts";
import { type CommandEnding, exitCodeOf } from "./exit-code.ts";
import type { OutputFlags, Report } from "./output-flags.ts";

/** The result of a command. Its exit code follows from it. */
export type CommandResult = Omit<CommandOutcome, "exitCode" | "problem"> & {
  readonly stop?: RosterError;
  readonly tells: CommandEnding["tells"];
  /** What is shown in place of what the format itself would make of the outcome. */
  readonly ownWords?: CustomOutput;
};

/**
 * Prints the result of a command, writes the wanted reports, and returns its exit code, on which all outputs agree. Secrets are
 * taken out before a format is made: it may wrap or escape what it is given.
 */
export async function finish(result: CommandResult, flags: OutputFlags, host: Host): Promise<number> {
  const interrupted = host.interruption.by();
  const { ownWords } = result;
  const inputWith = (lost: readonly Diagnostic[]): RenderInput => ({
    outcome: host.secrets.redactAll(outcomeOf(result, exitCodeWith(result, interrupted, lost), flags, lost)),
    ownWords,
  });
  const whole = inputWith([]);
  const unwritten = await writeReports(flags, whole, host);
  const unappended = wantsGithub(flags) ? await appendForRunner(unwritten, inputWith, host) : [];
  const lost = [...unwritten, ...unappended];
  const input = lost.length === 0 ? whole : inputWith(lost);
  // Files that were written say the same as what is printed. What a pipe or a device has got cannot be taken back.
  if (lost.length > 0) await writeReports(flags, input, host, "replaceable");
  const streamed = host.live.streamed();
  const { stdout } = await renderAs(flags.format, input, { ...textStyleOf(host.stdout), streamed, host });
  host.stdout.write(stdout);
  host.stderr.write(renderProblems(input.outcome, textStyleOf(host.stderr)));
  return input.outcome.exitCode;
}

/** `lost`: what of the results could not be written, and why. */
function exitCodeWith(result: CommandResult, interrupted: Interrupt | undefined, lost: readonly Diagnostic[]): number {
  const { stop, tells, command, plan, run, fleet } = result;
  const drift = result.drift && remainingDrift(result.drift);
  const isWritten = lost.length === 0;
  const stopped = stop?.reason;
  const targets = fleet?.did === "ran" ? exitCodesOf(fleet.summary) : [];
  return exitCodeOf({ command, interrupted, stopped, plan, run, drift, targets, tells, isWritten });
}

/** What is shown of a result, whatever else went wrong. */
export function outcomeOf(
  { stop, tells: _, ownWords: __, ...rest }: CommandResult,
  exitCode: number,
  { title }: OutputFlags,
  lost: readonly Diagnostic[] = [],
): CommandOutcome {
  return {
    ...rest,
    exitCode,
    diagnostics: [...rest.diagnostics, ...(stop?.diagnostics ?? []), ...lost],
    ...(stop?.problem === undefined ? {} : { problem: stop.problem }),
    ...(title === undefined ? {} : { title }),
  };
}

/** Results by format, of a command with output of its own. */
export type CustomOutput = Readonly<Partial<Record<FormatName, string>>>;

/** What is printed. */
export interface RenderInput {
  readonly outcome: CommandOutcome;
  readonly ownWords?: CustomOutput | undefined;
}

/** How it is printed. */
interface RenderTarget extends Pick<RenderOptions, "paint" | "columns" | "streamed"> {
  readonly host: Host;
}

async function renderAs(
  format: FormatName,
  { outcome, ownWords = {} }: RenderInput,
  { host, ...target }: RenderTarget,
): Promise<Rendered> {
  const own = ownWords[format];
  if (own !== undefined) return { stdout: own };
  const render = await formats[format].load();
  return render(outcome, {
    ...target,
    at: host.clock.now(),
    version: installedPackage().version,
    pathOf: await pathsInCheckout(host),
  });
}

/** Writes each report that is wanted, whole or not at all; says which could not be written, and why. */
async function writeReports(
  { report: reports = [] }: OutputFlags,
  input: RenderInput,
  host: Host,
  which: "all" | "replaceable" = "all",
): Promise<readonly Diagnostic[]> {
  const lost: Diagnostic[] = [];
  for (const report of reports) {
    const path = resolve(host.cwd, report.file);
    if (which === "replaceable" && (await isAppended(path))) continue;
    const text = host.secrets.redact(await textOf(report, input, host));
    const why = (await leadsOutOfCheckout(path, host)) ? ledOut : await writeReport(text, path);
    if (why !== undefined) lost.push(unwritten(report, why));
  }
  return lost;
}

/** Lines that were streamed while the command worked come first. */
async function textOf({ format }: Report, input: RenderInput, host: Host): Promise<string> {
  if (format !== "ndjson") return (await renderAs(format, input, { paint: plain, host })).stdout;
  const { stdout } = await renderAs(format, input, { paint: plain, streamed: host.live.streamed(), host });
  return `${host.live.text()}${stdout}`;
}

function unwritten({ format, file }: Report, why: string): Diagnostic {
  return {
    code: "unwritable",
    severity: "error",
    message: `The ${format} report ${file} cannot be written: ${why}.`,
    hint: "Create its directory, or name another file with --report.",
  };
}

const ledOut = "a symbolic link in the checkout leads out of it";

/** A plan may be the approval of an apply that is still to come, and a log is what all runs remember. */
const keptDocument = "it is a log, a saved plan or a snapshot";

/** A checkpoint holds a state, which has a field a line; no report has one of these at the beginning of a line. */
function isKeptDocument(text: string): boolean {
  return isPlanFile(text) || /^(?:\{"position":1,"previous":"|"lineage": ")/mu.test(text);
}

/** A log, a saved plan or a snapshot is never replaced. */
async function writeReport(text: string, path: string): Promise<string | undefined> {
  try {
    const at = await realpath(path).catch(() => undefined);
    if (await isAppended(path)) await appendFile(path, text);
    else if (at !== undefined && isKeptDocument(await readFile(at, "utf8"))) return keptDocument;
    else await replaceFile(at ?? path, [text], { permissions: "kept" });
    return undefined;
  } catch (error) {
    return systemErrorCode(error);
  }
}

/** What is no regular file, such as a pipe or a device, or is open already, as `/dev/stderr`, is written to and never replaced. */
async function isAppended(path: string): Promise<boolean> {
  if (/^\/(?:dev|proc)\//u.test(path)) return true;
  const there = await stat(path).catch(() => undefined);
  return there !== undefined && !there.isFile();
}

/** Appends the summary and the outputs of a step to the files that the runner names; says what could not be. `lost`: what is lost already. */
async function appendForRunner(
  lost: readonly Diagnostic[],
  inputWith: (lost: readonly Diagnostic[]) => RenderInput,
  host: Host,
): Promise<readonly Diagnostic[]> {
  const render = (all: readonly Diagnostic[]) => renderAs("github", inputWith(all), { paint: plain, host });
  const rendered = await render(lost);
  const unsummarized = await append(rendered.stepSummary ?? "", "GITHUB_STEP_SUMMARY", host);
  // The outputs have the exit code, which a lost summary changes.
  const { outputs = new Map() } = unsummarized.length === 0 ? rendered : await render([...lost, ...unsummarized]);
  const lines = [...outputs].map(([name, value]) => output(name, value, host));
  return [...unsummarized, ...(await append(lines.join(""), "GITHUB_OUTPUT", host))];
}

function wantsGithub({ format, report = [] }: OutputFlags): boolean {
  return [format, ...report.map((one) => one.format)].includes("github");
}

/** Nothing in a value can be taken for its end. */
function output(name: string, value: string, { randomness }: Host): string {
  const end = `end-${randomness.identifier()}`;
  return `${name}<<${end}\n${value}\n${end}\n`;
}

async function append(text: string, variable: string, { env, secrets }: Host): Promise<readonly Diagnostic[]> {
  const file = env[variable] ?? "";
  if (text === "" || file === "") return [];
  try {
    await appendFile(file, `${await separatorFor(file)}${secrets.redact(text)}`);
    return [];
  } catch (error) {
    const message = `The file ${file}, which ${variable} names, cannot be written: ${systemErrorCode(error)}.`;
    return [{ code: "unwritable", severity: "error", message }];
  }
}

/** What an earlier command of the step wrote may end in the middle of a line, or of HTML that goes on until an empty one. */
async function separatorFor(file: string): Promise<string> {
  const there = await stat(file).catch(() => undefined);
  return there?.isFile() === true && there.size > 0 ? "\n\n" : "";
}
