import { randomUUID } from "node:crypto";
import { appendFile, open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { isPlanFile } from "../../codec/document.ts";
import type { Diagnostic } from "../../model/result.ts";
import { plain } from "../../report/outcome.ts";
import type { Host } from "../host.ts";
import { leadsOutOfCheckout } from "./link-out.ts";
import type { OutputFlags, Report } from "./output-flags.ts";
import { type RenderInput, renderAs } from "./render-as.ts";

/** Writes each report that is wanted, whole or not at all; says which could not be written, and why. */
export async function writeReports(
  { report: reports = [] }: OutputFlags,
  told: RenderInput,
  host: Host,
): Promise<readonly Diagnostic[]> {
  const lost: Diagnostic[] = [];
  for (const report of reports) {
    const text = await textOf(report, told, host);
    const path = resolve(host.cwd, report.file);
    const why = (await leadsOutOfCheckout(path, host)) ? ledOut : await writeReport(host.secrets.redact(text), path);
    if (why !== undefined) lost.push(unwritten(report, why));
  }
  return lost;
}

/** Lines that were told while the command worked come first. */
async function textOf({ format }: Report, told: RenderInput, host: Host): Promise<string> {
  if (format !== "ndjson") return (await renderAs(format, told, { paint: plain, host })).stdout;
  const { stdout } = await renderAs(format, told, { paint: plain, told: host.live.told(), host });
  return `${host.live.text()}${stdout}`;
}

function unwritten({ format, file }: Report, why: string): Diagnostic {
  return {
    code: "unwritten-report",
    severity: "error",
    message: `The ${format} report ${file} cannot be written: ${why}.`,
    hint: "Make its directory, or name another file with --report.",
  };
}

const ledOut = "a symbolic link in the checkout leads out of it";

/** A plan may be the approval of an apply that is still to come, and a state is what all runs remember. */
const keptDocument = "it is a state, a saved plan or a snapshot";

/** A state has a field a line; no report has this one at the beginning of a line. */
function isKeptDocument(text: string): boolean {
  return isPlanFile(text) || /^"lineage": "/mu.test(text);
}

/** What is no regular file, such as a pipe or a device, or is open already, as `/dev/stderr`, is written to and never replaced. Nor is a state, a saved plan or a snapshot. */
async function writeReport(text: string, path: string): Promise<string | undefined> {
  try {
    const at = await realpath(path).catch(() => path);
    const there = await stat(at).catch(() => undefined);
    const isOpen = /^\/(?:dev|proc)\//u.test(path);
    if (isOpen || (there !== undefined && !there.isFile())) await appendFile(path, text);
    else if (there !== undefined && isKeptDocument(await readFile(at, "utf8"))) return keptDocument;
    else await replaceWhole(text, at, there?.mode);
    return undefined;
  } catch (error) {
    return codeOf(error);
  }
}

async function replaceWhole(text: string, at: string, mode = 0o666): Promise<void> {
  const next = `${at}.${randomUUID()}`;
  try {
    const file = await open(next, "wx", mode);
    await file.writeFile(text).finally(() => file.close());
    await rename(next, at);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
}

/** The code of an error of the file system; any other is a defect. */
export function codeOf(error: unknown): string {
  if (error instanceof Error && "code" in error) return String(error.code);
  throw error;
}
