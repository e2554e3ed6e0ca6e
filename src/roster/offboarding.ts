import type { EmailKey } from "../model/address.ts";
import { multimap } from "../model/collections.ts";
import { formatPlace, reasonAt } from "../model/fact.ts";
import { daysBetween } from "../model/roster.ts";
import type { Leaver } from "../model/user.ts";
import type { SourceValue } from "../yaml/decode.ts";
import { writeScalar } from "../yaml/write.ts";
import type { UserEntry } from "./decode-file.ts";
import type { SourceAddress } from "./decode-text.ts";
import type { RosterDiagnostics } from "./diagnostics.ts";
import {
  located,
  positionNames,
  type ResolvedKey,
  type ResolvedMember,
  type ResolvedRoster,
  type ResolvedTeam,
  type RosterReferences,
} from "./resolve.ts";
import { untilReason } from "./resolve-roles.ts";

export interface OffboardedRoster extends ResolvedRoster {
  /** Users whose `until` has come. */
  readonly departed: readonly Leaver[];
}

/** A user whose `until` has come. */
type DepartedUser = UserEntry & { readonly until: SourceValue<string> };

/** Those who have gone, by each address under which they may be known. */
type OffboardedByAddress = ReadonlyMap<EmailKey, DepartedUser>;

/**
 * Takes everybody whose `until` has come out of the places that the roster still gives them, and tells each of these.
 * Comes after the rules, so that a day that passes never makes a roster invalid.
 */
export function applyOffboarding(resolution: ResolvedRoster, log: RosterDiagnostics): OffboardedRoster {
  const { draft, users, teams, keys, today } = resolution;
  const leaving = draft.users.filter(
    (user): user is DepartedUser => user.until !== undefined && user.until.value <= today,
  );
  if (leaving.length === 0) return { ...resolution, departed: [] };
  const gone: OffboardedByAddress = new Map(
    leaving.flatMap((user) => [user.email, ...user.previously].map(({ address }) => [address, user])),
  );
  const keysOf = memberKeyPrefixes(teams, gone);
  const prefixes = new Map<string, DepartedUser>();
  for (const user of leaving) {
    const known = new Set([user.key, ...(keysOf.get(user) ?? [])].flatMap((key) => key?.value ?? []));
    for (const prefix of known) prefixes.set(prefix, user);
    reportOffboardedUser(user, [...known], log);
  }
  for (const { people } of resolution.references.groups.values()) {
    for (const person of people) unlessOffboarded(person, "group", gone, log);
  }
  return {
    ...resolution,
    users: users.filter((user) => !gone.has(user.draft.email.address)),
    teams: teams.map((team) => withoutOffboarded(team, gone, log)),
    keys: keys.map((key) => withoutOffboardedRoles(key, { gone, prefixes }, log)),
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

function withoutOffboarded(team: ResolvedTeam, gone: OffboardedByAddress, log: RosterDiagnostics): ResolvedTeam {
  const { draft } = team;
  for (const member of draft.members) if (member.is === "user") unlessOffboarded(member.user, "member", gone, log);
  const admin = unlessOffboarded(draft.admin, "admin", gone, log);
  const firstMember = unlessOffboarded(draft.firstMember, "firstMember", gone, log);
  const members = new Map([...team.members].filter(([address]) => !gone.has(address)));
  return { ...team, members, draft: { ...draft, admin, firstMember } };
}

/** The person that a place names, unless they have left, which is reported. */
function unlessOffboarded(
  person: SourceAddress | undefined,
  where: keyof typeof positionNames,
  gone: OffboardedByAddress,
  log: RosterDiagnostics,
): SourceAddress | undefined {
  const user = person && gone.get(person.address);
  if (person === undefined || user === undefined) return person;
  const message = `The ${positionNames[where]} \`${person.value}\` is a leaver ${sinceText(user)}; this entry is ignored.`;
  log.warning(person.at, "until-reached", message, "Remove this entry.");
  return undefined;
}

/** A listed key of somebody who has gone, by its owner or by its prefix, has no roles any more. */
function withoutOffboardedRoles(
  key: ResolvedKey,
  { gone, prefixes }: { readonly gone: OffboardedByAddress; readonly prefixes: ReadonlyMap<string, DepartedUser> },
  log: RosterDiagnostics,
): ResolvedKey {
  const { owner, prefix } = key.draft;
  const user = (owner && gone.get(owner.address)) ?? prefixes.get(prefix.value);
  if (user === undefined || key.roles.roles.length === 0) return key;
  reportOffboardedKey(key, user, log);
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

/** Tells of a listed key of theirs whose roles do not count any more. */
function reportOffboardedKey({ draft, roles }: ResolvedKey, user: DepartedUser, log: RosterDiagnostics): void {
  const message = `The key \`${draft.prefix.value}\` belongs to \`${user.email.value}\`, a leaver ${sinceText(user)}; it is treated as \`roles: []\`.`;
  const hint = "Write `roles: []`. If the key belongs to another user, correct the owner or the prefix.";
  log.warning(roles.at, "until-reached", message, hint);
}

function sinceText({ until }: DepartedUser): string {
  return `since ${until.value} (${formatPlace(until.at.place)})`;
}

/**
 * Takes those out of a team whose membership does not count today, and tells of each that has ended. Comes after the rules, so
 * that a day that passes never makes a roster invalid.
 */
export function withMembersOfToday(
  team: ResolvedTeam,
  { users, today }: Pick<RosterReferences, "users" | "today">,
  log: RosterDiagnostics,
): ResolvedTeam {
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
): ReadonlyMap<EmailKey, SourceValue<string>> {
  return new Map(
    members.flatMap(([address, member]) => {
      const date = dateOf(member);
      return date === undefined ? [] : [[address, date] as const];
    }),
  );
}

function reportEnd(address: string, { membership }: ResolvedMember, log: RosterDiagnostics): void {
  if (membership.is !== "ended") return;
  const { value, at } = membership.until;
  const message = `\`until\` of the member \`${address}\` has passed: the membership ended on ${value}.`;
  log.warning(at, "until-reached", message, "Remove the member in the service, and then this entry.");
}

/** Nobody is to have access and to hold nothing at once. */
export function checkUsersAndLeavers({ references }: ResolvedRoster, log: RosterDiagnostics): void {
  for (const { email } of references.leavers.values()) {
    const user = references.users.get(email.address);
    if (user === undefined) continue;
    const message = `\`${email.value}\` is a leaver here and a user at ${formatPlace(user.email.at.place)}.`;
    const hint = "Remove the `leavers` entry if this person came back; otherwise remove the `users` entry.";
    log.error(email.at, "contradiction", message, hint);
  }
}

/** A person who is listed as a leaver is one at once. A day of grace is for places where tomorrow has begun. */
export function checkLeavingDates({ draft, today }: ResolvedRoster, log: RosterDiagnostics): void {
  for (const { email, since } of draft.leavers) {
    if (since === undefined || daysBetween(today, since.value) <= 1) continue;
    const message = `\`${email.value}\` leaves on ${since.value}, but a leaver loses all roles at once.`;
    const hint = `Keep this person under \`users\` with \`until: ${since.value}\`.`;
    log.error(since.at, "contradiction", message, hint);
  }
}

/** A leaver's key may be listed, so that its prefix is known, but with no roles. */
export function checkLeaverKeys({ keys, references }: ResolvedRoster, log: RosterDiagnostics): void {
  for (const { draft, roles } of keys) {
    const leaver = draft.owner && references.leavers.get(draft.owner.address);
    if (leaver === undefined || roles.roles.length === 0 || references.users.has(leaver.email.address)) continue;
    const where = formatPlace(leaver.email.at.place);
    const message = `The key \`${draft.prefix.value}\` gives roles to \`${leaver.email.value}\`, a leaver (${where}).`;
    log.error(roles.at, "leaver-in-use", message, "Write `roles: []`, or correct the owner.");
  }
}
