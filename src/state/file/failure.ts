import { systemErrorCode } from "../../files/file-system.ts";
import { type Failure, problem, type Result, success } from "../../model/result.ts";

/**
 * Runs a step on a file. What the file system refuses becomes a failure that names the path and says what to do;
 * anything else is a defect and is thrown on.
 */
export async function attempt<T>(doing: string, path: string, step: () => Promise<T>): Promise<Result<T, Failure>> {
  try {
    return success(await step());
  } catch (error) {
    return problem(fileFailure(error, doing, path));
  }
}

/** `doing` completes the sentence "the state could not be …". */
export function fileFailure(error: unknown, doing: string, path: string): Failure {
  const code = systemErrorCode(error);
  const [why, hint] = explanations[code] ?? [`the system says ${code}`, "look into what the system says of this path"];
  return { code: "state", message: `the state could not be ${doing} at ${path}: ${why}`, request: path, hint };
}

const access = "give this user access to the path, or name another state with --state";
const room = "make room and run again: what was recorded before is kept";

const explanations: Readonly<Record<string, readonly [why: string, hint: string] | undefined>> = {
  EACCES: ["this user may not", access],
  EPERM: ["this user may not", access],
  EROFS: ["the file system is read-only", "name a state on a file system that can be written with --state"],
  ENOSPC: ["the disk is full", room],
  EDQUOT: ["the disk quota is used up", room],
  EIO: [
    "the disk fails",
    "look into what the system says of this disk, and run again once it works: what was recorded before is kept",
  ],
  EISDIR: ["it is a directory", "name a file in it, such as state.json"],
  ENOTDIR: ["a part of the path is not a directory", "name a path whose directories can be made"],
  EFTYPE: ["it is a pipe, a device or the like", "name a regular file, or remove what is in its place"],
  EFBIG: [
    "it is larger than any state that roster writes",
    "look into the file, and restore it from a copy if it was damaged",
  ],
  EEXIST: ["something else is in the way there", "move away what is at this path"],
  ENOENT: ["a part of the path is missing", "make the directory, or mend the symbolic link that leads there"],
  ELOOP: [
    "its symbolic links lead in a circle, or a file that roster keeps is one",
    "replace the symbolic link by a file",
  ],
  ENAMETOOLONG: ["the path is too long", "name a shorter path with --state"],
};
