import type { EmailKey } from "../model/address.ts";
import { multimap } from "../model/collections.ts";
import { type DesiredRoles, formatPlace, type Located, reasonAt } from "../model/fact.ts";
import type { Diagnostic } from "../model/failure.ts";
import type { DesiredKey } from "../model/key.ts";
import type { Roster } from "../model/roster.ts";
import { type DesiredTeam, disambiguatedTeamKey, teamKeyOf } from "../model/team.ts";
import type { DesiredUser, Leaver } from "../model/user.ts";
import type { TeamKey } from "../model/values.ts";
import type { SourceValue } from "../yaml/decode.ts";
import { DiagnosticsCollector, type MapNode } from "../yaml/source-text.ts";
import { writeScalar } from "../yaml/write.ts";
import {
  type AccountSettings,
  decodeFile,
  type LeaverEntry,
  type RosterDocument,
  type SourceAddress,
  type UserEntry,
} from "./decode.ts";
import { isLocalError, type RosterDiagnostics } from "./diagnostics.ts";
import {
  located,
  positionNames,
  type ResolvedKey,
  type ResolvedMember,
  type ResolvedRoles,
  type ResolvedRoster,
  type ResolvedTeam,
  type ResolvedUser,
  type RosterReferences,
  resolveRoster,
  unlessEmpty,
  untilReason,
} from "./resolve.ts";
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
  const resolution = checkFiles(files, settings, log);
  const diagnostics = log.diagnostics(files.map(({ file }) => file));
  return log.count > 0 ? { diagnostics } : { roster: assembleRoster(resolution), diagnostics };
}

/** What is wrong with some files of a roster whatever the others hold. */
export function localErrors(files: readonly RosterFile[], settings: BuildSettings): readonly Diagnostic[] {
  const log = new DiagnosticsCollector("The roster", undefined, isLocalError);
  checkFiles(files, settings, log);
  return log.diagnostics(files.map(({ file }) => file));
}

function checkFiles(files: readonly RosterFile[], settings: BuildSettings, log: RosterDiagnostics): ResolvedRoster {
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
  const resolution = resolveRoster(draft, { today, newUsers }, log);
  for (const rule of rosterRules) rule(resolution);
  // After the rules, so that a day that passes never makes a roster invalid.
  const { teams, ...rest } = withoutOffboarded(resolution);
  return { ...rest, teams: teams.map((team) => withMembersOfToday(team, resolution.references)) };
}

function assembleRoster({ today, draft, users, departed, teams, keys }: ResolvedRoster): Roster {
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
    ended: ended?.size ? ended : undefined,
    upcoming: upcoming?.size ? upcoming : undefined,
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

function locatedAddress({ address, at }: SourceAddress): Located<EmailKey> {
  return { value: address, place: at.place };
}

/** A user whose `until` has come. */
type DepartedUser = UserEntry & { readonly until: SourceValue<string> };

/** Those who have gone, by each address under which they may be known. */
type OffboardedByAddress = ReadonlyMap<EmailKey, DepartedUser>;

/** Takes everybody whose `until` has come out of the places that the roster still gives them, and tells each of these. */
function withoutOffboarded(resolution: ResolvedRoster): ResolvedRoster {
  const { draft, references, users, teams, keys, today, log } = resolution;
  const leaving = draft.users.filter(
    (user): user is DepartedUser => user.until !== undefined && user.until.value <= today,
  );
  if (leaving.length === 0) return resolution;
  const gone: OffboardedByAddress = new Map(
    leaving.flatMap((user) => [user.email, ...user.previously].map(({ address }) => [address, user])),
  );
  /** The person that a place names, unless they have left, which is reported. */
  const unlessGone = (person: SourceAddress | undefined, where: keyof typeof positionNames) => {
    const user = person && gone.get(person.address);
    if (person === undefined || user === undefined) return person;
    const message = `The ${positionNames[where]} \`${person.value}\` is a leaver ${sinceText(user)}; this entry is ignored.`;
    log.warning(person.at, "until-reached", message, "Remove this entry.");
    return undefined;
  };
  const keysOf = memberKeyPrefixes(teams, gone);
  const byPrefix = new Map<string, DepartedUser>();
  for (const user of leaving) {
    const known = new Set([user.key, ...(keysOf.get(user) ?? [])].flatMap((key) => key?.value ?? []));
    for (const prefix of known) byPrefix.set(prefix, user);
    reportOffboardedUser(user, [...known], log);
  }
  for (const { people } of references.groups.values()) for (const person of people) unlessGone(person, "group");
  return {
    ...resolution,
    users: users.filter((user) => !gone.has(user.draft.email.address)),
    teams: teams.map((team) => {
      for (const member of team.draft.members) if (member.is === "user") unlessGone(member.user, "member");
      const admin = unlessGone(team.draft.admin, "admin");
      const firstMember = unlessGone(team.draft.firstMember, "firstMember");
      const members = new Map([...team.members].filter(([address]) => !gone.has(address)));
      return { ...team, members, draft: { ...team.draft, admin, firstMember } };
    }),
    keys: keys.map((key) => {
      const { owner, prefix } = key.draft;
      const user = (owner && gone.get(owner.address)) ?? byPrefix.get(prefix.value);
      return user === undefined || key.roles.roles.length === 0 ? key : withoutRoles(key, user, log);
    }),
    departed: leaving.flatMap((user) => leaversOf(user, keysOf.get(user) ?? [])),
  };
}

/** The prefixes that places in teams name as keys of those who have gone. */
function memberKeyPrefixes(
  teams: readonly ResolvedTeam[],
  gone: OffboardedByAddress,
): ReadonlyMap<DepartedUser, readonly SourceValue<string>[]> {
  const members = teams.flatMap((team) => [...team.members.values()]);
  return multimap(
    members.flatMap(({ address, key }) => {
      const user = gone.get(address);
      return user === undefined || key === undefined ? [] : [[user, key] as const];
    }),
  );
}

/** One for each address of theirs: the service may know them under a former one. */
function leaversOf(user: DepartedUser, teamKeys: readonly SourceValue<string>[]): readonly Leaver[] {
  const { at, account, email, previously, until, key, ownership } = user;
  return [email, ...previously].map((address) => ({
    address: address.address,
    email: address.value,
    account,
    since: until.value,
    ownership,
    key: key && located(key),
    by: "until",
    teamKeys: teamKeys.map(located),
    place: until.at.place,
    because: [untilReason(until), reasonAt(at.place, "user")],
  }));
}

/** A listed key of somebody who has gone, by its owner or by its prefix, has no roles any more. */
function withoutRoles(key: ResolvedKey, user: DepartedUser, log: RosterDiagnostics): ResolvedKey {
  const message = `The key \`${key.draft.prefix.value}\` belongs to \`${user.email.value}\`, a leaver ${sinceText(user)}; it is treated as \`roles: []\`.`;
  const hint = "Write `roles: []`. If the key belongs to another user, correct the owner or the prefix.";
  log.warning(key.roles.at, "until-reached", message, hint);
  return { ...key, roles: { ...key.roles, roles: [], endings: [], through: [untilReason(user.until)] } };
}

/** Tells of a user who is a leaver from today on, with the lines that say so for good. */
function reportOffboardedUser(
  { email, previously, until }: DepartedUser,
  prefixes: readonly string[],
  log: RosterDiagnostics,
): void {
  const message = `\`until\` of \`${email.value}\` has passed: this user is a leaver since ${until.value}.`;
  const people = [email, ...previously].map(({ value }) => `{ email: ${writeScalar(value)}, since: ${until.value} }`);
  const owner = writeScalar(email.value);
  const keys = prefixes.map((prefix) => `{ prefix: ${writeScalar(prefix)}, owner: ${owner}, roles: [] }`);
  const kept = keys.length === 0 ? "" : `, and their known keys to \`keys\`: ${quotedEntries(keys)}`;
  log.warning(until.at, "until-reached", message, `Move them to \`leavers\`: ${quotedEntries(people)}${kept}.`);
}

function quotedEntries(written: readonly string[]): string {
  return written.map((entry) => `\`- ${entry}\``).join(", ");
}

function sinceText({ until }: DepartedUser): string {
  return `since ${until.value} (${formatPlace(until.at.place)})`;
}

/** Takes those out of a team whose membership does not count today, and tells of each that has ended. */
function withMembersOfToday(team: ResolvedTeam, { users, today, log }: RosterReferences): ResolvedTeam {
  const all = [...team.members];
  if (all.every(([, { membership }]) => membership.is === "counting")) return team;
  const members = new Map(all.filter(([, { membership }]) => membership.is === "counting"));
  const ended = datesOf(all, ({ membership }) => (membership.is === "ended" ? membership.until : undefined));
  const upcoming = datesOf(all, ({ membership }) => (membership.is === "to-come" ? membership.from : undefined));
  for (const [address, member] of all) reportEnd(address, member, log);
  // An administrator who has not started stays: the team waits for them.
  const startsLater = ({ address }: SourceAddress) => (users.get(address)?.from?.value ?? "") > today;
  const unlessOut = (person: SourceAddress | undefined) =>
    person !== undefined && team.members.has(person.address) && !members.has(person.address) && !startsLater(person)
      ? undefined
      : person;
  const { admin, firstMember } = team.draft;
  const draft = { ...team.draft, admin: unlessOut(admin), firstMember: unlessOut(firstMember) };
  return { ...team, draft, members, ended, upcoming };
}

function datesOf(
  members: readonly (readonly [EmailKey, ResolvedMember])[],
  dateOf: (member: ResolvedMember) => SourceValue<string> | undefined,
): ReadonlyMap<EmailKey, Located<string>> {
  return new Map(
    members.flatMap(([address, member]) => {
      const date = dateOf(member);
      return date === undefined ? [] : [[address, located(date)]];
    }),
  );
}

function reportEnd(address: string, { membership }: ResolvedMember, log: RosterDiagnostics): void {
  if (membership.is !== "ended") return;
  const { value, at } = membership.until;
  const message = `\`until\` of the member \`${address}\` has passed: the membership ended on ${value}.`;
  log.warning(at, "until-reached", message, "Remove the member in the service, and then this entry.");
}
