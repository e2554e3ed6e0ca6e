import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { validFleetSummary } from "../../codec/generated/fleet-summary.js";
import { readRegularFile, whyUnread } from "../../files/regular-file.ts";
import { type FleetSummary, joinSummaries, type Shard, type TargetOutcome } from "../../fleet/outcomes.ts";
import { invalidSetting, type RosterError } from "../../library/error.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { byCodeUnit, definedFields } from "../../model/role-set.ts";
import type { Labels } from "../../model/subject.ts";
import type { Host } from "../host.ts";

/** In bytes: the summary of 100,000 targets has some 40 MiB. */
const largestSummary = 128 * 1024 * 1024;

/** Joins every summary below a directory, as the jobs of a pipeline or the shards of a fleet have written them. */
export async function readSummaries(directory: string, host: Host): Promise<Result<FleetSummary, RosterError>> {
  const files = await summaryFiles(resolve(host.cwd, directory));
  if (!files.ok) return problem(unreadable(directory, files.error));
  const summaries: FleetSummary[] = [];
  for (const file of files.value) {
    const path = join(directory, file);
    const read = await readSummary(resolve(host.cwd, path));
    if (!read.ok) return problem(badSummary(path, read.error));
    if (read.value !== undefined) summaries.push(read.value);
  }
  const [first, ...others] = summaries;
  if (first === undefined) return problem(noSummary(directory));
  const other = others.find(({ command }) => command !== first.command);
  if (other !== undefined) return problem(mixed(directory, [first.command, other.command]));
  return success(joinSummaries([first, ...others]));
}

async function summaryFiles(directory: string): Promise<Result<readonly string[], string>> {
  try {
    const names = await readdir(directory, { recursive: true });
    return success(names.filter((name) => /(?:^|[/\\])summary[^/\\]*\.json$/u.test(name)).sort(byCodeUnit));
  } catch (error) {
    return problem(whyUnread(error));
  }
}

/** Nothing for a run that could start no target. */
async function readSummary(path: string): Promise<Result<FleetSummary | undefined, string>> {
  let document: unknown;
  try {
    document = JSON.parse((await readRegularFile(path, largestSummary)).toString("utf8"));
  } catch (error) {
    return problem(error instanceof SyntaxError ? "it is not JSON" : whyUnread(error));
  }
  if (!validFleetSummary(document)) return problem("it is not the summary of a fleet");
  // The schema has just found it valid.
  const { fleet } = document as SummaryDocument;
  return success(fleet === undefined ? undefined : decodeSummary(fleet));
}

/** What of the document is read. */
interface SummaryDocument {
  readonly fleet?: {
    readonly did: FleetSummary["command"];
    readonly file: string;
    readonly selected: number;
    readonly shard?: Shard;
    readonly targets: readonly WrittenOutcome[];
  };
}

interface WrittenOutcome extends Pick<TargetOutcome, "name" | "status" | "service" | "changes" | "problems" | "done"> {
  readonly labels: Labels;
  readonly exit_code?: number;
  readonly started_at?: string;
  readonly finished_at?: string;
  readonly privileged_gains: number;
  readonly error?: { readonly code: string; readonly message: string };
  readonly reports: readonly string[];
}

function decodeSummary({ did, file, selected, shard, targets }: NonNullable<SummaryDocument["fleet"]>): FleetSummary {
  return { command: did, file, selected, ...definedFields({ shard }), targets: targets.map(decodeOutcome) };
}

function decodeOutcome(written: WrittenOutcome): TargetOutcome {
  const { name, labels, service, status, changes, problems, done, error, reports } = written;
  const { exit_code: exitCode, started_at: startedAt = "", finished_at: finishedAt = "" } = written;
  const ran = exitCode === undefined ? undefined : { exitCode, startedAt, finishedAt };
  const counts = { privilegedGains: written.privileged_gains, changes, problems, done };
  return { name, labels, service, status, ...counts, reports, ...definedFields({ ran, error }) };
}

function unreadable(directory: string, why: string): RosterError {
  return invalidSetting("no-summary", `The directory ${directory} cannot be read: ${why}.`, "Correct the path.");
}

function noSummary(directory: string): RosterError {
  const hint = "Write summaries with `--report json=DIR` in each job, and name the directory that has all of them.";
  return invalidSetting("no-summary", `No summary of a fleet was found in ${directory}.`, hint);
}

function badSummary(path: string, why: string): RosterError {
  return invalidSetting(
    "bad-summary",
    `The summary ${path} cannot be used: ${why}.`,
    "Remove it, or run its job again.",
  );
}

function mixed(directory: string, commands: readonly string[]): RosterError {
  const message = `The summaries in ${directory} are of several commands: ${commands.join(" and ")}.`;
  return invalidSetting("bad-summary", message, "Put the summaries of each command into a directory of its own.");
}
