import { lstat, mkdir, realpath, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { errorCode, replaceFile, systemErrorCode } from "../../files/file-system.ts";
import { invalidSetting, type RosterError, stopError } from "../../library/error.ts";
import type { FileToWrite } from "../../roster/import/files.ts";
import type { Host } from "../host.ts";
import { refuseLedOut } from "../trust/checkout.ts";

/** Writes files that are not there yet, below a directory: all of them, or none. Their paths as a person would write them. */
export async function writeNewFiles(
  directory: string,
  files: readonly FileToWrite[],
  host: Host,
): Promise<readonly string[]> {
  const paths = files.map(({ file }) => join(directory, file));
  await refuseLedOut(paths, host);
  const there: string[] = [];
  for (const path of paths) if (await isThere(resolve(host.cwd, path))) there.push(path);
  if (there.length > 0) throw neverOverwritten(there);
  const written: string[] = [];
  try {
    for (const { file, text } of files) {
      const path = resolve(host.cwd, directory, file);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text, { flag: "wx" });
      written.push(path);
    }
    return paths;
  } catch (error) {
    for (const path of written) await rm(path, { force: true });
    const path = paths[written.length] ?? directory;
    const code = systemErrorCode(error);
    if (code === "EEXIST") throw neverOverwritten([path]);
    throw notWritten(path, code, "Remove what is in the way, or name another directory.");
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

function notWritten(path: string, why: string, hint?: string): RosterError {
  return stopError("failed", "unwritable", `${path} cannot be written: ${why}`, hint);
}

/**
 * Writes a file: one that is not there yet with the directories above it, or in place of one that is there, which holds its old content or
 * its new one, whole, whatever happens.
 */
export async function writeOver(
  { file, bytes }: { readonly file: string; readonly bytes: Uint8Array },
  host: Host,
  isNew: "new" | "there",
): Promise<void> {
  const path = resolve(host.cwd, file);
  await refuseLedOut([file], host);
  try {
    if (isNew === "there") return await replaceFile(await realpath(path), [bytes], { permissions: "kept" });
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes, { flag: "wx" });
  } catch (error) {
    throw notWritten(file, systemErrorCode(error));
  }
}
