import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import type { Target } from "../../fleet/expand-fleet.ts";
import { invalidSetting, type RosterError } from "../../library/error.ts";
import { settingsFileName } from "../../library/planning/roster-files.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { Host } from "../host.ts";
import { pathBelow, repositoryRoot } from "../trust/checkout.ts";
import { findProgram, gitEnvironment, lastLine, type ProgramResult, runProgram } from "../trust/programs.ts";
import { type Fleet, fromFleet } from "./read-fleet.ts";

/** The targets of which a roster file has changed since a commit; all of them where the fleet file or the settings have. */
export async function changedTargets(
  since: string,
  fleet: Fleet,
  host: Host,
): Promise<Result<readonly Target[], RosterError>> {
  const found = repositoryRoot(host.cwd);
  if (found === undefined) return problem(notComparable(since, "this is no git repository"));
  const root = await realpath(found);
  const changed = await changedPaths(since, root, host);
  if (!changed.ok) return changed;
  const inRepository = async (path: string) => {
    const whole = resolve(host.cwd, path);
    return pathBelow(root, await realpath(whole).catch(() => whole));
  };
  const fleetPath = await inRepository(fleet.path);
  if (changed.value.some((path) => path === fleetPath || path.split("/").at(-1) === settingsFileName))
    return success(fleet.targets);
  const touched: Target[] = [];
  for (const target of fleet.targets) {
    const paths = await Promise.all(target.roster.map((path) => inRepository(fromFleet(fleet, path))));
    const isBelow = (path: string) =>
      paths.some(
        (roster) => roster === "" || path === roster || (roster !== undefined && path.startsWith(`${roster}/`)),
      );
    if (changed.value.some(isBelow)) touched.push(target);
  }
  return success(touched);
}

/** Names alone, from where the branch began; a deleted file counts. */
async function changedPaths(since: string, root: string, host: Host): Promise<Result<readonly string[], RosterError>> {
  const git = await findProgram("git", host, root);
  if (git === undefined) return problem(notComparable(since, "git was not found"));
  const run = (...args: readonly string[]) =>
    runProgram(git, {
      args: ["--no-pager", "-c", "core.fsmonitor=false", ...args],
      cwd: root,
      env: gitEnvironment(host.env),
      patience: 30_000,
    });
  const commit = await run("rev-parse", "--verify", "--quiet", "--end-of-options", `${since}^{commit}`);
  if (commit.code !== 0) return problem(notComparable(since, "git knows no such commit"));
  const names = await run(
    "diff",
    "--name-only",
    "-z",
    "--no-renames",
    "--no-ext-diff",
    `${commit.stdout.trim()}...HEAD`,
    "--",
  );
  if (names.code !== 0) return problem(notComparable(since, gitWords(names)));
  return success(names.stdout.split("\0").filter((path) => path !== ""));
}

function gitWords(said: ProgramResult): string {
  return `git: ${lastLine(said)}`;
}

function notComparable(since: string, why: string): RosterError {
  return invalidSetting(
    "unknown-commit",
    `--changed-since ${since} cannot be compared with this commit: ${why}.`,
    "Fetch the commit and the history back to it, such as with `fetch-depth: 0`.",
  );
}
