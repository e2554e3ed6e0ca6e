import { appendFile, readFile, realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { isPlanFile } from "../../codec/document.ts";
import { replaceFile, systemErrorCode } from "../../files/file-system.ts";
import type { Diagnostic } from "../../model/result.ts";
import { type FormatName, formats } from "../../report/formats.ts";
import { type CommandOutcome, plain, type Rendered, type TerminalStyle } from "../../report/outcome.ts";
import { renderProblems } from "../../report/text/text.ts";
import { type Host, textStyleOf } from "../host.ts";
import { installedPackage } from "../installed-package.ts";
import { leadsOutOfCheckout, pathsInCheckout } from "../trust/checkout.ts";
import { type CommandResult, exitCodeOf } from "./exit-code.ts";
import { formatsIn, type OutputFlags } from "./output-flags.ts";
import type { Report } from "./report-flags.ts";

type Render = (format: FormatName, style: TerminalStyle) => Promise<Rendered>;

/** All outputs agree on the exit code. Secrets are taken out before a format is made: it may wrap or escape what it is given. */
export async function finish(result: CommandResult, flags: OutputFlags, host: Host): Promise<number> {
  const { format, report = [] } = flags;
  const { streamed } = host.live;
  // What of the results could not be written, and why: whatever is rendered later says so.
  const lost: Diagnostic[] = [];
  // An interrupt that comes while they are written changes none of them any more.
  const interrupted = host.interruption.by();
  const outcomeNow = () => {
    const exitCode = exitCodeOf({ ...result, interrupted, isWritten: lost.length === 0 });
    return host.secrets.redactAll(outcomeOf(result, exitCode, flags, lost));
  };
  const render: Render = async (name, style) => {
    const own = result.ownWords?.[name];
    if (own !== undefined) return { stdout: own };
    const about = { at: host.clock.now(), version: installedPackage().version, pathOf: await pathsInCheckout(host) };
    return (await formats[name].load())(outcomeNow(), { ...style, streamed, ...about });
  };
  lost.push(...(await writeReports(report, render, host)));
  if (formatsIn(flags).includes("github")) await appendForRunner(render, host, lost);
  // Files that were written say the same as what is printed. What a pipe or a device has got cannot be taken back.
  if (lost.length > 0) await writeReports(report, render, host, "replaceable");
  const { stdout } = await render(format, textStyleOf(host.stdout));
  host.stdout.write(stdout);
  const outcome = outcomeNow();
  host.stderr.write(renderProblems(outcome, textStyleOf(host.stderr)));
  return outcome.exitCode;
}

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
  const there = await stat(path).catch(() => undefined);
  return there !== undefined && !there.isFile();
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
