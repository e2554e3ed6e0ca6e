import { existsSync } from "node:fs";
import { readlink, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from "node:path";
import { invalidSetting } from "../../library/error.ts";
import { type Host, isPipeline } from "../host.ts";
import { variable } from "../settings/environment.ts";

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

export function nearestFile(name: string, from: string): string | undefined {
  const root = repositoryRoot(from) ?? from;
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

interface PathPlacement {
  /** The file that the path leads to; it need not be there. */
  readonly path: string;
  readonly isInside: boolean;
  /** The path, or a link on its way, lies in the checkout or in another repository: a change there can put another file in its place. */
  readonly isEditable: boolean;
  /** It goes through the checkout, and ends elsewhere. */
  readonly leadsOut: boolean;
}

export async function placementOf(path: string, { roots }: Checkout): Promise<PathPlacement> {
  const met = await followLinks(path);
  const end = met.at(-1) ?? path;
  const isIn = (place: string) => roots.some((root) => isInside(place, root));
  const comesIn = met.some(isIn);
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
