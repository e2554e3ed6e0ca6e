import { type Diagnostic, problem, type Result, success } from "../../model/result.ts";
import type { Roster } from "../../model/roster.ts";
import type { RosterCounts } from "../../model/saved-files.ts";
import { isoDate } from "../../ports/clock.ts";
import type { CommandOutcome } from "../../report/outcome.ts";
import { buildRoster, localErrors, type RosterFile } from "../../roster/build.ts";
import { misplacedSections } from "../../roster/section-rules.ts";
import { readYaml, type YamlDocument, type YamlReader } from "../../yaml/read.ts";
import { type CommandError, invalidInput } from "../command-error.ts";
import type { Host } from "../host.ts";
import { variable } from "../settings/environment.ts";
import type { Settings } from "../settings/settings.ts";
import { pathBelow } from "../trust/checkout.ts";
import { type FoundFile, readRosterFiles, reportPlanInRoster } from "./roster-files.ts";

/** The first step of the one path: YAML -> Roster. */
export interface LoadedRoster {
  readonly roster: Roster;
  readonly counts: RosterCounts;
  readonly warnings: readonly Diagnostic[];
}

export async function loadRoster(
  paths: readonly string[],
  settings: Settings,
  host: Host,
  service: "asked" | "not-asked" = "asked",
): Promise<Result<LoadedRoster, CommandError>> {
  const sources = await readRosterFiles(paths.length > 0 ? paths : settings.roster, host);
  return sources.ok ? loadSources(sources.value, settings, host, service) : sources;
}

/** The roster of files that were read. */
export function loadSources(
  sources: readonly FoundFile[],
  settings: Settings,
  host: Host,
  service: "asked" | "not-asked" = "asked",
): Result<LoadedRoster, CommandError> {
  const plans = sources.flatMap(reportPlanInRoster);
  if (plans.length > 0) return problem(invalidInput(plans));
  const reader = yamlReader(host);
  const documents = sources.map(({ file, path, bytes }) => ({ file, path, ...readYaml(file, bytes, reader) }));
  const fromYaml = documents.flatMap(yamlDiagnosticsOf);
  const files = documents.flatMap(({ tree, ...file }) => (tree === undefined ? [] : [{ ...file, tree }]));
  const before = [...fromYaml, ...misplacedSectionsIn(files, settings)];
  const newUsers = { singleLabelDomains: settings.singleLabelDomains ? "allowed" : "refused" } as const;
  const options = service === "asked" ? {} : { newUsers };
  const rosterSettings = { ...settings, ...options, today: isoDate(host.clock) };
  // Everybody of a file that cannot be read would seem to be missing elsewhere.
  if (files.length < documents.length) return problem(invalidInput([...before, ...localErrors(files, rosterSettings)]));
  const built = buildRoster(files, rosterSettings);
  const diagnostics = [...before, ...built.diagnostics];
  if (built.roster === undefined || diagnostics.some(isError)) return problem(invalidInput(diagnostics));
  const { users, leavers, teams, keys } = built.roster;
  const people = { users: users.size, leavers: leavers.size };
  const counts = { files: sources.length, ...people, teams: teams.length, keys: keys.length };
  return success({ roster: built.roster, counts, warnings: diagnostics });
}

/** @internal */
export function yamlReader(host: Host): YamlReader {
  return variable(host, "ROSTER_YAML") === undefined ? "regular-first" : "library";
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
  { sections }: Settings,
): readonly Diagnostic[] {
  if (sections === undefined) return [];
  const { directory, rules } = sections;
  const placed = files.map(({ path, tree }) => ({ path: path === "-" ? path : pathBelow(directory, path), tree }));
  return misplacedSections(placed, rules);
}

/** What a command says of the roster that it read. */
export function rosterSummary({
  counts,
  warnings,
}: LoadedRoster): Required<Pick<CommandOutcome, "roster" | "diagnostics">> {
  return { roster: counts, diagnostics: warnings };
}

function isError({ severity }: Diagnostic): boolean {
  return severity === "error";
}
