import type { Diagnostic } from "../model/diagnostic.ts";
import type { Roster } from "../model/roster.ts";
import type { MapNode } from "../yaml/node.ts";
import { assembleRoster } from "./assemble.ts";
import { collectDiagnostics, type DiagnosticsCollector } from "./complaints.ts";
import { applyOffboarding, type OffboardedRoster } from "./departures.ts";
import type { RosterDocument } from "./draft.ts";
import { type AccountSettings, decodeFile } from "./draft-file.ts";
import { indexReferences } from "./references.ts";
import type { NewUserRules, ResolvedRoster, ResolvedTeam } from "./resolution.ts";
import { resolveTeam } from "./resolve-members.ts";
import { resolveRoles } from "./resolve-roles.ts";
import { rosterRules } from "./rules.ts";
import { isLocalError } from "./stands-alone.ts";

export interface RosterFile {
  readonly file: string;
  readonly tree: MapNode;
}

export interface BuildResult {
  /** Absent if and only if a diagnostic is an error. */
  readonly roster?: Roster;
  /** Everything that is wrong, in the order of the files and of the places in them. */
  readonly diagnostics: readonly Diagnostic[];
}

export interface BuildSettings extends AccountSettings {
  /** The day of this run in UTC, as in `2026-11-20`: whose `until` has come by then is a leaver. */
  readonly today: string;
  /** Left out where the service is asked: only then is it known who has to be created. */
  readonly newUsers?: NewUserRules;
}

/** All files of a run, in roster order, as one roster: decoded, its references looked up, its rules held. */
export function buildRoster(files: readonly RosterFile[], settings: BuildSettings): BuildResult {
  const log = collectDiagnostics();
  const afterDepartures = checkFiles(files, settings, log);
  const diagnostics = log.diagnostics(files.map(({ file }) => file));
  return log.count > 0 ? { diagnostics } : { roster: assembleRoster(afterDepartures), diagnostics };
}

/** What is wrong with some files of a roster whatever the others hold. */
export function localErrors(files: readonly RosterFile[], settings: BuildSettings): readonly Diagnostic[] {
  const log = collectDiagnostics(isLocalError);
  checkFiles(files, settings, log);
  return log.diagnostics(files.map(({ file }) => file));
}

function checkFiles(
  files: readonly RosterFile[],
  settings: BuildSettings,
  log: DiagnosticsCollector,
): OffboardedRoster {
  const drafts = files.map(({ tree }) => decodeFile(tree, settings, log));
  const resolution = resolveDocument(mergeDocuments(drafts), settings, log);
  for (const rule of rosterRules) rule(resolution, log);
  return applyOffboarding(resolution, log);
}

function mergeDocuments(drafts: readonly RosterDocument[]): RosterDocument {
  return {
    accounts: drafts.flatMap(({ accounts }) => accounts),
    users: drafts.flatMap(({ users }) => users),
    leavers: drafts.flatMap(({ leavers }) => leavers),
    teams: drafts.flatMap(({ teams }) => teams),
    keys: drafts.flatMap(({ keys }) => keys),
    roleSets: drafts.flatMap(({ roleSets }) => roleSets),
    groups: drafts.flatMap(({ groups }) => groups),
  };
}

function resolveDocument(
  draft: RosterDocument,
  { today, newUsers }: BuildSettings,
  log: DiagnosticsCollector,
): ResolvedRoster {
  const references = indexReferences(draft, log);
  return {
    today,
    newUsers,
    draft,
    references,
    users: draft.users.map((user) => {
      return { draft: user, ownKeyRoles: user.ownKeyRoles && resolveRoles(user.ownKeyRoles, references, log) };
    }),
    teams: resolveTeams(draft, references, log),
    keys: draft.keys.map((key) => ({ draft: key, roles: resolveRoles(key.roles, references, log) })),
  };
}

/** More memberships than any roster has people for. Groups multiply: a few lines could ask for billions. */
const maxMemberships = 2_000_000;

function resolveTeams(
  draft: RosterDocument,
  references: ResolvedRoster["references"],
  log: DiagnosticsCollector,
): readonly ResolvedTeam[] {
  const teams: ResolvedTeam[] = [];
  let members = 0;
  for (const team of draft.teams) {
    const resolved = resolveTeam(team, references, log);
    members += resolved.members.size;
    if (members > maxMemberships) {
      const message = `With this team the roster has more than ${maxMemberships} memberships; no more can be held at once.`;
      log.error(team.name.at, "too-many-members", message, "Split the roster, and apply its parts one by one.");
      break;
    }
    teams.push(resolved);
  }
  return teams;
}
