import type { Diagnostic } from "../model/diagnostic.ts";
import type { Roster } from "../model/roster.ts";
import type { MapNode } from "../yaml/node.ts";
import { assemble } from "./assemble.ts";
import { type Complaints, complaints } from "./complaints.ts";
import { type AfterDepartures, takeLeave } from "./departures.ts";
import type { Draft } from "./draft.ts";
import { type AccountSettings, draftFile } from "./draft-file.ts";
import { referencesOf } from "./references.ts";
import type { NewUserRules, Resolution, ResolvedTeam } from "./resolution.ts";
import { resolveTeam } from "./resolve-members.ts";
import { resolveRoles } from "./resolve-roles.ts";
import { rules } from "./rules.ts";
import { standsAlone } from "./stands-alone.ts";

export interface RosterFile {
  readonly file: string;
  readonly tree: MapNode;
}

export interface RosterMaking {
  /** Absent if and only if a diagnostic is an error. */
  readonly roster?: Roster;
  /** Everything that is wrong, in the order of the files and of the places in them. */
  readonly diagnostics: readonly Diagnostic[];
}

export interface RosterSettings extends AccountSettings {
  /** The day of this run in UTC, as in `2026-11-20`: whose `until` has come by then is a leaver. */
  readonly today: string;
  /** Left out where the service is asked: only then is it known who has to be created. */
  readonly newUsers?: NewUserRules;
}

/** All files of a run, in roster order, as one roster: decoded, its references looked up, its rules held. */
export function makeRoster(files: readonly RosterFile[], settings: RosterSettings): RosterMaking {
  const log = complaints();
  const afterDepartures = judge(files, settings, log);
  const diagnostics = log.diagnostics(files.map(({ file }) => file));
  return log.count > 0 ? { diagnostics } : { roster: assemble(afterDepartures), diagnostics };
}

/** What is wrong with some files of a roster whatever the others hold. */
export function faultsThatStand(files: readonly RosterFile[], settings: RosterSettings): readonly Diagnostic[] {
  const log = complaints(standsAlone);
  judge(files, settings, log);
  return log.diagnostics(files.map(({ file }) => file));
}

function judge(files: readonly RosterFile[], settings: RosterSettings, log: Complaints): AfterDepartures {
  const drafts = files.map(({ tree }) => draftFile(tree, settings, log));
  const resolution = resolve(joined(drafts), settings, log);
  for (const rule of rules) rule(resolution, log);
  return takeLeave(resolution, log);
}

function joined(drafts: readonly Draft[]): Draft {
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

function resolve(draft: Draft, { today, newUsers }: RosterSettings, log: Complaints): Resolution {
  const references = referencesOf(draft, log);
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
const mostMembers = 2_000_000;

function resolveTeams(draft: Draft, references: Resolution["references"], log: Complaints): readonly ResolvedTeam[] {
  const teams: ResolvedTeam[] = [];
  let members = 0;
  for (const team of draft.teams) {
    const resolved = resolveTeam(team, references, log);
    members += resolved.members.size;
    if (members > mostMembers) {
      const message = `With this team the roster has more than ${mostMembers} memberships; no more can be held at once.`;
      log.error(team.name.at, "too-many-members", message, "Split the roster, and apply its parts one by one.");
      break;
    }
    teams.push(resolved);
  }
  return teams;
}
