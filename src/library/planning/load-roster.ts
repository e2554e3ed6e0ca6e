import type { RosterCounts } from "../../model/plan.ts";
import { type Diagnostic, problem, type Result, success } from "../../model/result.ts";
import { byCodeUnit } from "../../model/role-set.ts";
import type { Roster } from "../../model/roster.ts";
import { isoDate } from "../../ports/clock.ts";
import { buildRoster, localErrors, type RosterFile } from "../../roster/build.ts";
import type { AccountSettings } from "../../roster/decode-file.ts";
import { misplacedSections, type SectionRule } from "../../roster/diagnostics.ts";
import type { NewUserRules } from "../../roster/resolve.ts";
import { readYaml, type YamlDocument, type YamlReader } from "../../yaml/read.ts";
import {
  abortedBefore,
  invalidInput,
  type LibraryError,
  libraryError,
  libraryResult,
  type RosterError,
} from "../error.ts";
import { newSecrets } from "../secrets.ts";
import { systemClock } from "../system.ts";
import { type FoundFile, readRosterFiles, reportPlanInRoster } from "./roster-files.ts";

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

/** The first step of the one path: YAML -> Roster. */
export interface LoadedRoster {
  readonly roster: Roster;
  readonly counts: RosterCounts;
  readonly warnings: readonly Diagnostic[];
}

/** What else decides how a roster is read. @internal */
export interface RosterOptions extends AccountSettings {
  /** The day in UTC, as in `2026-11-20`: who has left by then is a leaver. */
  readonly today: string;
  /** How users are checked who may be new to the service. Absent: only a plan knows who is new. */
  readonly newUsers?: NewUserRules;
  /** Which sections a file may have, by the path that `pathOf` makes of its own. Absent: every file may have all. */
  readonly sections?: SectionPlaces | undefined;
  /** `regular-first` where it is absent. */
  readonly reader?: YamlReader;
}

/** @internal */
export interface SectionPlaces {
  readonly rules: readonly SectionRule[];
  readonly pathOf: (path: string) => string | undefined;
}

/** The roster of files that were read. @internal */
export function loadSources(sources: readonly FoundFile[], options: RosterOptions): Result<LoadedRoster, RosterError> {
  const plans = sources.flatMap(reportPlanInRoster);
  if (plans.length > 0) return problem(invalidInput(plans));
  const { reader = "regular-first" } = options;
  const documents = sources.map(({ file, path, bytes }) => ({ file, path, ...readYaml(file, bytes, reader) }));
  const fromYaml = documents.flatMap(yamlDiagnosticsOf);
  const files = documents.flatMap(({ tree, ...file }) => (tree === undefined ? [] : [{ ...file, tree }]));
  const before = [...fromYaml, ...misplacedSectionsIn(files, options)];
  // Everybody of a file that cannot be read would seem to be missing elsewhere.
  if (files.length < documents.length) return problem(invalidInput([...before, ...localErrors(files, options)]));
  const built = buildRoster(files, options);
  const diagnostics = [...before, ...built.diagnostics];
  if (built.roster === undefined || diagnostics.some(isError)) return problem(invalidInput(diagnostics));
  const { users, leavers, teams, keys } = built.roster;
  const people = { users: users.size, leavers: leavers.size };
  const counts = { files: sources.length, ...people, teams: teams.length, keys: keys.length };
  return success({ roster: built.roster, counts, warnings: diagnostics });
}

/** A file without anything in it was more likely cut off than meant. */
function yamlDiagnosticsOf({
  file,
  tree,
  diagnostics,
}: YamlDocument & { readonly file: string }): readonly Diagnostic[] {
  if (tree !== undefined || diagnostics.length > 0) return diagnostics;
  const hint = "Remove it, or start it with `version: 1`.";
  const place = { file, line: 1, column: 1 };
  return [{ code: "empty-file", severity: "error", message: "The file is empty.", hint, place }];
}

function misplacedSectionsIn(
  files: readonly (RosterFile & { readonly path: string })[],
  { sections }: RosterOptions,
): readonly Diagnostic[] {
  if (sections === undefined) return [];
  const { rules, pathOf } = sections;
  const placed = files.map(({ path, tree }) => ({ path: path === "-" ? path : pathOf(path), tree }));
  return misplacedSections(placed, rules);
}

function isError({ severity }: Diagnostic): boolean {
  return severity === "error";
}
