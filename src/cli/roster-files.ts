import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { join, normalize, resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { problem, type Result, success } from "../model/result.ts";
import { byCodeUnit } from "../model/role-set.ts";
import type { Host } from "./host.ts";
import { invalidSetting, type Stop } from "./stop.ts";

/** One roster file as it was found. `file` is the path as a person would write it from here. */
export interface SourceFile {
  readonly file: string;
  readonly bytes: Uint8Array;
}

export const settingsFileName = "roster.config.yaml";

/**
 * Reads every `*.yaml` and `*.yml` file of the given paths, directories recursively, in the order of their paths;
 * without dot names, symbolic links and the settings file. `-` is standard input.
 */
export async function readRosterFiles(
  paths: readonly string[],
  host: Host,
): Promise<Result<readonly SourceFile[], Stop>> {
  const found = new Map<string, string>();
  for (const path of paths.filter((written) => written !== "-")) {
    const files = await filesAt(path, host);
    if (!files.ok) return files;
    for (const file of files.value) found.set(await realpath(resolve(host.cwd, file)), file);
  }
  const sources: SourceFile[] = [];
  if (paths.includes("-")) sources.push({ file: "<stdin>", bytes: await buffer(host.stdin) });
  for (const file of [...found.values()].sort(byCodeUnit)) {
    try {
      sources.push({ file, bytes: await readFile(resolve(host.cwd, file)) });
    } catch (error) {
      return problem(unreadable(file, error));
    }
  }
  return sources.length > 0 ? success(sources) : problem(nothingFound(paths));
}

async function filesAt(path: string, host: Host): Promise<Result<readonly string[], Stop>> {
  try {
    const kind = await stat(resolve(host.cwd, path));
    if (kind.isDirectory()) return success(await filesUnder(normalize(path), host));
    return kind.isFile() || kind.isFIFO() ? success([normalize(path)]) : problem(strangeFile(path));
  } catch (error) {
    return problem(unreadable(path, error));
  }
}

async function filesUnder(directory: string, host: Host): Promise<readonly string[]> {
  const files: string[] = [];
  for (const entry of await readdir(resolve(host.cwd, directory), { withFileTypes: true })) {
    if (entry.name.startsWith(".") || entry.name === settingsFileName) continue;
    const path = join(directory, entry.name);
    if (entry.isDirectory()) files.push(...(await filesUnder(path, host)));
    else if (entry.isFile() && /\.ya?ml$/u.test(entry.name)) files.push(path);
  }
  return files;
}

function unreadable(path: string, error: unknown): Stop {
  const why = error instanceof Error && "code" in error ? String(error.code) : String(error);
  const message =
    why === "ENOENT" ? `There is no file or directory ${path}.` : `The roster at ${path} cannot be read: ${why}.`;
  return invalidSetting("unreadable-roster", message, "Name the roster's files or directories, or set `roster:`.");
}

function strangeFile(path: string): Stop {
  const hint = "Name files and directories; standard input is `-`.";
  return invalidSetting("unreadable-roster", `${path} is neither a file nor a directory.`, hint);
}

function nothingFound(paths: readonly string[]): Stop {
  return invalidSetting(
    "no-roster-files",
    `No roster file (*.yaml, *.yml) was found in ${paths.map((path) => `\`${path}\``).join(", ")}.`,
    "Name another path, or start a roster with `roster init`.",
  );
}
