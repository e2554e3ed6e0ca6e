import { readdir, realpath, stat } from "node:fs/promises";
import { join, normalize, resolve } from "node:path";
import { claimsToBePlan } from "../../codec/document.ts";
import { readRegularFile, UnusableFileError, whyUnread } from "../../files/regular-file.ts";
import { type Diagnostic, problem, type Result, success } from "../../model/result.ts";
import { byCodeUnit } from "../../model/role-set.ts";
import { readYaml } from "../../yaml/read.ts";
import { fileTooLarge, maxFileBytes, maxRosterFileBytes } from "../../yaml/source-text.ts";
import { invalidInput, invalidSetting, type RosterError } from "../error.ts";

/** One roster file as it was found. `file` is the path as a person would write it from here. */
export interface SourceFile {
  readonly file: string;
  readonly bytes: Uint8Array;
}

/** A roster file, and where it is behind every link; `-` is standard input. */
export interface FoundFile extends SourceFile {
  readonly path: string;
}

export const settingsFileName = "roster.config.yaml";

/** Where the targets of a fleet are, if no flag names another file. */
export const fleetFileName = "fleet.yaml";

/** Where it is not named otherwise. */
export const acknowledgementsFileName = "roster.acknowledgements.yaml";

/** What stands in directories and is no part of a roster: other files of roster, and what npm installs, examples among it. */
const ignoredNames: readonly string[] = [settingsFileName, fleetFileName, acknowledgementsFileName, "node_modules"];

/** Where paths of a roster start. */
export interface RosterPlace {
  /** An absolute directory. */
  readonly cwd: string;
  /** Reads what `-` stands for, and stops behind so many bytes. Absent: `-` is a path as any other. */
  readonly stdin?: (maxBytes: number) => Promise<Uint8Array>;
}

/**
 * Reads every `*.yaml` and `*.yml` file of the given paths, directories recursively, in the order of their paths;
 * without dot names, `node_modules`, symbolic links, the settings file, a fleet and files of acknowledgements. `-` is what `stdin` reads.
 */
export async function readRosterFiles(
  paths: readonly string[],
  { cwd, stdin }: RosterPlace,
): Promise<Result<readonly FoundFile[], RosterError>> {
  const found = new Map<string, string>();
  for (const path of paths.filter((written) => written !== "-" || stdin === undefined)) {
    const files = await filesAt(path, cwd);
    if (!files.ok) return files;
    for (const file of files.value) found.set(await realpath(resolve(cwd, file)), file);
  }
  const sources: FoundFile[] = [];
  if (stdin !== undefined && paths.includes("-"))
    sources.push({ file: "<stdin>", path: "-", bytes: await stdin(maxRosterFileBytes) });
  for (const [path, file] of [...found].sort(([, a], [, b]) => byCodeUnit(a, b))) {
    const bytes = await readSource(path, file);
    if (!bytes.ok) return bytes;
    if (isAcknowledgementsOnly(file, bytes.value)) continue;
    sources.push({ file, path, bytes: bytes.value });
  }
  return sources.length > 0 ? success(sources) : problem(nothingFound(paths));
}

/** What `roster drift acknowledge --file FILE` writes. A file that also has a section of a roster is read as a roster file. */
function isAcknowledgementsOnly(file: string, bytes: Uint8Array): boolean {
  if (
    bytes.length > maxFileBytes ||
    !Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes("acknowledgements")
  )
    return false;
  if (!/^["']?acknowledgements\b/mu.test(new TextDecoder().decode(bytes))) return false;
  const keys = readYaml(file, bytes).tree?.entries.map(({ key }) => key.text) ?? [];
  return keys.includes("acknowledgements") && keys.every((key) => key === "acknowledgements" || key === "version");
}

async function readSource(path: string, file: string): Promise<Result<Uint8Array, RosterError>> {
  try {
    return success(await readRegularFile(path, maxRosterFileBytes));
  } catch (error) {
    const isTooLarge = error instanceof UnusableFileError && error.code === "EFBIG";
    return problem(isTooLarge ? invalidInput([fileTooLarge(file, maxRosterFileBytes)]) : unreadable(file, error));
  }
}

async function filesAt(path: string, cwd: string): Promise<Result<readonly string[], RosterError>> {
  try {
    const kind = await stat(resolve(cwd, path));
    if (kind.isDirectory()) return success(await filesUnder(normalize(path), cwd));
    return kind.isFile() ? success([normalize(path)]) : problem(strangeFile(path));
  } catch (error) {
    return problem(unreadable(path, error));
  }
}

async function filesUnder(directory: string, cwd: string): Promise<readonly string[]> {
  const files: string[] = [];
  for (const entry of await readdir(resolve(cwd, directory), { withFileTypes: true })) {
    if (entry.name.startsWith(".") || ignoredNames.includes(entry.name)) continue;
    const path = join(directory, entry.name);
    if (entry.isDirectory()) files.push(...(await filesUnder(path, cwd)));
    else if (entry.isFile() && /\.ya?ml$/u.test(entry.name)) files.push(path);
  }
  return files;
}

function unreadable(path: string, error: unknown): RosterError {
  const why = whyUnread(error);
  const message = why === "ENOENT" ? `${path} does not exist.` : `The roster at ${path} cannot be read: ${why}.`;
  return invalidSetting("unreadable-roster", message, "Name the roster's files or directories, or set `roster:`.");
}

function strangeFile(path: string): RosterError {
  const hint = "Name files and directories; standard input is `-`.";
  return invalidSetting("unreadable-roster", `${path} is neither a regular file nor a directory.`, hint);
}

function nothingFound(paths: readonly string[]): RosterError {
  return invalidSetting(
    "no-roster-files",
    `No roster file (*.yaml, *.yml) was found in ${paths.map((path) => `\`${path}\``).join(", ")}.`,
    "Name another path, or start a roster with `roster init`.",
  );
}

/** What to say of a plan that stands where a roster file should; nothing of what is none. */
export function reportPlanInRoster({ file, bytes }: SourceFile): readonly Diagnostic[] {
  if (!claimsToBePlan(beginningOf(bytes))) return [];
  return [
    {
      code: "plan-as-roster",
      severity: "error",
      message: "This file is a plan, not a roster.",
      hint: "`roster show FILE` shows a plan. `roster apply FILE` applies one from `roster plan --out FILE`, if its name is not that of a roster file.",
      place: { file, line: 1, column: 1 },
    },
  ];
}

const detectionLength = 4096;

/** As much of a file as tells what it is. */
export function beginningOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(0, detectionLength));
}
