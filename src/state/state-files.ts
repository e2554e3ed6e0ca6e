import { lstat, realpath } from "node:fs/promises";
import { dirname } from "node:path";
import type { Failure } from "../model/failure.ts";
import { problem, type Result, success } from "../model/result.ts";
import { attempt, errorCode } from "./file-failure.ts";

/** The files of one state. All are in one directory, so that one can take the place of another in one step. */
export interface StateFiles {
  readonly directory: string;
  readonly state: string;
  /** The next version of the state while it is written. */
  readonly next: string;
  readonly journal: string;
  readonly lock: string;
}

/**
 * The files of the state at a path. A symbolic link is followed once, here, so that every path to a state leads to
 * the same lock and the link itself is never replaced by a file.
 */
export async function stateFiles(path: string): Promise<Result<StateFiles, Failure>> {
  const found = await attempt("found", path, () => lstatIfThere(path));
  if (!found.ok) return found;
  if (found.value === undefined || found.value.isFile()) return success(filesAt(path));
  if (found.value.isDirectory()) return notAFile(path, "is a directory", "name a file in it, such as state.json");
  if (!found.value.isSymbolicLink()) return notAFile(path, "is not a file", "name a file");
  const real = await attempt("found", path, () => realpath(path));
  return real.ok ? stateFiles(real.value) : real;
}

async function lstatIfThere(path: string) {
  try {
    return await lstat(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function filesAt(path: string): StateFiles {
  return {
    directory: dirname(path),
    state: path,
    next: `${path}.next`,
    journal: `${path}.journal`,
    lock: `${path}.lock`,
  };
}

function notAFile(path: string, what: string, hint: string): Result<never, Failure> {
  return problem({ code: "state", message: `the state cannot be kept at ${path}: it ${what}`, request: path, hint });
}
