import { problem, type Result, success } from "../../model/result.ts";
import { byCodeUnit } from "../../model/role-set.ts";
import { isoDate } from "../../ports/clock.ts";
import { type LoadedRoster, loadSources } from "../planning/load-roster.ts";
import { type FoundFile, readRosterFiles } from "../planning/roster-files.ts";
import { newSecrets } from "../secrets.ts";
import { systemClock } from "../system.ts";
import { abortedBefore, type LibraryError, libraryError, libraryResult } from "./errors.ts";

/** A roster file as a value. */
export interface RosterText {
  /** The name by which errors and findings speak of it. */
  readonly file: string;
  readonly text: string;
}

export type LoadRosterOptions = (
  | {
      /** Files and directories. Directories are read with everything below them, as the command reads them. */
      readonly paths: readonly string[];
      /** An absolute directory, at which relative paths start. */
      readonly cwd: string;
    }
  | { readonly files: readonly RosterText[] }
) & {
  /** The account of files that name none. */
  readonly account?: string;
  /** Identifiers of accounts, by the names that files use for them. */
  readonly accounts?: Readonly<Record<string, string>>;
  /** The day in UTC, as in `2026-11-20`: who has left by then is a leaver. Today where it is absent. */
  readonly today?: string;
  readonly signal?: AbortSignal;
};

/** Reads a roster: YAML files become one `Roster`, or everything that is wrong with them is said. Asks no service. */
export async function loadRoster(options: LoadRosterOptions): Promise<Result<LoadedRoster, LibraryError>> {
  const { account, accounts = {}, today = isoDate(systemClock), signal } = options;
  const secrets = newSecrets();
  const sources = "files" in options ? success(filesOf(options.files)) : await readRosterFiles(options.paths, options);
  if (signal?.aborted === true) return problem(libraryError(abortedBefore, secrets));
  if (!sources.ok) return libraryResult(sources, secrets);
  const named = account === undefined ? {} : { account };
  const loaded = loadSources(sources.value, { ...named, accounts: new Map(Object.entries(accounts)), today });
  return libraryResult(loaded, secrets);
}

function filesOf(files: readonly RosterText[]): readonly FoundFile[] {
  const encoder = new TextEncoder();
  return files
    .map(({ file, text }) => ({ file, path: file, bytes: encoder.encode(text) }))
    .sort((one, other) => byCodeUnit(one.file, other.file));
}
