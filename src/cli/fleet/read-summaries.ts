import { readdir } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { validFleetSummary } from "../../codec/generated/fleet-summary.js";
import { readRegularFile, whyUnread } from "../../files/regular-file.ts";
import type { fleetSummary } from "../../fleet/fleet-summary.ts";
import { decodeSummary, type FleetSummary, joinSummaries } from "../../fleet/outcomes.ts";
import { showDuration } from "../../library/duration.ts";
import { invalidSetting } from "../../library/error.ts";
import { byCodeUnit } from "../../model/collections.ts";
import type { Static } from "../../model/declare.ts";
import { safe } from "../../report/safe.ts";
import type { Host } from "../host.ts";

/** Milliseconds: what is older is of the night before. */
const maxAge = 20 * 3_600_000;

/** Joins every summary of the last 20 hours below a directory, as the jobs of a pipeline or the shards of a fleet have written them. */
export async function readSummaries(directory: string, host: Host): Promise<FleetSummary> {
  const root = resolve(host.cwd, directory);
  const names = await summariesBelow(root).catch((error: unknown) => {
    const message = `The directory ${directory} cannot be read: ${whyUnread(error)}.`;
    throw invalidSetting("unreadable-file", message, "Correct the path.");
  });
  const summaries: FleetSummary[] = [];
  for (const name of names.toSorted(byCodeUnit)) {
    const shown = join(directory, name);
    const summary = await readSummary(join(root, name), shown);
    if (summary === undefined) continue;
    const age = host.clock.now() - Date.parse(summary.finishedAt ?? "");
    if (age > maxAge) host.stderr.write(`left out, older than ${showDuration(maxAge)}: ${safe(shown)}\n`);
    else summaries.push(withReportsFrom(name, summary));
  }
  const [first, ...others] = summaries;
  if (first === undefined) {
    const hint = "Write summaries with `--report json=DIR` in each job, and name the directory that has all of them.";
    throw invalidSetting("unreadable-file", `No summary of a fleet was found in ${directory}.`, hint);
  }
  const other = others.find(({ command }) => command !== first.command);
  if (other === undefined) return joinSummaries([first, ...others]);
  const message = `The summaries in ${directory} are of several commands: ${first.command} and ${other.command}.`;
  throw invalidSetting("bad-file", message, "Put the summaries of each command into a directory of its own.");
}

async function summariesBelow(root: string): Promise<readonly string[]> {
  // Without these types, Node would go through links to directories.
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)))
    .filter((name) => /(?:^|[/\\])summary[^/\\]*\.json$/u.test(name));
}

/** In bytes: the summary of 100,000 targets has some 40 MiB. */
const largestSummary = 128 * 1024 * 1024;

async function readSummary(path: string, shown: string): Promise<FleetSummary | undefined> {
  const unusable = (why: string) =>
    invalidSetting("bad-file", `The summary ${shown} cannot be used: ${why}.`, "Remove it, or run its job again.");
  const bytes = await readRegularFile(path, largestSummary).catch((error: unknown) => {
    throw unusable(whyUnread(error));
  });
  let document: unknown;
  try {
    document = JSON.parse(bytes.toString("utf8"));
  } catch {
    throw unusable("it is not JSON");
  }
  if (!validFleetSummary(document)) throw unusable("it is not the summary of a fleet");
  // The schema has just found it valid.
  const { fleet } = document as Static<typeof fleetSummary>;
  return fleet && decodeSummary(fleet);
}

function withReportsFrom(name: string, summary: FleetSummary): FleetSummary {
  const directory = /^[\w ./\\-]*[/\\]/u.exec(name)?.[0].replaceAll("\\", "/") ?? "";
  const targets = summary.targets.map((one) => ({ ...one, reports: one.reports.map((file) => `${directory}${file}`) }));
  return { ...summary, targets };
}
