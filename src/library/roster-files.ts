import { readdir, realpath, stat } from "node:fs/promises";
import { join, normalize, resolve } from "node:path";
import { readRegularFile, UnusableFileError, whyUnread } from "../files/regular-file.ts";
import { byCodeUnit } from "../model/collections.ts";
import { fileTooLarge, maxRosterFileBytes } from "../yaml/source-text.ts";
import { invalidInput, invalidSetting, type RosterError } from "./error.ts";

export interface FoundFile {
  /** The path as a person would write it from here. */
  readonly file: string;
  readonly bytes: Uint8Array;
  /** Where it is behind every link; `-` is standard input. */
  readonly path: string;
}

export const settingsFileName = "roster.config.yaml";

/** Where the targets of a fleet are, if no flag names another file. */
export const fleetFileName = "fleet.yaml";

/** Whether a file is read as a roster by its name, in a directory that is read. Nothing else may be written to such a file. */
export function hasRosterName(path: string): boolean {
  return /\.ya?ml$/iu.test(path);
}

/** Whether reading a directory skips what has this name in it. */
export function isSkipped(name: string): boolean {
  return name.startsWith(".") || [settingsFileName, fleetFileName, "node_modules"].includes(name);
}

/** Every YAML file of the paths, without dot names, `node_modules`, links, settings and fleets. `-` is what `stdin` reads; without it, a path as any other. */
export async function readRosterFiles(
  paths: readonly string[],
  { cwd, stdin }: { readonly cwd: string; readonly stdin?: (maxBytes: number) => Promise<Uint8Array> },
): Promise<readonly FoundFile[]> {
  const found = new Map<string, string>();
  for (const path of paths.filter((written) => written !== "-" || stdin === undefined))
    for (const file of await filesAt(path, cwd)) found.set(await realpath(resolve(cwd, file)), file);
  const sources: FoundFile[] = [];
  if (stdin !== undefined && paths.includes("-"))
    sources.push({ file: "<stdin>", path: "-", bytes: await stdin(maxRosterFileBytes) });
  for (const [path, file] of [...found].sort(([, a], [, b]) => byCodeUnit(a, b))) {
    const bytes = await readRegularFile(path, maxRosterFileBytes).catch((error: unknown) => {
      const isTooLarge = error instanceof UnusableFileError && error.code === "EFBIG";
      throw isTooLarge ? invalidInput([fileTooLarge(file, maxRosterFileBytes)]) : unreadable(file, error);
    });
    sources.push({ file, path, bytes });
  }
  if (sources.length > 0) return sources;
  const message = `No roster file (*.yaml, *.yml) was found in ${paths.map((path) => `\`${path}\``).join(", ")}.`;
  throw invalidSetting("no-roster-files", message, "Name another path, or start a roster with `roster init`.");
}

async function filesAt(path: string, cwd: string): Promise<readonly string[]> {
  try {
    const kind = await stat(resolve(cwd, path));
    if (kind.isFile()) return [normalize(path)];
    if (kind.isDirectory()) return await filesUnder(normalize(path), cwd);
  } catch (error) {
    throw unreadable(path, error);
  }
  const hint = "Name files and directories; standard input is `-`.";
  throw invalidSetting("unreadable-file", `${path} is neither a regular file nor a directory.`, hint);
}

async function filesUnder(directory: string, cwd: string): Promise<readonly string[]> {
  const files: string[] = [];
  for (const entry of await readdir(resolve(cwd, directory), { withFileTypes: true })) {
    if (isSkipped(entry.name)) continue;
    const path = join(directory, entry.name);
    if (entry.isDirectory()) files.push(...(await filesUnder(path, cwd)));
    else if (entry.isFile() && hasRosterName(entry.name)) files.push(path);
  }
  return files;
}

function unreadable(path: string, error: unknown): RosterError {
  const why = whyUnread(error);
  const message = why === "ENOENT" ? `${path} does not exist.` : `The roster at ${path} cannot be read: ${why}.`;
  const first = why === "EACCES" ? "Check the permissions of the file" : "Correct the path";
  return invalidSetting(
    "unreadable-file",
    message,
    `${first}. Or set \`roster:\` in the settings file to the files or directories of the roster.`,
  );
}
