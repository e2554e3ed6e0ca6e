import { lstat, mkdir, realpath, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type Draft, errorCode, systemErrorCode, writeDraft } from "../../files/file-system.ts";
import { invalidSetting, type RosterError, stopError } from "../../library/error.ts";
import {
  type FoundFile,
  type LoadedRoster,
  loadSources,
  type RosterOptions,
  readRosterFiles,
  type SourceFile,
} from "../../library/planning/load-roster.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { isoDate } from "../../ports/clock.ts";
import type { CommandOutcome } from "../../report/outcome.ts";
import type { FileToWrite } from "../../roster/import/files.ts";
import type { YamlReader } from "../../yaml/read.ts";
import { type Host, isPipeline, readStandardInput } from "../host.ts";
import { variable } from "../settings/environment.ts";
import type { Settings } from "../settings/settings.ts";
import { checkoutAround, pathBelow, placementOf } from "../trust/checkout.ts";

/** The roster at the paths, or where the settings say. `not-asked`: no plan follows, which would know who is new. */
export async function loadRoster(
  paths: readonly string[],
  settings: Settings,
  host: Host,
  service: "asked" | "not-asked" = "asked",
): Promise<Result<LoadedRoster, RosterError>> {
  const sources = await findRosterFiles(paths.length > 0 ? paths : settings.roster, host);
  if (!sources.ok) return sources;
  const options = rosterOptions(settings, host);
  const newUsers = { singleLabelDomains: settings.singleLabelDomains ? "allowed" : "refused" } as const;
  return loadSources(sources.value, service === "asked" ? options : { ...options, newUsers });
}

/** How the settings want a roster read. */
export function rosterOptions(settings: Settings, host: Host): RosterOptions {
  const { sections, ...rest } = settings;
  const today = isoDate(host.clock);
  const reader = yamlReader(host);
  if (sections === undefined) return { ...rest, today, reader };
  const { rules, directory } = sections;
  return { ...rest, today, reader, sections: { rules, pathOf: (path) => pathBelow(directory, path) } };
}

/** @internal */
export function yamlReader(host: Host): YamlReader {
  return variable(host, "ROSTER_YAML") === undefined ? "regular-first" : "library";
}

/** What a command says of the roster that it read. */
export function rosterSummary({
  counts,
  warnings,
}: LoadedRoster): Required<Pick<CommandOutcome, "roster" | "diagnostics">> {
  return { roster: counts, diagnostics: warnings };
}

/**
 * Reads the files of a roster. In a pipeline a path that a link in the checkout leads out of it is refused: an error would
 * show lines of whatever file of the machine it names.
 */
export async function findRosterFiles(
  paths: readonly string[],
  host: Host,
): Promise<Result<readonly FoundFile[], RosterError>> {
  const astray = await pathThatLeadsOut(paths, host);
  if (astray !== undefined) return problem(leadsOut(astray));
  const { cwd } = host;
  return readRosterFiles(paths, { cwd, stdin: (maxBytes) => readStandardInput(host.stdin(), () => maxBytes) });
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

function leadsOut(path: string): RosterError {
  return invalidSetting(
    "untrusted-roster-path",
    `CI is set, and the roster path ${path} is a symbolic link that leads out of the checkout.`,
    "Replace the link with the files, or name its target.",
  );
}

/** Writes files that are not there yet, below a directory: all of them, or none. Their paths as a person would write them. */
export async function writeNewFiles(
  directory: string,
  files: readonly FileToWrite[],
  host: Host,
): Promise<Result<readonly string[], RosterError>> {
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

export async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
}

export function neverOverwritten(there: readonly string[]): RosterError {
  const which = there.length === 1 ? `${there[0]} is` : `${there.join(", ")} are`;
  return invalidSetting(
    "file-exists",
    `${which} there already, and roster does not overwrite files. Nothing was written.`,
    "Name another directory, or pass --missing to add only what the roster lacks.",
  );
}

function unwritable(error: unknown, path: string): RosterError {
  const code = systemErrorCode(error);
  if (code === "EEXIST") return neverOverwritten([path]);
  const hint = "Remove what is in the way, or name another directory.";
  return notWritten(path, code, hint);
}

export function notWritten(path: string, why: string, hint?: string): RosterError {
  return stopError("failed", "unwritable", `${path} cannot be written: ${why}`, hint);
}

/** Writes a file that is not there yet, with the directories above it. */
export async function createFile({ file, bytes }: SourceFile, host: Host): Promise<Result<undefined, RosterError>> {
  const path = resolve(host.cwd, file);
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes, { flag: "wx" });
    return success(undefined);
  } catch (error) {
    return problem(notWritten(file, systemErrorCode(error)));
  }
}

/** Puts new content into files that are there: each holds its old content or its new one, whole, whatever happens. */
export async function replaceFiles(files: readonly SourceFile[], host: Host): Promise<Result<undefined, RosterError>> {
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
    return problem(notWritten(at, systemErrorCode(error)));
  }
}
