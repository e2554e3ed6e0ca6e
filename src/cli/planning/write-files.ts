import { lstat, mkdir, realpath, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { errorCode, replaceFile, systemErrorCode } from "../../files/file-system.ts";
import { invalidSetting, type RosterError, stopError } from "../../library/error.ts";
import type { SourceFile } from "../../library/planning/load-roster.ts";
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
    "Name another directory.",
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
  for (const { file, bytes } of files) {
    try {
      await replaceFile(await realpath(resolve(host.cwd, file)), [bytes], { permissions: "kept" });
    } catch (error) {
      return problem(notWritten(file, systemErrorCode(error)));
    }
  }
  return success(undefined);
}
