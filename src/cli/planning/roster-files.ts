import { lstat, mkdir, readdir, realpath, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, normalize, resolve } from "node:path";
import { claimsToBePlan } from "../../codec/document.ts";
import { type Draft, errorCode, systemErrorCode, writeDraft } from "../../files/file-system.ts";
import { readRegularFile, UnusableFileError, whyUnread } from "../../files/regular-file.ts";
import { type Diagnostic, problem, type Result, success } from "../../model/result.ts";
import { byCodeUnit } from "../../model/role-set.ts";
import type { FileToWrite } from "../../roster/import/files.ts";
import { readYaml } from "../../yaml/read.ts";
import { fileTooLarge, maxFileBytes } from "../../yaml/source-text.ts";
import { type CommandError, invalidInput, invalidSetting } from "../command-error.ts";
import { type Host, isPipeline, readStandardInput } from "../host.ts";
import { checkoutAround, placementOf } from "../trust/checkout.ts";

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

/** Where it is not named otherwise. */
export const acknowledgementsFileName = "roster.acknowledgements.yaml";

/** What stands in directories and is no part of a roster: other files of roster, and what npm installs, examples among it. */
const ignoredNames: readonly string[] = [settingsFileName, acknowledgementsFileName, "node_modules"];

/**
 * Reads every `*.yaml` and `*.yml` file of the given paths, directories recursively, in the order of their paths;
 * without dot names, `node_modules`, symbolic links, the settings file and files of acknowledgements. `-` is standard input. In a pipeline a path that a link in the checkout leads out of it is refused: an error would show lines
 * of whatever file of the machine it names.
 */
export async function readRosterFiles(
  paths: readonly string[],
  host: Host,
): Promise<Result<readonly FoundFile[], CommandError>> {
  const astray = await pathThatLeadsOut(paths, host);
  if (astray !== undefined) return problem(leadsOut(astray));
  const found = new Map<string, string>();
  for (const path of paths.filter((written) => written !== "-")) {
    const files = await filesAt(path, host);
    if (!files.ok) return files;
    for (const file of files.value) found.set(await realpath(resolve(host.cwd, file)), file);
  }
  const sources: FoundFile[] = [];
  if (paths.includes("-"))
    sources.push({ file: "<stdin>", path: "-", bytes: await readStandardInput(host, () => maxFileBytes) });
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
  if (!/^["']?acknowledgements\b/mu.test(new TextDecoder().decode(bytes))) return false;
  const keys = readYaml(file, bytes).tree?.entries.map(({ key }) => key.text) ?? [];
  return keys.includes("acknowledgements") && keys.every((key) => key === "acknowledgements" || key === "version");
}

async function pathThatLeadsOut(paths: readonly string[], host: Host): Promise<string | undefined> {
  if (!isPipeline(host)) return undefined;
  const checkout = await checkoutAround(host);
  for (const path of paths) {
    const standing = path === "-" ? undefined : await placementOf(resolve(host.cwd, path), checkout);
    if (standing?.leadsOut === true) return path;
  }
  return undefined;
}

async function readSource(path: string, file: string): Promise<Result<Uint8Array, CommandError>> {
  try {
    return success(await readRegularFile(path, maxFileBytes));
  } catch (error) {
    const isTooLarge = error instanceof UnusableFileError && error.code === "EFBIG";
    return problem(isTooLarge ? invalidInput([fileTooLarge(file)]) : unreadable(file, error));
  }
}

async function filesAt(path: string, host: Host): Promise<Result<readonly string[], CommandError>> {
  try {
    const kind = await stat(resolve(host.cwd, path));
    if (kind.isDirectory()) return success(await filesUnder(normalize(path), host));
    return kind.isFile() ? success([normalize(path)]) : problem(strangeFile(path));
  } catch (error) {
    return problem(unreadable(path, error));
  }
}

async function filesUnder(directory: string, host: Host): Promise<readonly string[]> {
  const files: string[] = [];
  for (const entry of await readdir(resolve(host.cwd, directory), { withFileTypes: true })) {
    if (entry.name.startsWith(".") || ignoredNames.includes(entry.name)) continue;
    const path = join(directory, entry.name);
    if (entry.isDirectory()) files.push(...(await filesUnder(path, host)));
    else if (entry.isFile() && /\.ya?ml$/u.test(entry.name)) files.push(path);
  }
  return files;
}

function unreadable(path: string, error: unknown): CommandError {
  const why = whyUnread(error);
  const message = why === "ENOENT" ? `${path} does not exist.` : `The roster at ${path} cannot be read: ${why}.`;
  return invalidSetting("unreadable-roster", message, "Name the roster's files or directories, or set `roster:`.");
}

function leadsOut(path: string): CommandError {
  return invalidSetting(
    "untrusted-roster-path",
    `CI is set, and the roster path ${path} is a symbolic link that leads out of the checkout.`,
    "Replace the link with the files, or name its target.",
  );
}

function strangeFile(path: string): CommandError {
  const hint = "Name files and directories; standard input is `-`.";
  return invalidSetting("unreadable-roster", `${path} is neither a regular file nor a directory.`, hint);
}

function nothingFound(paths: readonly string[]): CommandError {
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

/** Writes files that are not there yet, below a directory: all of them, or none. Their paths as a person would write them. */
export async function writeNewFiles(
  directory: string,
  files: readonly FileToWrite[],
  host: Host,
): Promise<Result<readonly string[], CommandError>> {
  const paths = files.map(({ file }) => join(directory, file));
  const there: string[] = [];
  for (const path of paths) if (await isThere(resolve(host.cwd, path))) there.push(path);
  if (there.length > 0) return problem(neverOverwritten(there));
  const written: string[] = [];
  try {
    for (const { file, text } of files) {
      const path = resolve(host.cwd, directory, file);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text, { flag: "wx" });
      written.push(path);
    }
    return success(paths);
  } catch (error) {
    for (const path of written) await rm(path, { force: true });
    return problem(unwritable(error, paths[written.length] ?? directory));
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
}

function neverOverwritten(there: readonly string[]): CommandError {
  const which = there.length === 1 ? `${there[0]} is` : `${there.join(", ")} are`;
  return invalidSetting(
    "file-exists",
    `${which} there already, and roster does not overwrite files. Nothing was written.`,
    "Name another directory, or pass --missing to add only what the roster lacks.",
  );
}

function unwritable(error: unknown, path: string): CommandError {
  const code = systemErrorCode(error);
  if (code === "EEXIST") return neverOverwritten([path]);
  const hint = "Remove what is in the way, or name another directory.";
  return { reason: "failed", problem: { code: "unwritable", message: `${path} cannot be written: ${code}`, hint } };
}

/** Puts new content into files that are there: each holds its old content or its new one, whole, whatever happens. */
export async function replaceFiles(files: readonly SourceFile[], host: Host): Promise<Result<undefined, CommandError>> {
  const drafts: { readonly file: string; readonly draft: Draft }[] = [];
  let at = "";
  try {
    for (const { file, bytes } of files) {
      at = file;
      const path = await realpath(resolve(host.cwd, file));
      drafts.push({ file, draft: await writeDraft(path, [bytes], { permissions: "kept" }) });
    }
    for (const { file, draft } of drafts) {
      at = file;
      await draft.put();
    }
    return success(undefined);
  } catch (error) {
    for (const { draft } of drafts) await draft.discard();
    const message = `${at} cannot be written: ${systemErrorCode(error)}`;
    return problem({ reason: "failed", problem: { code: "unwritable", message } });
  }
}
