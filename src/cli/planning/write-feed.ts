import { mkdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { systemErrorCode } from "../../files/file-system.ts";
import { completeReplacement, ReplacementError, replaceTogether } from "../../files/replace-together.ts";
import { type RosterError, stopError } from "../../library/error.ts";
import type { SourceFile } from "../../library/planning/load-roster.ts";
import { sha256 } from "../../library/system.ts";
import type { Host } from "../host.ts";
import { isThere, neverOverwritten } from "./write-files.ts";

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
    await replaceTogether(contents, { record: await recordAt(paths, host), digest });
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
