import { recordBeginning } from "../../codec/audit.ts";
import { type AppendFile, openToAppend, readLastLine, readLines } from "../../files/append-file.ts";
import { localFiles, systemErrorCode } from "../../files/file-system.ts";
import { UnusableFileError } from "../../files/regular-file.ts";
import { type Failure, problem, type Result, success } from "../../model/result.ts";
import type { AuditTrail } from "../../ports/audit-trail.ts";
import { auditFailure, whyNotBehind } from "../audit-failure.ts";

/** Keeps an audit trail in a file of JSON lines. */
export function fileAuditTrail(path: string, disk = localFiles): AuditTrail {
  let opened: AppendFile | undefined;
  return {
    address: `file:${path}`,
    last: () => attempt("read", path, () => readLastLine(disk, path, recordBeginning)),
    async append(lines, after) {
      const file = await attempt(
        "written",
        path,
        async () => opened ?? (await openToAppend(disk, path, recordBeginning)),
      );
      if (!file.ok) return file;
      opened = file.value;
      const stop = whyNotBehind(opened.last(), after, path);
      return stop === undefined ? attempt("written", path, () => file.value.append(lines)) : problem(stop);
    },
    read: () => attempt("read", path, () => readLines(disk, path)),
    close: async () => opened?.close(),
  };
}

async function attempt<T>(doing: "read" | "written", at: string, step: () => Promise<T>): Promise<Result<T, Failure>> {
  try {
    return success(await step());
  } catch (error) {
    const why = error instanceof UnusableFileError ? error.message : reasons[systemErrorCode(error)];
    return problem(auditFailure({ at, doing, why: why ?? systemErrorCode(error), hint: "repair this path" }));
  }
}

const reasons: Readonly<Record<string, string | undefined>> = {
  EACCES: "this user has no permission",
  EPERM: "this user has no permission",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EISDIR: "it is a directory",
  ENOTDIR: "a part of the path is not a directory",
};
