import { dirname } from "node:path";
import type { Failure } from "../model/failure.ts";
import { problem, type Result, success } from "../model/result.ts";
import { attempt } from "./file-failure.ts";
import type { FileSystem } from "./file-system.ts";
import { ifThere } from "./lock-look.ts";

/** The files of one state. All are in one directory, so that one can take the place of another in one step. */
export interface StateFiles {
  readonly directory: string;
  readonly state: string;
  readonly journal: string;
  /** A directory, there while somebody holds it. */
  readonly lock: string;
  /** How often the lock was taken so far. */
  readonly fence: string;
}

/**
 * The files of the state at a path. A symbolic link is followed once, here, so that every path to a state leads to
 * the same lock and the link itself is never replaced by a file.
 */
export async function stateFiles(disk: FileSystem, path: string): Promise<Result<StateFiles, Failure>> {
  const found = await attempt("found", path, () => ifThere(disk.look(path)));
  if (!found.ok) return found;
  switch (found.value?.kind) {
    case undefined:
    case "file":
      return success(filesAt(path));
    case "directory":
      return notAFile(path, "is a directory", "name a file in it, such as state.json");
    case "other":
      return notAFile(path, "is not a file", "name a file");
    case "link": {
      const real = await attempt("found", path, () => disk.resolve(path));
      return real.ok ? stateFiles(disk, real.value) : real;
    }
  }
}

function filesAt(path: string): StateFiles {
  return {
    directory: dirname(path),
    state: path,
    journal: `${path}.journal`,
    lock: `${path}.lock`,
    fence: `${path}.fence`,
  };
}

function notAFile(path: string, what: string, hint: string): Result<never, Failure> {
  return problem({ code: "state", message: `the state cannot be kept at ${path}: it ${what}`, request: path, hint });
}
