import { errorCode, systemErrorCode } from "../../files/file-system.ts";
import type { Failure } from "../../model/failure.ts";
import { StoreError } from "../lock-holder.ts";

/**
 * Does a step with a file. What the file system refuses becomes a failure that names the path and says what to do; any other error is a
 * defect and is thrown on. `doing` completes the sentence "the log could not be …".
 */
export async function onDisk<T>(doing: string, path: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw error instanceof StoreError ? error : new StoreError(fileFailure(error, doing, path));
  }
}

/** Undefined for what is not there. */
export async function ifThere<T>(step: Promise<T>): Promise<T | undefined> {
  try {
    return await step;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

export function fileFailure(error: unknown, doing: string, path: string): Failure {
  if (error instanceof StoreError) return error.failure;
  const code = systemErrorCode(error);
  const [why, hint] = explanations[code] ?? [`the system reports ${code}`, "check this path"];
  return { code: "state", message: `the log could not be ${doing} at ${path}: ${why}`, request: path, hint };
}

const access = "give this user access to the path, or name another place with --state";
const room = "free some space and run again: earlier records are kept";

const explanations: Readonly<Record<string, readonly [why: string, hint: string] | undefined>> = {
  EACCES: ["this user has no permission", access],
  EPERM: ["this user has no permission", access],
  EROFS: ["the file system is read-only", "name a place on a writable file system with --state"],
  ENOSPC: ["the disk is full", room],
  EDQUOT: ["the disk quota is used up", room],
  EIO: ["the disk fails", "repair the disk and run again: earlier records are kept"],
  EISDIR: ["it is a directory", "name a file in it, such as log.jsonl"],
  ENOTDIR: ["a part of the path is not a directory", "name a path whose directories can be created"],
  EFTYPE: ["it is a pipe, a device or the like", "name a regular file, or remove what is in its place"],
  EEXIST: ["something else is at this path", "move away what is at this path"],
  ENOENT: ["a part of the path is missing", "create the directory, or repair the symbolic link"],
  ELOOP: [
    "its symbolic links form a loop, or a file of roster is a symbolic link",
    "replace the symbolic link with a file",
  ],
  ENAMETOOLONG: ["the path is too long", "name a shorter path with --state"],
};
