import { readdir, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { readRegularFile, whyUnread } from "../../files/regular-file.ts";
import { decodeFleet, type WrittenFleet } from "../../fleet/decode-fleet.ts";
import { expandFleet, type Target } from "../../fleet/targets.ts";
import { invalidInput, invalidSetting, type RosterError } from "../../library/error.ts";
import { fleetFileName, settingsFileName } from "../../library/load-roster.ts";
import { closestMatch } from "../../model/address.ts";
import { byCodeUnit } from "../../model/collections.ts";
import type { Diagnostic } from "../../model/failure.ts";
import { readYaml } from "../../yaml/read.ts";
import { maxFileBytes } from "../../yaml/source-text.ts";
import { type Host, isPipeline } from "../host.ts";
import { runContextOf } from "../run-context.ts";
import { keyVariablePrefix, variable } from "../settings/environment.ts";
import {
  checkoutAround,
  findProgram,
  isSharedWithOthers,
  lastLine,
  leadsOutOfCheckout,
  nearestFile,
  pathBelow,
  placementOf,
  repositoryRoot,
  runGit,
  trustsCheckout,
} from "../trust.ts";

export interface FleetFlags {
  readonly fleet?: string;
  readonly only?: readonly string[] | undefined;
  readonly changedSince?: string;
}

export interface Fleet extends FleetPlace {
  readonly defaults: WrittenFleet["defaults"];
  /** Paths of a target start where the command runs. */
  readonly all: readonly Target[];
  /** Those that the flags leave. */
  readonly targets: readonly Target[];
}

interface FleetPlace {
  /** As a person would write it, and so its directory. */
  readonly path: string;
  readonly directory: string;
  /** Others can change it, for instance by a pull request. */
  readonly insideCheckout: boolean;
}

export async function readFleet({ fleet, only = [], changedSince }: FleetFlags, host: Host): Promise<Fleet> {
  const place = await locateFleet(fleet, host);
  const written = await readFile(place, host);
  const expanded = expandFleet(written, {
    directories: await directoriesOf(written, place, host),
    resolve: (path) => resolve(host.cwd, place.directory, path),
  });
  if (!expanded.ok) throw invalidInput(expanded.error);
  const all = expanded.value.map((target) => fromHere(target, place));
  const names = all.map(({ name }) => name);
  const unknown = only.find((one) => !names.includes(one));
  if (unknown !== undefined) {
    const near = closestMatch(unknown, names);
    const hint = near === undefined ? "Write the name of a target." : `Did you mean ${near}?`;
    throw invalidSetting("unknown-selector", `--only ${unknown} matches no target.`, hint);
  }
  const named = only.length === 0 ? all : all.filter(({ name }) => only.includes(name));
  const refused = await untrustedTargets(named, place, host);
  if (refused.length > 0) throw invalidInput(refused);
  const targets = changedSince === undefined ? named : await changedTargets(changedSince, named, place, host);
  return { ...place, defaults: written.defaults, all, targets };
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
    const fields = "a list of services, each with `name`, `roster`, `endpoint` and `key`";
    const hint = `Correct the path after --fleet, or write the file. Its \`targets\` are ${fields}.`;
    throw invalidSetting("unreadable-file", message, hint);
  });
  const decoded = decodeFleet(readYaml(path, bytes));
  if (!decoded.ok) throw invalidInput(decoded.error);
  return decoded.value;
}

/** The directories of each pattern, by name. Links are not followed. */
async function directoriesOf(
  { targets }: WrittenFleet,
  { directory }: FleetPlace,
  host: Host,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for (const { value } of targets) {
    if (!("pattern" in value)) continue;
    const { pattern } = value;
    const parent = resolve(host.cwd, directory, dirname(pattern));
    if (await leadsOutOfCheckout(parent, host)) throw linkOut(pattern);
    const [before = "", after = ""] = pattern.slice(pattern.lastIndexOf("/") + 1).split("*");
    const isMatch = (name: string) =>
      name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after);
    const isIgnored = (name: string) => name.startsWith(".") || name === "node_modules";
    const entries = await readdir(parent, { withFileTypes: true }).catch(() => []);
    const names = entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
    found.set(pattern, names.filter((name) => isMatch(name) && !isIgnored(name)).sort(byCodeUnit));
  }
  return found;
}

/** Paths in the fleet file start at its directory. */
function fromHere({ roster, state, key, ...target }: Target, { directory }: FleetPlace): Target {
  const path = (written: string) => (isAbsolute(written) ? written : join(directory, written));
  return {
    ...target,
    roster: roster.map(path),
    state: state.startsWith("file:") ? `file:${path(state.slice("file:".length))}` : state,
    key: key.file === undefined ? key : { file: path(key.file) },
  };
}

/** What a change to the checkout could choose: another secret of the environment as a key, or a file of which an error shows lines. */
async function untrustedTargets(
  targets: readonly Target[],
  { insideCheckout }: FleetPlace,
  host: Host,
): Promise<readonly Diagnostic[]> {
  if (!insideCheckout) return [];
  const checkout = await checkoutAround(host);
  const readsAnything = !isPipeline(host) || trustsCheckout(host);
  const faults: Diagnostic[] = [];
  for (const { roster, name, key, at } of targets) {
    const refuse = (message: string, hint: string) =>
      faults.push({ code: "untrusted", severity: "error", message, hint, place: at.place });
    if (key.env !== undefined && !key.env.startsWith(keyVariablePrefix))
      refuse(
        `The key of ${name} is in ${key.env}, but the fleet file is in a checkout.`,
        `Use a name that begins with ${keyVariablePrefix}, or keep the fleet file outside the checkout.`,
      );
    for (const path of readsAnything ? [] : roster)
      if (!(await placementOf(resolve(host.cwd, path), checkout)).isInside)
        refuse(
          `CI is set, and the roster ${path} of ${name} is outside the checkout.`,
          "Move it into the checkout, or the fleet file out of it.",
        );
  }
  return faults;
}

function linkOut(path: string): RosterError {
  const message = `CI is set, and ${path} is a symbolic link that leads out of the checkout.`;
  return invalidSetting("untrusted", message, "Replace the link with the files.");
}

/** The targets of which a roster file has changed since a commit; all of them where the fleet file or the settings have. */
async function changedTargets(
  since: string,
  targets: readonly Target[],
  { path: fleetPath }: FleetPlace,
  host: Host,
): Promise<readonly Target[]> {
  const found = repositoryRoot(host.cwd);
  if (found === undefined) throw notComparable(since, "this is no git repository");
  const root = await realpath(found);
  const changed = await changedPaths(since, root, host);
  const hasChanged = async (path: string) => {
    const whole = resolve(host.cwd, path);
    const kept = pathBelow(root, await realpath(whole).catch(() => whole));
    return changed.some((one) => kept === "" || one === kept || (kept !== undefined && one.startsWith(`${kept}/`)));
  };
  const isOfAll = changed.some((path) => path.split("/").at(-1) === settingsFileName) || (await hasChanged(fleetPath));
  if (isOfAll) return targets;
  const touched = await Promise.all(targets.map(({ roster }) => Promise.all(roster.map(hasChanged))));
  return targets.filter((_, index) => touched[index]?.includes(true));
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

function notComparable(since: string, why: string): RosterError {
  const message = `--changed-since ${since} cannot be compared with this commit: ${why}.`;
  const hint = "Fetch the commit and the history back to it, such as with `fetch-depth: 0`.";
  return invalidSetting("unknown-commit", message, hint);
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
