import { randomUUID } from "node:crypto";
import { chmod, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { problem, type Result, success } from "../model/result.ts";
import type { Host } from "./host.ts";
import type { SourceFile } from "./planning/roster-files.ts";
import type { CommandError } from "./stop.ts";

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
