import { randomUUID } from "node:crypto";
import { chmod, lstat, mkdir, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { problem, type Result, success } from "../../model/result.ts";
import type { FileToWrite } from "../../roster/import/files.ts";
import { type CommandError, invalidSetting } from "../command-error.ts";
import type { Host } from "../host.ts";
import type { SourceFile } from "../planning/roster-files.ts";

/** Writes files that are not there yet, below a directory: all of them, or none. Their paths as a person would write them. */
export async function writeNewFiles(
  directory: string,
  files: readonly FileToWrite[],
  host: Host,
): Promise<Result<readonly string[], CommandError>> {
  const paths = files.map(({ file }) => join(directory, file));
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
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

function neverOverwritten(there: readonly string[]): CommandError {
  const which = there.length === 1 ? `${there[0]} is` : `${there.join(", ")} are`;
  return invalidSetting(
    "file-is-there",
    `${which} there already, and nothing is ever overwritten. Nothing was written.`,
    "Name another directory, or pass --missing to add only what the roster lacks.",
  );
}

function unwritable(error: unknown, path: string): CommandError {
  const code = codeOf(error);
  if (code === undefined) throw error;
  if (code === "EEXIST") return neverOverwritten([path]);
  const hint = "Mend what stands in the way, or name another directory.";
  return { reason: "failed", problem: { code: "unwritable", message: `${path} cannot be written: ${code}`, hint } };
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

interface Replacement {
  readonly file: string;
  readonly path: string;
  readonly next: string;
}

/** Puts new content into files that are there: each holds its old content or its new one, whole, whatever happens. */
export async function replaceFiles(files: readonly SourceFile[], host: Host): Promise<Result<undefined, CommandError>> {
  const begun: Replacement[] = [];
  let at = "";
  try {
    for (const { file, bytes } of files) {
      at = file;
      const path = await realpath(resolve(host.cwd, file));
      const next = `${path}.${randomUUID()}`;
      begun.push({ file, path, next });
      await writeFile(next, bytes, { flag: "wx" });
      await chmod(next, (await stat(path)).mode);
    }
    for (const { file, path, next } of begun) {
      at = file;
      await rename(next, path);
    }
    return success(undefined);
  } catch (error) {
    for (const { next } of begun) await rm(next, { force: true });
    if (!(error instanceof Error && "code" in error)) throw error;
    const message = `${at} cannot be written: ${String(error.code)}`;
    return problem({ reason: "failed", problem: { code: "unwritable", message } });
  }
}
