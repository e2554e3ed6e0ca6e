import type { RosterCounts } from "../../model/plan.ts";
import { type Diagnostic, problem, type Result, success } from "../../model/result.ts";
import type { Roster } from "../../model/roster.ts";
import { buildRoster, localErrors, type RosterFile } from "../../roster/build.ts";
import type { AccountSettings } from "../../roster/decode-file.ts";
import { misplacedSections, type SectionRule } from "../../roster/diagnostics.ts";
import type { NewUserRules } from "../../roster/resolve.ts";
import { readYaml, type YamlDocument, type YamlReader } from "../../yaml/read.ts";
import { invalidInput, type RosterError } from "../error.ts";
import { type FoundFile, reportPlanInRoster } from "./roster-files.ts";

/** The first step of the one path: YAML -> Roster. */
export interface LoadedRoster {
  readonly roster: Roster;
  readonly counts: RosterCounts;
  readonly warnings: readonly Diagnostic[];
}

/** What else decides how a roster is read. */
export interface RosterOptions extends AccountSettings {
  /** The day in UTC, as in `2026-11-20`: who has left by then is a leaver. */
  readonly today: string;
  /** How people whom the service may not know yet are checked. Absent: only a plan knows who is new. */
  readonly newUsers?: NewUserRules;
  /** Which sections a file may have, by the path that `pathOf` makes of its own. Absent: every file may have all. */
  readonly sections?: SectionPlaces | undefined;
  /** `regular-first` where it is absent. */
  readonly reader?: YamlReader;
}

export interface SectionPlaces {
  readonly rules: readonly SectionRule[];
  readonly pathOf: (path: string) => string | undefined;
}

/** The roster of files that were read. */
export function loadSources(sources: readonly FoundFile[], options: RosterOptions): Result<LoadedRoster, RosterError> {
  const plans = sources.flatMap(reportPlanInRoster);
  if (plans.length > 0) return problem(invalidInput(plans));
  const documents = sources.map(({ file, path, bytes }) => ({ file, path, ...readYaml(file, bytes, options.reader) }));
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
