import { realpath } from "node:fs/promises";
import { dirname, relative, resolve, sep } from "node:path";
import { invalidSetting } from "../../library/error.ts";
import type { Host } from "../host.ts";
import { checkoutAround, isSharedWithOthers, placementOf, repositoryRoot, trustsCheckout } from "./checkout.ts";
import { findProgram, gitTimeout, type ProgramResult, runGit } from "./programs.ts";

/** A file that decides what is done or shown, with the words for one that is not believed. `end`: where its path ends, without links. */
export interface GuardedFile {
  /** Such as `The snapshot s.json`. */
  readonly name: (end: string) => string;
  /** `and-beside`: git may also keep no file whose name goes on after a dot, such as `log.jsonl.checkpoint`. */
  readonly git: "itself" | "and-beside";
  readonly leadsOut: (end: string) => DistrustReason;
  readonly tracked: DistrustReason;
}

interface DistrustReason {
  /** Goes on after the name. */
  readonly why: string;
  readonly hint: string;
}

/**
 * Says where a path ends. Throws where the file there is not believed: git keeps it, so that it came with the checkout, or a link
 * in the checkout leads out to it, so that the checkout decides which file it is.
 */
export async function checkPathTrust(path: string, file: GuardedFile, host: Host): Promise<string> {
  const refused = (end: string, { why, hint }: DistrustReason) =>
    invalidSetting("untrusted", `${file.name(end)} ${why}`, hint);
  const { path: end, leadsOut } = await placementOf(resolve(host.cwd, path), await checkoutAround(host));
  if (trustsCheckout(host)) return end;
  if (leadsOut && isSharedWithOthers(host)) throw refused(path, file.leadsOut(end));
  const tracking = await gitTrackingOf(end, file.git, host);
  switch (tracking.is) {
    case "untracked":
      return end;
    case "tracked":
      throw refused(end, file.tracked);
    case "unknown":
      throw refused(end, { why: `may be kept in git: ${tracking.why}.`, hint: tracking.hint });
  }
}

/**
 * Throws where a plan file is not taken for an approval: it came with the checkout, or the checkout decides which file it is.
 * A change to a roster must not be able to put a plan in its place.
 */
export async function checkPlanFileTrust(path: string, host: Host): Promise<void> {
  await checkGiven(path, host, `The plan file ${path}`, {
    choice: "A change to the checkout could choose which plan is applied.",
    where: "Name the plan file where it is.",
    tracked: {
      why: "is kept in git. A change to the repository could edit the plan, and a plan file counts as approved.",
      hint: "Make a new plan file with `roster plan --out FILE`, and keep it outside the repository.",
    },
  });
}

/**
 * Throws where a snapshot is not believed: it came with the checkout, or the checkout decides which file it is. The author of a
 * change to the roster could add an invented snapshot to it, and so decide what the plan shows to a reviewer.
 */
export async function checkSnapshotTrust(path: string, host: Host): Promise<void> {
  await checkGiven(path, host, `The snapshot ${path}`, {
    choice: "A change to the checkout could choose what the plan is made from.",
    where: "Name the snapshot where it is.",
    tracked: {
      why: "is kept in git. A change to the repository could edit it, and the plan would show false data.",
      hint: "Pass the snapshot from the job that made it, such as by an artifact, and keep it outside the repository.",
    },
  });
}

/** Standard input is no file that somebody could have put there. */
async function checkGiven(
  path: string,
  host: Host,
  name: string,
  { choice, where, tracked }: { readonly choice: string; readonly where: string; readonly tracked: DistrustReason },
): Promise<void> {
  if (path === "-") return;
  const why = `is a symbolic link that leads out of the checkout. ${choice}`;
  const file: GuardedFile = { name: () => name, git: "itself", leadsOut: () => ({ why, hint: where }), tracked };
  await checkPathTrust(path, file, host);
}

/** Whether git keeps a file: then it came with the checkout. */
export type GitTracking =
  | { readonly is: "tracked" | "untracked" }
  /** Git says neither: the file counts as tracked. */
  | { readonly is: "unknown"; readonly why: string; readonly hint: string };

/**
 * Asks git whether it keeps the file at a path. `and-beside`: or one beside it whose name goes on after a dot, such as
 * `log.jsonl.checkpoint`. The path is without links. Without a repository or without git, nothing is kept. @internal
 */
export async function gitTrackingOf(path: string, which: "itself" | "and-beside", host: Host): Promise<GitTracking> {
  const found = repositoryRoot(dirname(path));
  if (found === undefined) return { is: "untracked" };
  const root = await realpath(found);
  const git = await findProgram("git", host, root);
  if (git === undefined) return { is: "untracked" };
  const wanted = folded(relative(root, path).split(sep).join("/"));
  const isWanted = (kept: string) => kept === wanted || (which === "and-beside" && kept.startsWith(`${wanted}.`));
  // All that is kept is listed and compared here: git itself folds the letters of ASCII alone.
  const ended = await runGit(git, root, host.env, ["ls-files", "-z", "--cached"], (kept) => isWanted(folded(kept)));
  if (ended.is === "stopped") return { is: "tracked" };
  if ((ended.is === "ended" && ended.code === 0) || /not a git repository/iu.test(ended.stderr))
    return { is: "untracked" };
  return whyUnknown(ended, root);
}

function whyUnknown({ is, stderr }: ProgramResult, root: string): GitTracking {
  const hint = "Run `git ls-files` there.";
  const unknown = (why: string, instead = hint) => ({ is: "unknown", why, hint: instead }) as const;
  if (is === "silent") return unknown(`git did not list the files of ${root} within ${gitTimeout / 1000} s`);
  if (is === "not-run") return unknown(`git could not be run in ${root}`);
  if (/safe\.directory/iu.test(stderr))
    return unknown(
      `git refuses to read the repository ${root}, which belongs to another user`,
      `If its owner is trusted, run \`git config --global --add safe.directory ${root}\`.`,
    );
  const [line = ""] = stderr.trim().split("\n");
  return unknown(`git could not list the files of ${root}: ${line.slice(0, 200)}`);
}

/** Some file systems take `.Roster` for `.roster`. */
function folded(path: string): string {
  return path.normalize("NFC").toLowerCase();
}
