import { realpath } from "node:fs/promises";
import { problem, type Result, success } from "../../model/result.ts";
import { authorInPipeline } from "../audit/run-context.ts";
import { type CommandError, invalidSetting } from "../command-error.ts";
import type { Host } from "../host.ts";
import { repositoryRoot } from "../trust/checkout.ts";
import { findProgram, gitEnvironment, lastLine, type ProgramResult, runProgram } from "../trust/programs.ts";
import { type Author, readAuthor } from "./count-approvals.ts";

/**
 * Who wrote the change: the author that the pipeline names, the authors of the commit that is checked out, and those of all
 * that it merges. Nobody where there is no commit.
 */
export async function commitAuthors(host: Host): Promise<Result<readonly Author[], CommandError>> {
  const named = authorInPipeline(host.env);
  const found = await authorsInGit(host);
  return found.ok ? success([...(named === undefined ? [] : [named]), ...found.value]) : found;
}

async function authorsInGit(host: Host): Promise<Result<readonly Author[], CommandError>> {
  const found = repositoryRoot(host.cwd);
  if (found === undefined) return success([]);
  const root = await realpath(found);
  const program = await findProgram("git", host, root);
  if (program === undefined) return problem(unknownAuthor("the program git is not installed", "Install git."));
  const git = (...args: readonly string[]) => runGit(program, args, root, host);
  const head = await git("cat-file", "commit", "HEAD");
  if (head.code !== 0) return withoutCommit(head, root);
  const [headers = "", ...message] = head.stdout.split("\n\n");
  const written = /^author (.*) \d+ [+-]\d{4}$/mu.exec(headers)?.[1];
  if (written === undefined)
    return problem(
      unknownAuthor("the commit has a damaged author line", "Run `git fsck`, and `git cat-file commit HEAD`."),
    );
  const authors = [written, ...coAuthors(message.join("\n\n"))].map(readAuthor);
  if ((headers.match(/^parent /gmu) ?? []).length < 2) return success(authors);
  const merged = await git("log", "--no-show-signature", `--format=%an <%ae>%n${coAuthorTrailers}`, "HEAD^1..HEAD");
  return merged.code === 0
    ? success([
        ...authors,
        ...merged.stdout
          .split("\n")
          .filter((line) => line !== "")
          .map(readAuthor),
      ])
    : problem(
        unknownAuthor(
          "the commits that it merges cannot be listed",
          "Fetch the whole history: `git fetch --unshallow`.",
        ),
      );
}

/** A squashed commit names the others who wrote it in its message. */
function coAuthors(message: string): readonly string[] {
  return [...message.matchAll(/^co-authored-by:[ \t]*(.+?)\s*$/gimu)].map(([, name = ""]) => name);
}

const coAuthorTrailers = "%(trailers:key=Co-authored-by,valueonly,unfold)";

/** Milliseconds. */
const patience = 30_000;

function runGit(program: string, args: readonly string[], cwd: string, { env }: Host): Promise<ProgramResult> {
  const usual = ["--no-pager", "-c", "core.fsmonitor=false"];
  // A replaced commit would say that somebody else wrote it.
  const clean = { ...gitEnvironment(env), GIT_NO_REPLACE_OBJECTS: "1" };
  return runProgram(program, { args: [...usual, ...args], cwd, env: clean, patience });
}

/** A repository may have no commit yet. */
function withoutCommit(ended: ProgramResult, root: string): Result<readonly Author[], CommandError> {
  if (/not a valid object name|not a git repository/iu.test(ended.stderr)) return success([]);
  const isForeign = /safe\.directory/iu.test(ended.stderr);
  const hint = isForeign
    ? `If its owner is trusted, run \`git config --global --add safe.directory ${root}\`.`
    : "Run `git log` there.";
  const why = isForeign ? "git refuses to read the repository, which belongs to another user" : lastLine(ended);
  return problem(unknownAuthor(why, hint));
}

function unknownAuthor(why: string, hint: string): CommandError {
  return invalidSetting("unknown-author", `The author of the commit is unknown: ${why}.`, hint);
}
