import { execFile } from "node:child_process";
import { constants, existsSync } from "node:fs";
import { access, readlink, realpath, stat } from "node:fs/promises";
import { delimiter, dirname, isAbsolute, join, parse, relative, resolve, sep } from "node:path";
import { platform } from "node:process";
import { invalidSetting } from "../library/error.ts";
import { type Host, isPipeline } from "./host.ts";
import { variable } from "./settings/environment.ts";

/** The directories in which a command works and which others can change, for instance by a pull request. */
export interface Checkout {
  /** Of the repository around where the command runs; where there is none, that directory itself. Without links. */
  readonly root: string;
  /** The root, and what a pipeline calls its workspace. Without links. */
  readonly roots: readonly string[];
}

/** Where pipelines name the directory that they check out into; what is in it need not be a repository. */
const workspaces =
  "GITHUB_WORKSPACE CI_PROJECT_DIR WORKSPACE BUILD_SOURCESDIRECTORY BITBUCKET_CLONE_DIR BUILDKITE_BUILD_CHECKOUT_PATH";

export async function checkoutAround(host: Host): Promise<Checkout> {
  const named = isPipeline(host) ? workspaces.split(" ").flatMap((name) => host.env[name] ?? []) : [];
  const root = await behindLinks(repositoryRoot(host.cwd) ?? host.cwd);
  const roots = await Promise.all(named.filter(isAbsolute).map(behindLinks));
  return { root, roots: [...new Set([root, ...roots])] };
}

/** Where the nearest repository begins; of a worktree or a submodule `.git` is a file. */
export function repositoryRoot(from: string): string | undefined {
  for (let directory = from; ; directory = dirname(directory)) {
    if (existsSync(join(directory, ".git"))) return directory;
    if (directory === dirname(directory)) return undefined;
  }
}

export function nearestFile(name: string, from: string, root = repositoryRoot(from) ?? from): string | undefined {
  for (let directory = from; ; directory = dirname(directory)) {
    const path = join(directory, name);
    if (existsSync(path)) return path;
    if (directory === root || directory === dirname(directory)) return undefined;
  }
}

/** A person's word that everybody who can change the checkout is trusted with everything that the key can do. */
export function trustsCheckout(host: Host): boolean {
  return variable(host, "ROSTER_TRUST_SETTINGS") === "1";
}

/** Whether others can change what is around the command: a repository, or what a pipeline has checked out. */
export function isSharedWithOthers(host: Host): boolean {
  return repositoryRoot(host.cwd) !== undefined || isPipeline(host);
}

/** The file that a path leads to, which need not be there. `leadsOut`: the path goes through the checkout, and ends elsewhere. */
export async function placementOf(path: string, { roots }: Checkout) {
  const met = await followLinks(path);
  const end = met.at(-1) ?? path;
  const isIn = (place: string) => roots.some((root) => isInside(place, root));
  const comesIn = met.some(isIn);
  // A change to a checkout or to another repository can put another file in its place.
  const isEditable = comesIn || met.some((place) => existsSync(join(place, ".git")));
  return { path: end, isInside: isIn(end), isEditable, leadsOut: comesIn && !isIn(end) };
}

/** The path of a file as a person writes it below a directory; undefined where it is not below it. */
export function pathBelow(directory: string, path: string): string | undefined {
  return isInside(path, directory) ? relative(directory, path).split(sep).join("/") : undefined;
}

/** Windows takes `c:\\Work` and `C:\\work` for one directory: neither may pass for a place outside the other. */
export function isInside(path: string, directory: string): boolean {
  const [at, root] = process.platform === "win32" ? [path.toLowerCase(), directory.toLowerCase()] : [path, directory];
  return at === root || at.startsWith(root.endsWith(sep) ? root : root + sep);
}

function behindLinks(directory: string): Promise<string> {
  return realpath(directory).catch(() => resolve(directory));
}

const maxLinks = 40;

/** Every directory, link and file that is met while a path is followed link by link, and last where it ends. */
async function followLinks(path: string): Promise<readonly string[]> {
  const whole = resolve(path);
  const met: string[] = [];
  let at = parse(whole).root;
  let rest = partsOf(whole);
  let links = 0;
  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    const next = part === ".." ? dirname(at) : join(at, part);
    met.push(next);
    const target = links < maxLinks ? await readlink(next).catch(() => undefined) : undefined;
    if (target === undefined) at = next;
    else {
      links += 1;
      rest = [...partsOf(target), ...rest];
      if (isAbsolute(target)) at = parse(target).root;
    }
  }
  // A way that ends in a link ends where the link leads.
  return met.at(-1) === at ? met : [...met, at];
}

function partsOf(path: string): string[] {
  return path
    .slice(parse(path).root.length)
    .split(sep)
    .filter((part) => part !== "" && part !== ".");
}

/** Whether a link in the checkout of a pipeline would choose which file outside it is written: a pull request could have made it. */
export async function leadsOutOfCheckout(path: string, host: Host): Promise<boolean> {
  if (!isPipeline(host) || trustsCheckout(host)) return false;
  const { leadsOut } = await placementOf(resolve(host.cwd, path), await checkoutAround(host));
  return leadsOut;
}

/** Throws where one of these files is not written in a pipeline, since its path leads out. As a person names them from here. */
export async function refuseLedOut(files: readonly string[], host: Host): Promise<void> {
  for (const file of files)
    if (await leadsOutOfCheckout(file, host)) {
      const message = `CI is set, and the path ${file} leads out of the checkout through a symbolic link. A change to the checkout could choose which file is written.`;
      throw invalidSetting("untrusted", message, "Name the file where it is.");
    }
}

/** How the repository around a file names it, else the workspace of a pipeline, else the directory of the command. Undefined of what is outside. */
export async function pathsInCheckout(host: Host): Promise<(file: string) => string | undefined> {
  const { root, roots } = await checkoutAround(host);
  const here = await realpath(host.cwd).catch(() => host.cwd);
  const workspace = roots.find((one) => one !== root && pathBelow(one, here) !== undefined);
  const base = repositoryRoot(host.cwd) === undefined ? (workspace ?? root) : root;
  return (file) => {
    if (file === "-" || file === "") return undefined;
    const path = pathBelow(base, resolve(here, file));
    return path === "" ? undefined : path;
  };
}

export interface GuardedFile {
  readonly kind: string;
  /** What a change to the checkout could choose by a link. */
  readonly chooses: string;
  /** `and-beside`: git may also keep no file whose name goes on after a dot, such as `log.jsonl.checkpoint`. */
  readonly git: "itself" | "and-beside";
  /** What a change to the repository could do to a file that git keeps, and what to do instead. */
  readonly could: string;
  readonly hint: string;
}

export const planFile: GuardedFile = {
  kind: "plan file",
  chooses: "which plan is applied",
  git: "itself",
  could: "edit the plan, and a plan file counts as approved",
  hint: "Make a new plan file with `roster plan --out FILE`, and keep it outside the repository.",
};

/** The author of a change to the roster could add an invented snapshot to it, and so decide what the plan shows to a reviewer. */
export const snapshotFile: GuardedFile = {
  kind: "snapshot",
  chooses: "what the plan is made of",
  git: "itself",
  could: "edit it, and the plan would show false data",
  hint: "Pass the snapshot from the job that made it, such as by an artifact, and keep it outside the repository.",
};

/** Refuses a file that came with the checkout, or that a link in the checkout chooses. Standard input is no file that somebody could have put there. */
export async function checkPathTrust(
  path: string,
  { kind, chooses, git, could, hint }: GuardedFile,
  host: Host,
): Promise<string> {
  if (path === "-") return path;
  const refused = (why: string, hint: string) => invalidSetting("untrusted", `The ${kind} ${path} ${why}.`, hint);
  const { path: end, leadsOut } = await placementOf(resolve(host.cwd, path), await checkoutAround(host));
  if (trustsCheckout(host)) return end;
  if (leadsOut && isSharedWithOthers(host)) {
    const why = `is a symbolic link that leads out of the checkout to ${end}. A change to the checkout could choose ${chooses}`;
    throw refused(why, `Name the ${kind} where it is, or remove the link.`);
  }
  const tracking = await gitTrackingOf(end, git, host);
  if (tracking.is === "tracked") throw refused(`is kept in git. A change to the repository could ${could}`, hint);
  if (tracking.is === "unknown") throw refused(`may be kept in git: ${tracking.why}`, tracking.hint);
  return end;
}

/** Whether git keeps a file, which then came with the checkout. `unknown` counts as kept. The path is without links. */
export async function gitTrackingOf(path: string, which: "itself" | "and-beside", host: Host) {
  const { root, git } = await gitAround(dirname(path), host);
  if (root === undefined || git === undefined) return { is: "untracked" } as const;
  const wanted = folded(relative(root, path).split(sep).join("/"));
  const isWanted = (kept: string) => kept === wanted || (which === "and-beside" && kept.startsWith(`${wanted}.`));
  // All that is kept is listed and compared here: git itself folds the letters of ASCII alone.
  const { is, code, stdout, stderr } = await git("ls-files", "-z", "--cached");
  if (stdout.split("\0").some((kept) => isWanted(folded(kept)))) return { is: "tracked" } as const;
  if ((is === "ended" && code === 0) || /not a git repository/iu.test(stderr)) return { is: "untracked" } as const;
  const unknown = (why: string, hint = "Run `git ls-files` there.") => ({ is: "unknown", why, hint }) as const;
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

/** The repository around a directory, without links, and its git; undefined what is not there. */
export async function gitAround(directory: string, host: Host) {
  const found = repositoryRoot(directory);
  const root = found && (await realpath(found));
  const program = root && (await findProgram("git", host, root));
  if (!program) return { root, git: undefined };
  return { root, git: (...args: readonly string[]) => runGit(program, root, host.env, args) };
}

/** Some file systems take `.Roster` for `.roster`. */
function folded(path: string): string {
  return path.normalize("NFC").toLowerCase();
}

/** The program that PATH names, but none that a change to a checkout could have put there. `root`: a repository, without links. */
export async function findProgram(name: string, host: Host, root?: string): Promise<string | undefined> {
  const checkout = await checkoutAround(host);
  const editable = [...(isSharedWithOthers(host) ? checkout.roots : []), ...(root === undefined ? [] : [root])];
  const around = { ...checkout, roots: editable.filter((directory) => dirname(directory) !== directory) };
  const file = platform === "win32" ? `${name}.exe` : name;
  for (const directory of (host.env["PATH"] ?? "").split(delimiter).filter(isAbsolute)) {
    const path = join(directory, file);
    const isRun = await access(path, constants.X_OK)
      .then(async () => (await stat(path)).isFile())
      .catch(() => false);
    if (!isRun) continue;
    const { isInside, leadsOut } = await placementOf(path, around);
    if (!isInside && !leadsOut) return path;
  }
  return undefined;
}

/** How a program ended. `silent`: not in time, or not before it had said too much. */
export interface ProgramResult {
  readonly is: "ended" | "silent" | "not-run";
  readonly code?: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Bytes; the index of the largest repositories is listed in some ten million. */
const mostOutput = 256 * 1024 * 1024;

/** Milliseconds; the index of the largest repositories is listed in a few seconds. */
const gitTimeout = 30_000;

/** Without variables of git, which would name another repository, and without programs of the repository. Nothing throws. */
function runGit(git: string, root: string, env: Host["env"], args: readonly string[]): Promise<ProgramResult> {
  const others = Object.entries(env).filter(([name]) => !/^GIT_/iu.test(name));
  const options = {
    cwd: root,
    env: { ...Object.fromEntries(others), LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0", GIT_NO_LAZY_FETCH: "1" },
    timeout: gitTimeout,
    killSignal: "SIGKILL",
    maxBuffer: mostOutput,
  } as const;
  return new Promise((resolve) => {
    execFile(git, ["--no-pager", "-c", "core.fsmonitor=false", ...args], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      if (typeof code === "number") resolve({ is: "ended", code, stdout, stderr });
      else resolve({ is: error?.killed === true ? "silent" : "not-run", stdout, stderr });
    });
  });
}

export function lastLine({ stderr }: ProgramResult): string {
  const lines = stderr.split("\n").map((line) => line.trim());
  const last = lines.findLast((line) => line !== "") ?? "it gave no reason";
  return last.slice(0, 200).replace(/\.$/u, "");
}
