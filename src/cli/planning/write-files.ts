import { lstat, mkdir, realpath, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { type Draft, errorCode, systemErrorCode, writeDraft } from "../../files/file-system.ts";
import { completeReplacement, ReplacementError, replaceTogether } from "../../files/replace-together.ts";
import { invalidSetting, type RosterError, stopError } from "../../library/error.ts";
import type { SourceFile } from "../../library/planning/load-roster.ts";
import { sha256 } from "../../library/system.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { FileToWrite } from "../../roster/import/files.ts";
import type { Host } from "../host.ts";
import { refuseLedOut } from "../trust/checkout.ts";

/** Writes files that are not there yet, below a directory: all of them, or none. Their paths as a person would write them. */
export async function writeNewFiles(
  directory: string,
  files: readonly FileToWrite[],
  host: Host,
): Promise<Result<readonly string[], RosterError>> {
  const paths = files.map(({ file }) => join(directory, file));
  const led = await refuseLedOut(paths, host);
  if (led !== undefined) return problem(led);
  const there: string[] = [];
  for (const path of paths) if (await isThere(resolve(host.cwd, path))) there.push(path);
  if (there.length > 0) return problem(neverOverwritten(there));
  const written: string[] = [];
  try {
    for (const { file, text } of files) {
      const path = resolve(host.cwd, directory, file);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text, { flag: "wx" });
      written.push(path);
    }
    return success(paths);
  } catch (error) {
    for (const path of written) await rm(path, { force: true });
    return problem(unwritable(error, paths[written.length] ?? directory));
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
}

function neverOverwritten(there: readonly string[]): RosterError {
  const which = there.length === 1 ? `${there[0]} is` : `${there.join(", ")} are`;
  return invalidSetting(
    "file-exists",
    `${which} there already, and roster does not overwrite files. Nothing was written.`,
    "Name another directory, or pass --missing to add only what the roster lacks.",
  );
}

function unwritable(error: unknown, path: string): RosterError {
  const code = systemErrorCode(error);
  if (code === "EEXIST") return neverOverwritten([path]);
  const hint = "Remove what is in the way, or name another directory.";
  return notWritten(path, code, hint);
}

function notWritten(path: string, why: string, hint?: string): RosterError {
  return stopError("failed", "unwritable", `${path} cannot be written: ${why}`, hint);
}

/** Writes a file that is not there yet, with the directories above it. */
export async function createFile({ file, bytes }: SourceFile, host: Host): Promise<Result<undefined, RosterError>> {
  const path = resolve(host.cwd, file);
  const led = await refuseLedOut([file], host);
  if (led !== undefined) return problem(led);
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes, { flag: "wx" });
    return success(undefined);
  } catch (error) {
    return problem(notWritten(file, systemErrorCode(error)));
  }
}

/** Puts new content into files that are there: each holds its old content or its new one, whole, whatever happens. */
export async function replaceFiles(files: readonly SourceFile[], host: Host): Promise<Result<undefined, RosterError>> {
  const led = await refuseLedOut(
    files.map(({ file }) => file),
    host,
  );
  if (led !== undefined) return problem(led);
  const drafts: { readonly file: string; readonly draft: Draft }[] = [];
  let at = "";
  try {
    for (const { file, bytes } of files) {
      at = file;
      const path = await realpath(resolve(host.cwd, file));
      drafts.push({ file, draft: await writeDraft(path, [bytes], { permissions: "kept" }) });
    }
    for (const { file, draft } of drafts) {
      at = file;
      await draft.put();
    }
    return success(undefined);
  } catch (error) {
    for (const { draft } of drafts) await draft.discard();
    return problem(notWritten(at, systemErrorCode(error)));
  }
}

/** In the roster's first directory, until all files of an import are in place. Its name begins with a dot: no roster file. */
const recordName = ".roster-import.json";

/** What the files of an import become, in the order in which they take their places. */
interface FeedFiles {
  readonly created: readonly SourceFile[];
  readonly replaced: readonly SourceFile[];
}

/** Writes the files of an import: all of them, or none. People move between files: those that gain entries come first. */
export async function writeFeed(
  { created, replaced }: FeedFiles,
  paths: readonly string[],
  host: Host,
): Promise<RosterError | undefined> {
  const record = await recordAt(paths, host);
  const led = await refuseLedOut([record, ...[...created, ...replaced].map(({ file }) => file)], host);
  if (led !== undefined) return led;
  let at = "";
  try {
    const contents: { readonly path: string; readonly bytes: Uint8Array }[] = [];
    for (const { file, bytes } of created) {
      at = file;
      const path = resolve(host.cwd, file);
      if (await isThere(path)) return neverOverwritten([file]);
      await mkdir(dirname(path), { recursive: true });
      contents.push({ path: join(await realpath(dirname(path)), basename(path)), bytes });
    }
    for (const { file, bytes } of replaced) {
      at = file;
      contents.push({ path: await realpath(resolve(host.cwd, file)), bytes });
    }
    await replaceTogether(contents, { record, digest });
    return undefined;
  } catch (error) {
    return unwritten(error, at);
  }
}

/** Completes an import that was interrupted. A check changes nothing, and cannot go by files of which some are changed. */
export async function completeFeed(
  paths: readonly string[],
  host: Host,
  mode: "complete" | "check",
): Promise<RosterError | undefined> {
  let record = recordName;
  try {
    record = await recordAt(paths, host);
    if (mode === "check")
      return (await isThere(record)) ? unfinished("An earlier import was interrupted.", rerun) : undefined;
    const completion = await completeReplacement({ record, digest });
    const byHand = `Restore the roster files from version control, remove ${record}, and run it again.`;
    if (completion.is === "unreadable") return unfinished(`${record} is not a record of an import.`, byHand);
    if (completion.is !== "changed") return undefined;
    return unfinished(`An earlier import was interrupted, and ${completion.path} was changed after it.`, byHand);
  } catch (error) {
    return unwritten(error, record);
  }
}

async function recordAt([first = "."]: readonly string[], { cwd }: Host): Promise<string> {
  const path = resolve(cwd, first);
  const isDirectory = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return join(isDirectory ? path : dirname(path), recordName);
}

function digest(bytes: Uint8Array): string {
  return sha256(Buffer.from(bytes).toString("latin1"));
}

const rerun = "Run the same command without --check to complete it.";

function unfinished(message: string, hint: string): RosterError {
  return stopError("refused", "feed-unfinished", `${message} Nothing was written.`, hint);
}

function unwritten(error: unknown, at: string): RosterError {
  const [path, cause] = error instanceof ReplacementError ? [error.path, error.cause] : [at, error];
  const isPartial = error instanceof ReplacementError && error.changed === "some";
  const problem = { code: "unwritable", message: `${path} cannot be written: ${systemErrorCode(cause)}` };
  const hint = "Some files are changed. Repair this path, and run the same command again to complete it.";
  return { reason: "failed", problem: isPartial ? { ...problem, hint } : problem };
}
