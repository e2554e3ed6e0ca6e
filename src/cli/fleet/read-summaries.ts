import { readdir } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { validFleetSummary } from "../../codec/generated/fleet-summary.js";
import { readRegularFile, whyUnread } from "../../files/regular-file.ts";
import { type FleetSummary, joinSummaries } from "../../fleet/outcomes.ts";
import { showDuration } from "../../library/duration.ts";
import { errorFromFailure, invalidSetting, type RosterError } from "../../library/error.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { byCodeUnit } from "../../model/role-set.ts";
import { summaryFields } from "../../report/document/fleet.ts";
import { safe } from "../../report/safe.ts";
import type { Host } from "../host.ts";
import type { NetworkSettings, Settings } from "../settings/settings.ts";
import { isBucket, openReportStore } from "./reports.ts";

/** In bytes: the summary of 100,000 targets has some 40 MiB. */
const largestSummary = 128 * 1024 * 1024;

/** Milliseconds: what is older is of the night before. */
const maxAge = 20 * 3_600_000;

/**
 * Joins every summary of the last 20 hours below a directory, as the jobs of a pipeline or the shards of a fleet have written them.
 * `directory`: a path, or an address such as `s3://acme-roster/reports`.
 */
export async function readSummaries(
  directory: string,
  { network }: Pick<Settings, "network">,
  host: Host,
): Promise<Result<FleetSummary, RosterError>> {
  const opened = isBucket(directory) ? await inBucket(directory, network, host) : success(inDirectory(directory, host));
  if (!opened.ok) return opened;
  const source = opened.value;
  try {
    const summaries = await readAll(source);
    if (!summaries.ok) return summaries;
    const recent = summaries.value.filter(({ shown, summary }) => {
      const age = host.clock.now() - Date.parse(summary.finishedAt ?? "");
      if (age <= maxAge) return true;
      host.stderr.write(`left out, older than ${showDuration(maxAge)}: ${safe(shown)}\n`);
      return false;
    });
    return joined(
      directory,
      recent.map(({ summary }) => summary),
    );
  } finally {
    await source.close();
  }
}

interface ShownSummary {
  readonly shown: string;
  readonly summary: FleetSummary;
}

async function readAll(source: SummarySource): Promise<Result<readonly ShownSummary[], RosterError>> {
  const names = await source.list();
  if (!names.ok) return names;
  const summaries: ShownSummary[] = [];
  for (const name of names.value.toSorted(byCodeUnit)) {
    const text = await source.read(name);
    if (!text.ok) return text;
    const shown = source.shown(name);
    const read = decodeDocument(text.value);
    if (!read.ok) return problem(badSummary(shown, read.error));
    if (read.value !== undefined) summaries.push({ shown, summary: withReportsFrom(name, read.value) });
  }
  return success(summaries);
}

/** What names the reports from the directory of one summary names them from the directory of all. */
function withReportsFrom(name: string, summary: FleetSummary): FleetSummary {
  const directory = /^[\w ./\\-]*[/\\]/u.exec(name)?.[0].replaceAll("\\", "/") ?? "";
  const targets = summary.targets.map((one) => ({ ...one, reports: one.reports.map((file) => `${directory}${file}`) }));
  return { ...summary, targets };
}

function joined(directory: string, [first, ...others]: readonly FleetSummary[]): Result<FleetSummary, RosterError> {
  if (first === undefined) return problem(noSummary(directory));
  const other = others.find(({ command }) => command !== first.command);
  if (other !== undefined) return problem(mixed(directory, [first.command, other.command]));
  return success(joinSummaries([first, ...others]));
}

/** Where summaries are. */
interface SummarySource {
  shown(name: string): string;
  list(): Promise<Result<readonly string[], RosterError>>;
  read(name: string): Promise<Result<string, RosterError>>;
  close(): Promise<void>;
}

function isSummary(name: string): boolean {
  return /(?:^|[/\\])summary[^/\\]*\.json$/u.test(name);
}

async function inBucket(
  address: string,
  network: NetworkSettings,
  host: Host,
): Promise<Result<SummarySource, RosterError>> {
  const opened = await openReportStore(address, network, host);
  if (!opened.ok) return opened;
  const store = opened.value;
  return success({
    shown: (name) => `${store.address}/${name}`,
    async list() {
      const names = await store.list(isSummary);
      return names.ok ? names : problem(errorFromFailure(names.error));
    },
    async read(name) {
      const text = await store.read(name);
      return text.ok ? text : problem(errorFromFailure(text.error));
    },
    close: () => store.close(),
  });
}

function inDirectory(directory: string, host: Host): SummarySource {
  const shown = (name: string) => join(directory, name);
  return {
    shown,
    async list() {
      try {
        const root = resolve(host.cwd, directory);
        // Without these types, Node would go through links to directories.
        const entries = await readdir(root, { recursive: true, withFileTypes: true });
        const files = entries.filter((entry) => entry.isFile());
        return success(files.map(({ parentPath, name }) => relative(root, join(parentPath, name))).filter(isSummary));
      } catch (error) {
        return problem(unreadable(directory, whyUnread(error)));
      }
    },
    async read(name) {
      try {
        return success((await readRegularFile(resolve(host.cwd, shown(name)), largestSummary)).toString("utf8"));
      } catch (error) {
        return problem(badSummary(shown(name), whyUnread(error)));
      }
    },
    close: async () => undefined,
  };
}

/** Nothing for a run that could start no target. */
function decodeDocument(text: string): Result<FleetSummary | undefined, string> {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return problem("it is not JSON");
  }
  if (!validFleetSummary(document)) return problem("it is not the summary of a fleet");
  // The schema has just found it valid.
  const { fleet } = document as { readonly fleet?: object };
  return success(fleet === undefined ? undefined : summaryFields.decode(fleet));
}

function unreadable(directory: string, why: string): RosterError {
  return invalidSetting("unreadable-file", `The directory ${directory} cannot be read: ${why}.`, "Correct the path.");
}

function noSummary(directory: string): RosterError {
  const hint = "Write summaries with `--report json=DIR` in each job, and name the directory that has all of them.";
  return invalidSetting("unreadable-file", `No summary of a fleet was found in ${directory}.`, hint);
}

function badSummary(path: string, why: string): RosterError {
  return invalidSetting("bad-file", `The summary ${path} cannot be used: ${why}.`, "Remove it, or run its job again.");
}

function mixed(directory: string, commands: readonly string[]): RosterError {
  const message = `The summaries in ${directory} are of several commands: ${commands.join(" and ")}.`;
  return invalidSetting("bad-file", message, "Put the summaries of each command into a directory of its own.");
}
