import { readdir, realpath } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { decodeFleet, expandFleet, type Target, targetsAtOnce, type WrittenFleet } from "../../fleet/fleet-file.ts";
import { invalidInput, invalidSetting, suggest } from "../../library/error.ts";
import { fleetFileName, settingsFileName } from "../../library/roster-files.ts";
import { byCodeUnit } from "../../model/collections.ts";
import type { Diagnostic } from "../../model/failure.ts";
import { readYaml } from "../../yaml/read.ts";
import { readInput } from "../files.ts";
import { type Flags, readCount } from "../flags.ts";
import { type Host, isPipeline } from "../host.ts";
import { runContextOf } from "../run-context.ts";
import { keyVariablePrefix, variable } from "../settings/environment.ts";
import * as trust from "../trust.ts";

type TextFlag = "fleet" | "changedSince" | "maxFailures" | "person" | "queue" | "round";

export type FleetFlags = Flags & { readonly [Name in TextFlag]?: string };

export interface Fleet extends Readonly<WrittenFleet["defaults"]> {
  readonly path: string;
  readonly all: readonly Target[];
  /** Those that the flags leave. */
  readonly targets: readonly Target[];
}

export async function readFleet(flags: FleetFlags, host: Host, use: "run" | "read" = "read"): Promise<Fleet> {
  const { fleet: named, include = [], changedSince } = flags;
  const hint =
    "Name it with --fleet FILE, or write it. Its `targets` are a list of services, each with `name`, `roster`, `endpoint`, `key` and `state`.";
  const at = named === undefined ? trust.nearestFile(fleetFileName, host.cwd) : resolve(host.cwd, named);
  const nowhere = `There is no ${fleetFileName} here, nor above it in this repository.`;
  if (at === undefined) throw invalidSetting("unreadable-file", nowhere, hint);
  const path = relative(host.cwd, at);
  await refuseLinkOut(path, host);
  const written = decodeFleet(await readYaml(path, await readInput(path, { what: "fleet file", hint }, host)));
  if (!written.ok) throw invalidInput(written.error);
  const directories = new Map<string, readonly string[]>();
  for (const { value } of written.value.targets)
    if ("pattern" in value) directories.set(value.pattern, await directoriesOf(value.pattern, dirname(at), host));
  const expanded = expandFleet(written.value, directories, (file) => {
    const whole = resolve(dirname(at), file);
    const short = relative(host.cwd, whole) || ".";
    return short.startsWith("..") ? whole : short;
  });
  if (!expanded.ok) throw invalidInput(expanded.error);
  const all = expanded.value;
  const names = all.map(({ name }) => name);
  const unknown = include.find((one) => !names.includes(one));
  if (unknown !== undefined) {
    const hint = suggest(unknown, names, "Write the name of a target.");
    throw invalidSetting("unknown-selector", `--include ${unknown} matches no target.`, hint);
  }
  const selected = include.length === 0 ? all : all.filter(({ name }) => include.includes(name));
  await refuseUntrusted(selected, at, use, host);
  const targets = changedSince === undefined ? selected : await changedTargets(changedSince, selected, path, host);
  const parallelism =
    readCount("--parallelism", flags.parallelism, targetsAtOnce) ?? written.value.defaults.parallelism;
  return { ...written.value.defaults, parallelism, path, all, targets };
}

/** An error would show a line of it, such as a secret of the machine. */
async function refuseLinkOut(path: string, host: Host): Promise<void> {
  if (!(await trust.leadsOutOfCheckout(path, host))) return;
  const message = `CI is set, and ${path} is a symbolic link that leads out of the checkout.`;
  throw invalidSetting("untrusted", message, "Replace the link with the files.");
}

/** Links are not followed. */
async function directoriesOf(pattern: string, directory: string, host: Host): Promise<readonly string[]> {
  const parent = resolve(directory, dirname(pattern));
  await refuseLinkOut(parent, host);
  const [before = "", after = ""] = basename(pattern).split("*");
  const isMatch = (name: string) =>
    name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after);
  const entries = await readdir(parent, { withFileTypes: true }).catch(() => []);
  const names = entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  return names.filter((name) => isMatch(name) && !/^(?:\.|node_modules$)/u.test(name)).sort(byCodeUnit);
}

/** Refuses what a change to a checkout could choose: where a key goes, which secret is one, and of which file an error shows lines. */
async function refuseUntrusted(targets: readonly Target[], at: string, use: "run" | "read", host: Host): Promise<void> {
  const checkout = await trust.checkoutAround(host);
  const { isEditable } = await trust.placementOf(at, checkout);
  if (!isEditable || !(trust.isSharedWithOthers(host) || trust.repositoryRoot(dirname(at)) !== undefined)) return;
  const isTrusted = trust.trustsCheckout(host);
  const faults: Pick<Diagnostic, "message" | "hint" | "place">[] = [];
  if (use === "run" && !isTrusted)
    faults.push({
      message: `${relative(host.cwd, at)} is in a checkout. A change to it could send the keys to other servers.`,
      hint: "Name a fleet file outside the checkout with --fleet, or set ROSTER_TRUST_SETTINGS=1.",
    });
  for (const { roster, name, key, at } of targets) {
    if (key.env !== undefined && !key.env.startsWith(keyVariablePrefix))
      faults.push({
        message: `The key of ${name} is in ${key.env}, but the fleet file is in a checkout.`,
        hint: `Use a name that begins with ${keyVariablePrefix}, or keep the fleet file outside the checkout.`,
        place: at.place,
      });
    for (const path of isTrusted || !isPipeline(host) ? [] : roster)
      if (!(await trust.placementOf(resolve(host.cwd, path), checkout)).isInside)
        faults.push({
          message: `CI is set, and the roster ${path} of ${name} is outside the checkout.`,
          hint: "Move it into the checkout, or the fleet file out of it.",
          place: at.place,
        });
  }
  if (faults.length > 0) throw invalidInput(faults.map((one) => ({ ...one, code: "untrusted", severity: "error" })));
}

/** The targets of which a roster file has changed since a commit; all of them where the fleet file or the settings have. */
async function changedTargets(since: string, targets: readonly Target[], fleetPath: string, host: Host) {
  const notComparable = (why: string) => {
    const message = `--changed-since ${since} cannot be compared with this commit: ${why}.`;
    const hint =
      "Run it in a clone of the repository, with the history back to the commit, such as with `fetch-depth: 0`.";
    return invalidSetting("unknown-commit", message, hint);
  };
  const { root, git } = await trust.gitAround(host.cwd, host);
  if (root === undefined) throw notComparable("this is no git repository");
  if (git === undefined) throw notComparable("git was not found");
  // Names alone, from where the branch began; a deleted file counts.
  const only = ["--name-only", "-z", "--no-renames", "--no-ext-diff"];
  const names = await git("diff", ...only, "--end-of-options", `${since}^{commit}...HEAD`, "--");
  if (names.code !== 0) throw notComparable(`git: ${trust.lastLine(names)}`);
  const changed = names.stdout.split("\0").slice(0, -1);
  const hasChanged = async (path: string) => {
    const whole = resolve(host.cwd, path);
    const end = await realpath(whole).catch(() => whole);
    return changed.some((one) => trust.isInside(join(root, one), end));
  };
  if (changed.some((one) => basename(one) === settingsFileName) || (await hasChanged(fleetPath))) return targets;
  const touched = await Promise.all(targets.map(({ roster }) => Promise.all(roster.map(hasChanged))));
  return targets.filter((_, index) => touched[index]?.includes(true));
}

export async function commitOf({ path }: Fleet, host: Host): Promise<string> {
  const said = variable(host, "ROSTER_COMMIT") ?? runContextOf(host).commit;
  if (said !== undefined) return said;
  const { git } = await trust.gitAround(resolve(host.cwd, dirname(path)), host);
  const head = await git?.("rev-parse", "--verify", "HEAD");
  if (head?.code === 0) return head.stdout.trim();
  const hint = "Set ROSTER_COMMIT, such as in the image of the worker.";
  throw invalidSetting("missing-setting", "The commit of the fleet file is not known.", hint);
}
