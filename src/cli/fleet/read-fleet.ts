import { readdir, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { readRegularFile, whyUnread } from "../../files/regular-file.ts";
import { decodeFleet, type FleetDefaults, type WrittenFleet } from "../../fleet/decode-fleet.ts";
import { expandFleet, type Target } from "../../fleet/expand-fleet.ts";
import { invalidInput, invalidSetting, type RosterError } from "../../library/error.ts";
import { fleetFileName, settingsFileName } from "../../library/load-roster.ts";
import { closestMatch } from "../../model/address.ts";
import { byCodeUnit } from "../../model/collections.ts";
import type { Diagnostic } from "../../model/result.ts";
import { readYaml } from "../../yaml/read.ts";
import { maxFileBytes } from "../../yaml/source-text.ts";
import { type Host, isPipeline } from "../host.ts";
import { runContextOf } from "../run-context.ts";
import { variable } from "../settings/environment.ts";
import {
  checkoutAround,
  isSharedWithOthers,
  leadsOutOfCheckout,
  nearestFile,
  pathBelow,
  placementOf,
  repositoryRoot,
  trustsCheckout,
} from "../trust/checkout.ts";
import { findProgram, lastLine, runGit } from "../trust/git-tracking.ts";

export interface FleetFlags {
  readonly fleet?: string;
  readonly only?: readonly string[] | undefined;
}

export interface Fleet extends FleetPlace {
  readonly defaults: FleetDefaults;
  readonly all: readonly Target[];
  readonly targets: readonly Target[];
}

interface FleetPlace {
  readonly path: string;
  /** Paths in the file start here, as a person would write it. */
  readonly directory: string;
  /** Others can change it, for instance by a pull request. */
  readonly insideCheckout: boolean;
}

export async function readFleet({ fleet, only = [] }: FleetFlags, host: Host): Promise<Fleet> {
  const place = await locateFleet(fleet, host);
  const written = await readFile(place, host);
  const directories = await directoriesOf(written, place, host);
  const expanded = expandFleet(written, {
    directoriesOf: (pattern) => directories.get(pattern) ?? [],
    resolve: (path) => resolve(host.cwd, place.directory, path),
  });
  if (!expanded.ok) throw invalidInput(expanded.error);
  const all = expanded.value;
  const unknown = only.find((one) => !all.some(({ name }) => name === one));
  if (unknown !== undefined) throw unknownTarget(unknown, all);
  const targets = only.length === 0 ? all : all.filter(({ name }) => only.includes(name));
  const elsewhere = await rostersElsewhere(targets, place, host);
  if (elsewhere.length > 0) throw invalidInput(elsewhere);
  return { ...place, defaults: written.defaults, all, targets };
}

export function fromFleet({ directory }: Pick<Fleet, "directory">, path: string): string {
  return isAbsolute(path) ? path : join(directory, path);
}

async function locateFleet(named: string | undefined, host: Host): Promise<FleetPlace> {
  const path = named === undefined ? nearestFile(fleetFileName, host.cwd) : resolve(host.cwd, named);
  if (path === undefined) {
    const message = `There is no ${fleetFileName} here, nor above it in this repository.`;
    throw invalidSetting("unreadable-file", message, "Name it with --fleet FILE.");
  }
  const { isEditable } = await placementOf(path, await checkoutAround(host));
  const insideCheckout = isEditable && (isSharedWithOthers(host) || repositoryRoot(dirname(path)) !== undefined);
  const shown = relative(host.cwd, path);
  return { path: shown, directory: dirname(shown), insideCheckout };
}

async function readFile({ path }: FleetPlace, host: Host): Promise<WrittenFleet> {
  // An error would show a line of it, such as a secret of the machine.
  if (await leadsOutOfCheckout(path, host)) throw linkOut(path);
  const bytes = await readRegularFile(resolve(host.cwd, path), maxFileBytes).catch((error: unknown) => {
    const message = `The fleet file ${path} cannot be read: ${whyUnread(error)}.`;
    throw invalidSetting("unreadable-file", message, "Correct the path after --fleet.");
  });
  const decoded = decodeFleet(readYaml(path, bytes));
  if (!decoded.ok) throw invalidInput(decoded.error);
  return decoded.value;
}

/** The directories of each pattern, by name. Links are not followed. */
async function directoriesOf(
  { targets }: WrittenFleet,
  place: FleetPlace,
  host: Host,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for (const written of targets) {
    if (written.is === "target") continue;
    const pattern = written.pattern.value;
    const parent = resolve(host.cwd, fromFleet(place, pattern.slice(0, pattern.lastIndexOf("/") + 1)));
    if (await leadsOutOfCheckout(parent, host)) throw linkOut(pattern);
    const [before = "", after = ""] = pattern.slice(pattern.lastIndexOf("/") + 1).split("*");
    const entries = await readdir(parent, { withFileTypes: true }).catch(() => []);
    const names = entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
    const isMatch = (name: string) =>
      name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after);
    const isIgnored = (name: string) => name.startsWith(".") || name === "node_modules";
    found.set(pattern, names.filter((name) => isMatch(name) && !isIgnored(name)).sort(byCodeUnit));
  }
  return found;
}

/** An error in such a file would show lines of it, whatever it is. */
async function rostersElsewhere(
  targets: readonly Target[],
  place: FleetPlace,
  host: Host,
): Promise<readonly Diagnostic[]> {
  if (!place.insideCheckout || !isPipeline(host) || trustsCheckout(host)) return [];
  const checkout = await checkoutAround(host);
  const faults: Diagnostic[] = [];
  for (const { roster, name, at } of targets) {
    for (const path of roster) {
      const { isInside } = await placementOf(resolve(host.cwd, fromFleet(place, path)), checkout);
      if (isInside) continue;
      const message = `CI is set, and the roster ${path} of ${name} is outside the checkout.`;
      const hint = "Move it into the checkout, or the fleet file out of it.";
      faults.push({ code: "untrusted", severity: "error", message, hint, place: at.place });
    }
  }
  return faults;
}

function linkOut(path: string): RosterError {
  return invalidSetting(
    "untrusted",
    `CI is set, and ${path} is a symbolic link that leads out of the checkout.`,
    "Replace the link with the files.",
  );
}

function unknownTarget(unknown: string, all: readonly Target[]): RosterError {
  const names = all.map(({ name }) => name);
  const near = closestMatch(unknown, names);
  const hint = near === undefined ? "Write the name of a target." : `Did you mean ${near}?`;
  return invalidSetting("unknown-selector", `--only ${unknown} matches no target.`, hint);
}

/** The targets of which a roster file has changed since a commit; all of them where the fleet file or the settings have. */
export async function changedTargets(since: string, fleet: Fleet, host: Host): Promise<readonly Target[]> {
  const found = repositoryRoot(host.cwd);
  if (found === undefined) throw notComparable(since, "this is no git repository");
  const root = await realpath(found);
  const changed = await changedPaths(since, root, host);
  const inRepository = async (path: string) => {
    const whole = resolve(host.cwd, path);
    return pathBelow(root, await realpath(whole).catch(() => whole));
  };
  const fleetPath = await inRepository(fleet.path);
  if (changed.some((path) => path === fleetPath || path.split("/").at(-1) === settingsFileName)) return fleet.targets;
  const touched: Target[] = [];
  for (const target of fleet.targets) {
    const paths = await Promise.all(target.roster.map((path) => inRepository(fromFleet(fleet, path))));
    const isBelow = (path: string) =>
      paths.some(
        (roster) => roster === "" || path === roster || (roster !== undefined && path.startsWith(`${roster}/`)),
      );
    if (changed.some(isBelow)) touched.push(target);
  }
  return touched;
}

/** Names alone, from where the branch began; a deleted file counts. */
async function changedPaths(since: string, root: string, host: Host): Promise<readonly string[]> {
  const git = await findProgram("git", host, root);
  if (git === undefined) throw notComparable(since, "git was not found");
  const run = (...args: readonly string[]) => runGit(git, root, host.env, args);
  const commit = await run("rev-parse", "--verify", "--quiet", "--end-of-options", `${since}^{commit}`);
  if (commit.code !== 0) throw notComparable(since, "git knows no such commit");
  const range = `${commit.stdout.trim()}...HEAD`;
  const names = await run("diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", range, "--");
  if (names.code !== 0) throw notComparable(since, `git: ${lastLine(names)}`);
  return names.stdout.split("\0").filter((path) => path !== "");
}

/** The commit that a fleet is of, as ROSTER_COMMIT, the pipeline or git says. */
export async function commitOf({ directory }: Pick<Fleet, "directory">, host: Host): Promise<string> {
  const said = variable(host, "ROSTER_COMMIT") ?? runContextOf(host).commit;
  if (said !== undefined) return said;
  const root = repositoryRoot(resolve(host.cwd, directory));
  const git = root === undefined ? undefined : await findProgram("git", host, root);
  const head = root && git && (await runGit(git, root, host.env, ["rev-parse", "--verify", "HEAD"]));
  if (head && head.code === 0) return head.stdout.trim();
  const hint = "Set ROSTER_COMMIT, such as in the image of the worker.";
  throw invalidSetting("missing-setting", "The commit of the fleet file is not known.", hint);
}

function notComparable(since: string, why: string): RosterError {
  return invalidSetting(
    "unknown-commit",
    `--changed-since ${since} cannot be compared with this commit: ${why}.`,
    "Fetch the commit and the history back to it, such as with `fetch-depth: 0`.",
  );
}
