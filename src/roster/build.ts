import type { EmailKey } from "../model/address.ts";
import { type Located, reasonAt } from "../model/fact.ts";
import type { DesiredKey } from "../model/key.ts";
import type { TeamKey } from "../model/recorded.ts";
import type { Diagnostic } from "../model/result.ts";
import type { DesiredRoles } from "../model/role-set.ts";
import type { Roster } from "../model/roster.ts";
import { type DesiredTeam, disambiguatedTeamKey, teamKeyOf } from "../model/team.ts";
import type { DesiredUser, Leaver } from "../model/user.ts";
import type { SourceValue } from "../yaml/decode.ts";
import { DiagnosticsCollector } from "../yaml/diagnostics.ts";
import type { MapNode } from "../yaml/source-text.ts";
import type { LeaverEntry, RosterDocument } from "./decode-file.ts";
import { type AccountSettings, decodeFile } from "./decode-file.ts";
import type { SourceAddress } from "./decode-text.ts";
import { isLocalError, type RosterDiagnostics } from "./diagnostics.ts";
import { applyOffboarding, type OffboardedRoster, withMembersOfToday } from "./offboarding.ts";
import {
  indexReferences,
  located,
  memberCount,
  type ResolvedKey,
  type ResolvedMember,
  type ResolvedRoster,
  type ResolvedTeam,
  type ResolvedUser,
  type RosterReferences,
  resolveTeam,
  unlessEmpty,
} from "./resolve.ts";
import { type ResolvedRoles, resolveRoles } from "./resolve-roles.ts";
import { rosterRules } from "./rules.ts";

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
  readonly newUsers?: "checked";
}

/** All files of a run, in roster order, as one roster: decoded, its references looked up, its rules held. */
export function buildRoster(files: readonly RosterFile[], settings: BuildSettings): BuildResult {
  const log: RosterDiagnostics = new DiagnosticsCollector("The roster");
  const afterDepartures = checkFiles(files, settings, log);
  const diagnostics = log.diagnostics(files.map(({ file }) => file));
  return log.count > 0 ? { diagnostics } : { roster: assembleRoster(afterDepartures), diagnostics };
}

/** What is wrong with some files of a roster whatever the others hold. */
export function localErrors(files: readonly RosterFile[], settings: BuildSettings): readonly Diagnostic[] {
  const log = new DiagnosticsCollector("The roster", undefined, isLocalError);
  checkFiles(files, settings, log);
  return log.diagnostics(files.map(({ file }) => file));
}

function checkFiles(files: readonly RosterFile[], settings: BuildSettings, log: RosterDiagnostics): OffboardedRoster {
  const { today, newUsers } = settings;
  const drafts = files.flatMap(({ tree }) => decodeFile(tree, settings, log) ?? []);
  const draft: RosterDocument = {
    accounts: drafts.flatMap(({ accounts }) => accounts),
    users: drafts.flatMap(({ users }) => users),
    leavers: drafts.flatMap(({ leavers }) => leavers),
    teams: drafts.flatMap(({ teams }) => teams),
    keys: drafts.flatMap(({ keys }) => keys),
    roleSets: drafts.flatMap(({ roleSets }) => roleSets),
    groups: drafts.flatMap(({ groups }) => groups),
    accept: drafts.flatMap(({ accept }) => accept),
  };
  const references = indexReferences(draft, today, log);
  const resolution: ResolvedRoster = {
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
  for (const rule of rosterRules) rule(resolution, log);
  const offboarded = applyOffboarding(resolution, log);
  return { ...offboarded, teams: offboarded.teams.map((team) => withMembersOfToday(team, references, log)) };
}

/** More memberships than any roster has people for. Groups multiply: a few lines could ask for billions. */
const maxMemberships = 2_000_000;

/** Members are counted before any is resolved: each that is resolved takes memory of its own. */
function resolveTeams(draft: RosterDocument, references: RosterReferences, log: RosterDiagnostics) {
  let memberships = 0;
  for (const team of draft.teams) {
    memberships += memberCount(team, references);
    if (memberships <= maxMemberships) continue;
    const message = `This team brings the roster to more than ${maxMemberships} memberships, which is the limit.`;
    log.error(team.name.at, "too-large", message, "Split the roster and apply its parts one by one.");
    return [];
  }
  return draft.teams.map((team) => resolveTeam(team, references, log));
}

function assembleRoster({ today, draft, users, departed, teams, keys }: OffboardedRoster): Roster {
  const accounts = new Map<string, Located<string>>();
  for (const account of draft.accounts) if (!accounts.has(account.value)) accounts.set(account.value, account);
  const keyOf = teamKeys(teams);
  return {
    accounts: [...accounts.values()],
    users: new Map(users.map((user) => [user.draft.email.address, rosterUser(user, today)])),
    leavers: new Map([...draft.leavers.map(listedLeaver), ...departed].map((one) => [one.address, one])),
    teams: teams.map((team) => rosterTeam(team, keyOf(team))),
    keys: keys.map(rosterKey),
    roleSets: new Map(draft.roleSets.map(({ name, roles }) => [name.value, { value: roles, place: name.at.place }])),
    accept: draft.accept.map(({ at, until, ...entry }) => ({ ...entry, until: until.value, place: at.place })),
  };
}

function rosterUser({ draft, ownKeyRoles }: ResolvedUser, today: string): DesiredUser {
  const { at, email, firstName, lastName, account, title, externalIdentifier, source, key, from, until } = draft;
  return {
    address: email.address,
    email: email.value,
    firstName,
    lastName,
    account,
    previously: draft.previously.map(locatedAddress),
    distinctFrom: draft.distinctFrom.map(locatedAddress),
    title,
    externalIdentifier,
    source,
    ownKeyRoles: ownKeyRoles && desiredRoles(ownKeyRoles),
    key: key && located(key),
    from: from && from.value > today ? located(from) : undefined,
    until: until && located(until),
    ownership: draft.ownership,
    place: at.place,
    because: [reasonAt(at.place, "user"), ...draft.defaults],
  };
}

function desiredRoles({ roles, at, through, endings }: ResolvedRoles): DesiredRoles {
  const because = [reasonAt(at.place, "own-key-roles"), ...through];
  return { value: roles, place: at.place, because, endings: unlessEmpty(endings) };
}

function listedLeaver({ at, email, account, since, ownership }: LeaverEntry): Leaver {
  return {
    address: email.address,
    email: email.value,
    account,
    since: since?.value,
    ownership,
    by: "leavers",
    teamKeys: [],
    place: at.place,
    because: [reasonAt(at.place, "leaver")],
  };
}

/** Teams that share a name differ in their identifiers, which the rules require. */
function teamKeys(teams: readonly ResolvedTeam[]): (team: ResolvedTeam) => TeamKey {
  const shared = new Map<TeamKey, number>();
  const plainKey = ({ draft }: ResolvedTeam) => teamKeyOf(draft.account, draft.name.value);
  for (const team of teams) shared.set(plainKey(team), (shared.get(plainKey(team)) ?? 0) + 1);
  return (team) => {
    const { account, name, identifier } = team.draft;
    const isTwin = identifier !== undefined && (shared.get(plainKey(team)) ?? 0) > 1;
    return isTwin ? disambiguatedTeamKey(account, name.value, identifier.value) : plainKey(team);
  };
}

function rosterTeam({ draft, members, ended, upcoming }: ResolvedTeam, key: TeamKey): DesiredTeam {
  const { at, name, account, identifier, admin, firstMember, onRemoval, ownership } = draft;
  return {
    key,
    name: name.value,
    account,
    previously: draft.previously.map(located),
    open: draft.open,
    onRemoval: onRemoval?.value ?? "report",
    members: [...members.values()].map(rosterMember),
    identifier: identifier && located(identifier),
    admin: admin && locatedAddress(admin),
    firstMember: firstMember && locatedAddress(firstMember),
    ended: ended?.size ? locatedDates(ended) : undefined,
    upcoming: upcoming?.size ? locatedDates(upcoming) : undefined,
    ownership,
    onRemovalAt: onRemoval && reasonAt(onRemoval.at.place, "on-removal"),
    place: at.place,
    because: [reasonAt(at.place, "team", { name: name.value }), ...draft.defaults],
  };
}

function rosterMember({ address, roles, endings, membership, key, ownership, because, alsoBy }: ResolvedMember) {
  const until = membership.is === "counting" ? membership.until : undefined;
  return {
    address,
    roles,
    until: until && located(until),
    key: key && located(key),
    ownership,
    endings,
    because,
    alsoBy,
  };
}

function rosterKey({ draft, roles }: ResolvedKey): DesiredKey {
  const { prefix, owner, at, ownership } = draft;
  return {
    prefix: prefix.value,
    roles: roles.roles,
    endings: unlessEmpty(roles.endings),
    owner: owner && locatedAddress(owner),
    ownership,
    place: at.place,
    because: [reasonAt(at.place, "key"), ...roles.through],
  };
}

function locatedDates(dates: ReadonlyMap<EmailKey, SourceValue<string>>): ReadonlyMap<EmailKey, Located<string>> {
  return new Map([...dates].map(([address, date]) => [address, located(date)]));
}

function locatedAddress({ address, at }: SourceAddress): Located<EmailKey> {
  return { value: address, place: at.place };
}
