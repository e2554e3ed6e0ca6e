import { existsSync } from "node:fs";
import { readFile, realpath } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { problem, type Result, success } from "../model/result.ts";
import { readYaml } from "../yaml/read-yaml.ts";
import { variable } from "./environment.ts";
import type { Host } from "./host.ts";
import { settingsFileName } from "./roster-files.ts";
import { decodeSettings, type WrittenSettings } from "./settings-shape.ts";
import { invalid, invalidSetting, type Stop } from "./stop.ts";

/** A settings file that is in force. */
export interface SettingsFile extends WrittenSettings {
  /** As shown to a person. */
  readonly path: string;
  readonly directory: string;
  /** The directory relative to where the command runs; paths in the file start there. */
  readonly shownDirectory: string;
  /** A change to the checkout, such as a pull request, can edit this file. */
  readonly insideCheckout: boolean;
}

/** The file that ROSTER_CONFIG names, else the nearest one from here up to the repository's root. */
export async function findSettingsFile(host: Host): Promise<Result<SettingsFile | undefined, Stop>> {
  const named = variable(host, "ROSTER_CONFIG");
  const root = repositoryRoot(host.cwd) ?? host.cwd;
  const path = named === undefined ? nearestSettings(host.cwd, root) : resolve(host.cwd, named);
  if (path === undefined) return success(undefined);
  const shown = relative(host.cwd, path);
  try {
    const reading = readYaml(shown, await readFile(path));
    const decoded = decodeSettings(reading);
    if (!decoded.ok) return problem(invalid(decoded.error));
    const directory = dirname(path);
    const insideCheckout = await liesInCheckout(path, root);
    return success({ ...decoded.value, path: shown, directory, shownDirectory: dirname(shown), insideCheckout });
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    const hint = named === undefined ? undefined : "ROSTER_CONFIG names it.";
    return problem(
      invalidSetting("unreadable-settings", `The settings ${shown} cannot be read: ${String(error.code)}.`, hint),
    );
  }
}

function nearestSettings(from: string, root: string): string | undefined {
  for (let directory = from; ; directory = dirname(directory)) {
    const path = join(directory, settingsFileName);
    if (existsSync(path)) return path;
    if (directory === root || directory === dirname(directory)) return undefined;
  }
}

function repositoryRoot(from: string): string | undefined {
  for (let directory = from; ; directory = dirname(directory)) {
    if (existsSync(join(directory, ".git"))) return directory;
    if (directory === dirname(directory)) return undefined;
  }
}

/** Below where the command works, or in whatever repository the file itself lies in. */
async function liesInCheckout(path: string, root: string): Promise<boolean> {
  const file = await realpath(path);
  return isInside(file, await realpath(root)) || repositoryRoot(dirname(file)) !== undefined;
}

function isInside(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}
