import { readdir, realpath } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { readRegularFile, whyUnread } from "../../files/regular-file.ts";
import { decodeFleet, expandFleet, type Target, type WrittenFleet } from "../../fleet/fleet-file.ts";
import { invalidInput, invalidSetting } from "../../library/error.ts";
import { fleetFileName, settingsFileName } from "../../library/load-roster.ts";
import { closestMatch } from "../../model/address.ts";
import { byCodeUnit } from "../../model/collections.ts";
import type { Diagnostic } from "../../model/failure.ts";
import { readYaml } from "../../yaml/read.ts";
import { maxFileBytes } from "../../yaml/source-text.ts";
import type { Flags } from "../flags.ts";
import { type Host, isPipeline } from "../host.ts";
import { runContextOf } from "../run-context.ts";
import { keyVariablePrefix, variable } from "../settings/environment.ts";
import * as trust from "../trust.ts";

type TextFlag = "fleet" | "changedSince" | "maxFailures" | "person" | "queue" | "plans" | "round" | "every" | "maxAge";

/** The flags of a fleet's commands, as they were written. */
export type FleetFlags = Flags & { readonly [Name in TextFlag | "callsPerSecond"]?: string } & {
  readonly resume?: boolean;
};

export interface Fleet {
  /** As a person would write it, and so its directory. */
  readonly path: string;
  readonly directory: string;
  /** Others can change it, for instance by a pull request. */
  readonly insideCheckout: boolean;
  readonly defaults: WrittenFleet["defaults"];
  readonly all: readonly Target[];
  /** Those that the flags leave. */
  readonly targets: readonly Target[];
}

export async function readFleet({ fleet, only = [], changedSince }: FleetFlags, host: Host): Promise<Fleet> {
  const at = fleet === undefined ? trust.nearestFile(fleetFileName, host.cwd) : resolve(host.cwd, fleet);
  if (at === undefined) {
    const message = `There is no ${fleetFileName} here, nor above it in this repository.`;
    throw invalidSetting("unreadable-file", message, `Name it with --fleet FILE, or write it. ${whatToWrite}`);
  }
  const path = relative(host.cwd, at);
  const directory = dirname(path);
  const { isEditable } = await trust.placementOf(at, await trust.checkoutAround(host));
  const insideCheckout =
    isEditable && (trust.isSharedWithOthers(host) || trust.repositoryRoot(dirname(at)) !== undefined);
  await refuseLinkOut(path, host);
  const bytes = await readRegularFile(at, maxFileBytes).catch((error: unknown) => {
    const message = `The fleet file ${path} cannot be read: ${whyUnread(error)}.`;
    throw invalidSetting(
      "unreadable-file",
      message,
      `Correct the path after --fleet, or write the file. ${whatToWrite}`,
    );
  });
  const written = decodeFleet(readYaml(path, bytes));
  if (!written.ok) throw invalidInput(written.error);
  const { defaults } = written.value;
  const directories = new Map<string, readonly string[]>();
  for (const { value } of written.value.targets)
    if ("pattern" in value) directories.set(value.pattern, await directoriesOf(value.pattern, directory, host));
  const here = (file: string) => {
    const whole = resolve(host.cwd, directory, file);
    const short = relative(host.cwd, whole) || ".";
    return short.startsWith("..") ? whole : short;
  };
  const expanded = expandFleet(written.value, { directories, here });
  if (!expanded.ok) throw invalidInput(expanded.error);
  const all = expanded.value;
  const names = all.map(({ name }) => name);
  const unknown = only.find((one) => !names.includes(one));
  if (unknown !== undefined) {
    const near = closestMatch(unknown, names);
    const hint = near === undefined ? "Write the name of a target." : `Did you mean ${near}?`;
    throw invalidSetting("unknown-selector", `--only ${unknown} matches no target.`, hint);
  }
  const selected = only.length === 0 ? all : all.filter(({ name }) => only.includes(name));
  if (insideCheckout) await refuseUntrusted(selected, host);
  const targets = changedSince === undefined ? selected : await changedTargets(changedSince, selected, path, host);
  return { path, directory, insideCheckout, defaults, all, targets };
}

const whatToWrite = "Its `targets` are a list of services, each with `name`, `roster`, `endpoint`, `key` and `state`.";

/** An error would show a line of it, such as a secret of the machine. */
async function refuseLinkOut(path: string, host: Host): Promise<void> {
  if (!(await trust.leadsOutOfCheckout(path, host))) return;
  const message = `CI is set, and ${path} is a symbolic link that leads out of the checkout.`;
  throw invalidSetting("untrusted", message, "Replace the link with the files.");
}

/** The names of the directories that a pattern matches. Links are not followed. */
async function directoriesOf(pattern: string, directory: string, host: Host): Promise<readonly string[]> {
  const parent = resolve(host.cwd, directory, dirname(pattern));
  await refuseLinkOut(parent, host);
  const [before = "", after = ""] = pattern.slice(pattern.lastIndexOf("/") + 1).split("*");
  const isMatch = (name: string) =>
    name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after);
  const isIgnored = (name: string) => name.startsWith(".") || name === "node_modules";
  const entries = await readdir(parent, { withFileTypes: true }).catch(() => []);
  const names = entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  return names.filter((name) => isMatch(name) && !isIgnored(name)).sort(byCodeUnit);
}

/** What a change to the checkout could choose: another secret of the environment as a key, or a file of which an error shows lines. */
async function refuseUntrusted(targets: readonly Target[], host: Host): Promise<void> {
  const checkout = await trust.checkoutAround(host);
  const readsAnything = !isPipeline(host) || trust.trustsCheckout(host);
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
      if (!(await trust.placementOf(resolve(host.cwd, path), checkout)).isInside)
        refuse(
          `CI is set, and the roster ${path} of ${name} is outside the checkout.`,
          "Move it into the checkout, or the fleet file out of it.",
        );
  }
  if (faults.length > 0) throw invalidInput(faults);
}

/** The targets of which a roster file has changed since a commit; all of them where the fleet file or the settings have. */
async function changedTargets(
  since: string,
  targets: readonly Target[],
  fleetPath: string,
  host: Host,
): Promise<readonly Target[]> {
  const notComparable = (why: string) => {
    const message = `--changed-since ${since} cannot be compared with this commit: ${why}.`;
    const hint = "Fetch the commit and the history back to it, such as with `fetch-depth: 0`.";
    return invalidSetting("unknown-commit", message, hint);
  };
  const { root, git } = await gitAround(host.cwd, host);
  if (root === undefined) throw notComparable("this is no git repository");
  if (git === undefined) throw notComparable("git was not found");
  const commit = await git("rev-parse", "--verify", "--quiet", "--end-of-options", `${since}^{commit}`);
  if (commit.code !== 0) throw notComparable("git knows no such commit");
  // Names alone, from where the branch began; a deleted file counts.
  const range = `${commit.stdout.trim()}...HEAD`;
  const names = await git("diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", range, "--");
  if (names.code !== 0) throw notComparable(`git: ${trust.lastLine(names)}`);
  const changed = names.stdout.split("\0").filter((path) => path !== "");
  const hasChanged = async (path: string) => {
    const whole = resolve(host.cwd, path);
    const kept = trust.pathBelow(root, await realpath(whole).catch(() => whole));
    return changed.some((one) => kept === "" || one === kept || (kept !== undefined && one.startsWith(`${kept}/`)));
  };
  const isOfAll = changed.some((path) => path.split("/").at(-1) === settingsFileName) || (await hasChanged(fleetPath));
  if (isOfAll) return targets;
  const touched = await Promise.all(targets.map(({ roster }) => Promise.all(roster.map(hasChanged))));
  return targets.filter((_, index) => touched[index]?.includes(true));
}

/** The repository around a directory, without links, and git in it. */
async function gitAround(directory: string, host: Host) {
  const found = trust.repositoryRoot(directory);
  const root = found && (await realpath(found));
  const program = root && (await trust.findProgram("git", host, root));
  if (!program) return { root, git: undefined };
  return { root, git: (...args: readonly string[]) => trust.runGit(program, root, host.env, args) };
}

/** The commit that a fleet is of, as ROSTER_COMMIT, the pipeline or git says. */
export async function commitOf({ directory }: Pick<Fleet, "directory">, host: Host): Promise<string> {
  const said = variable(host, "ROSTER_COMMIT") ?? runContextOf(host).commit;
  if (said !== undefined) return said;
  const { git } = await gitAround(resolve(host.cwd, directory), host);
  const head = await git?.("rev-parse", "--verify", "HEAD");
  if (head?.code === 0) return head.stdout.trim();
  const hint = "Set ROSTER_COMMIT, such as in the image of the worker.";
  throw invalidSetting("missing-setting", "The commit of the fleet file is not known.", hint);
}
