import type { EmailKey } from "../model/address.ts";
import { formatPlace, type Located, mergeOwnership, type Reason, reasonAt } from "../model/fact.ts";
import type { DesiredMember } from "../model/team.ts";
import { sameRoles } from "../model/values.ts";
import type { SourceValue } from "../yaml/decode.ts";
import type { SourceRange } from "../yaml/source-text.ts";
import type {
  GroupEntry,
  GroupMemberEntry,
  LeaverEntry,
  RosterDocument,
  SourceAddress,
  TeamEntry,
  UserEntry,
  UserMemberEntry,
} from "./decode.ts";
import type { RosterDiagnostics } from "./diagnostics.ts";
import { countsOn, isPeriod, type MembershipPeriod, membershipPeriod } from "./from-until.ts";
import { type ResolvedRoles, type RoleSetReferences, resolveRoles, unlessEmpty } from "./resolve-roles.ts";

/** What names refer to. Of two with one name the first counts. */
export interface RosterReferences extends RoleSetReferences {
  readonly users: ReadonlyMap<EmailKey, UserEntry>;
  readonly leavers: ReadonlyMap<EmailKey, LeaverEntry>;
  readonly groups: ReadonlyMap<string, ResolvedGroup>;
}

export interface ResolvedGroup {
  readonly name: SourceValue<string>;
  /** Users of the roster, each once. */
  readonly people: readonly SourceAddress[];
}

export interface ResolvedTeam {
  readonly draft: TeamEntry;
  readonly members: ReadonlyMap<EmailKey, ResolvedMember>;
  /** When the memberships ended of people who are members no more. */
  readonly ended?: ReadonlyMap<EmailKey, Located<string>>;
  /** When the memberships begin of people who are no members yet. */
  readonly upcoming?: ReadonlyMap<EmailKey, Located<string>>;
  /** False where a member or a group could not be read or found, so that nobody counts as missing. */
  readonly isComplete: boolean;
}

export interface ResolvedMember extends Omit<DesiredMember, "key" | "until"> {
  readonly at: SourceRange;
  readonly membership: MembershipPeriod;
  readonly key: SourceValue<string> | undefined;
}

/** More memberships than any roster has people for. Groups multiply: a few lines could ask for billions. */
const maxMemberships = 2_000_000;

/** Members are counted before any is resolved: each that is resolved takes memory of its own. */
export function hasTooManyMemberships({ teams }: RosterDocument, references: RosterReferences): boolean {
  let memberships = 0;
  for (const team of teams) {
    memberships += memberCount(team, references);
    if (memberships <= maxMemberships) continue;
    const message = `This team brings the roster to more than ${maxMemberships} memberships, which is the limit.`;
    references.log.error(team.name.at, "too-large", message, "Split the roster and apply its parts one by one.");
    return true;
  }
  return false;
}

/** Each person counted once. */
function memberCount({ members }: TeamEntry, { users, groups }: RosterReferences): number {
  const [only] = members;
  if (members.length === 1 && only?.is === "group") return groups.get(only.group.value)?.people.length ?? 0;
  const people = new Set<EmailKey>();
  for (const entry of members) {
    if (entry.is === "user") {
      if (users.has(entry.user.address)) people.add(entry.user.address);
    } else {
      for (const { address } of groups.get(entry.group.value)?.people ?? []) people.add(address);
    }
  }
  return people.size;
}

/** Everybody in a group, with an error for each who is no user of the roster or is in it twice. */
export function groupMembers(group: GroupEntry, references: RosterReferences): readonly SourceAddress[] {
  const people = new Map<EmailKey, SourceAddress>();
  for (const person of group.members) {
    const first = people.get(person.address);
    if (first !== undefined) {
      reportSecond(person.at, `\`${person.value}\` is in the group \`${group.name.value}\``, first.at, references.log);
    } else if (isRosterUser(person, references, "group")) {
      people.set(person.address, person);
    }
  }
  return [...people.values()];
}

/** Tells where a person who is named is no user of the roster: a leaver, or nobody. */
export function isRosterUser(
  person: SourceAddress,
  { users, leavers, log }: RosterReferences,
  where: keyof typeof positionNames,
): boolean {
  if (users.has(person.address)) return true;
  const leaver = leavers.get(person.address);
  const who = `The ${positionNames[where]} \`${person.value}\``;
  if (leaver !== undefined) {
    const message = `${who} is a leaver (${formatPlace(leaver.email.at.place)}); leavers have no memberships.`;
    const hint = "Remove this entry. If this person came back, move the person from `leavers` to `users`.";
    log.error(person.at, "leaver-in-use", message, hint);
    return false;
  }
  const addresses = Array.from(users.values(), ({ email }) => email.value);
  const hint = log.didYouMean(person.value, addresses) ?? "Add this person under `users`, or remove this entry.";
  log.error(person.at, "unknown-name", `${who} is not a user of this roster.`, hint);
  return false;
}

export const positionNames = {
  group: "group member",
  member: "member",
  admin: "administrator",
  firstMember: "first member",
};

/** All the ways in which one person is a member of one team. */
interface MembershipSources {
  readonly address: EmailKey;
  direct?: { readonly entry: UserMemberEntry; readonly roles: ResolvedRoles | undefined };
  readonly groups: GroupSource[];
}

interface GroupSource {
  readonly entry: GroupMemberEntry;
  readonly person: SourceAddress;
  readonly roles: ResolvedRoles | undefined;
}

/** Everybody who is a member of a team, with the roles that count for them: the entry's, the group entry's, the team's. */
export function resolveTeam(draft: TeamEntry, references: RosterReferences): ResolvedTeam {
  const { log } = references;
  const before = log.count;
  const team = teamSource(draft, draft.roles && resolveRoles(draft.roles, references));
  for (const entry of draft.members) isPeriod(entry, (entry.is === "user" ? entry.user : entry.group).value, log);
  const ways = membershipSources(draft, references);
  const isComplete = draft.allReadable && log.count === before;
  reportConflictingRoles(ways, log);
  const members = new Map<EmailKey, ResolvedMember>();
  for (const way of ways.values()) {
    const { membership, counting } = periodOf(way, references);
    members.set(way.address, resolveMember(counting, membership, team));
  }
  return { draft, members, isComplete };
}

function teamSource(draft: TeamEntry, roles: ResolvedRoles | undefined) {
  const roleReasons = roles === undefined ? [] : [reasonAt(roles.at.place, "team-roles"), ...roles.through];
  return { draft, roles, roleReasons, reason: reasonAt(draft.at.place, "team", { name: draft.name.value }) };
}

function membershipSources(draft: TeamEntry, references: RosterReferences): ReadonlyMap<EmailKey, MembershipSources> {
  const ways = new Map<EmailKey, MembershipSources>();
  const waysFor = (address: EmailKey): MembershipSources => {
    const found = ways.get(address) ?? { address, groups: [] };
    ways.set(address, found);
    return found;
  };
  const named = new Map<string, GroupMemberEntry>();
  for (const entry of draft.members) {
    const roles = entry.roles && resolveRoles(entry.roles, references);
    if (entry.is === "user") {
      if (!isRosterUser(entry.user, references, "member")) continue;
      const way = waysFor(entry.user.address);
      if (way.direct === undefined) way.direct = { entry, roles };
      else {
        const what = `\`${entry.user.value}\` is a member of this team`;
        reportSecond(entry.user.at, what, way.direct.entry.at, references.log);
      }
    } else {
      for (const person of groupOfEntry(entry, named, references)?.people ?? []) {
        waysFor(person.address).groups.push({ entry, person, roles });
      }
    }
  }
  return ways;
}

/** The group of an entry, unless it is unknown or was named before in the same team, which is reported. */
function groupOfEntry(
  entry: GroupMemberEntry,
  named: Map<string, GroupMemberEntry>,
  { groups, log }: RosterReferences,
): ResolvedGroup | undefined {
  const { value: name, at } = entry.group;
  const first = named.get(name);
  if (first !== undefined) {
    reportSecond(at, `The group \`${name}\` is a member of this team`, first.at, log);
    return undefined;
  }
  named.set(name, entry);
  const group = groups.get(name);
  if (group !== undefined) return group;
  const hint = log.didYouMean(name, groups.keys()) ?? "Define it under `groups`.";
  log.error(at, "unknown-name", `There is no group \`${name}\`.`, hint);
  return undefined;
}

function reportSecond(at: SourceRange, what: string, first: SourceRange, log: RosterDiagnostics): void {
  log.error(at, "duplicate", `${what} twice; first in line ${first.place.line}.`, "Remove one of the two.");
}

/** Two groups of one rank that give one person different roles, reported once for each later group. */
function reportConflictingRoles(ways: ReadonlyMap<EmailKey, MembershipSources>, log: RosterDiagnostics): void {
  const reported = new Set<GroupMemberEntry>();
  for (const { direct, groups } of ways.values()) {
    if (groups.length < 2 || direct?.roles !== undefined) continue;
    const [first, ...others] = groups.filter(({ roles }) => roles !== undefined);
    const other = others.find(({ roles }) => roles && first?.roles && !sameRoles(roles.roles, first.roles.roles));
    if (first === undefined || other?.roles === undefined || reported.has(other.entry)) continue;
    reported.add(other.entry);
    const where = `\`${first.entry.group.value}\` in line ${first.entry.at.place.line}`;
    const message = `\`${other.person.value}\` gets different roles from two groups: \`${other.entry.group.value}\` here, and ${where}.`;
    const hint = "Add an entry for this person: it takes precedence over both groups.";
    log.error(other.roles.at, "conflicting-roles", message, hint);
  }
}

/** Of all ways into a team those that count today; where none does, all of them. */
function periodOf(
  ways: MembershipSources,
  { today, users }: RosterReferences,
): { readonly membership: MembershipPeriod; readonly counting: MembershipSources } {
  const { direct, ...rest } = ways;
  const start = users.get(ways.address)?.from;
  const entries = [...(direct === undefined ? [] : [direct.entry]), ...ways.groups.map(({ entry }) => entry)];
  if (start === undefined && entries.every(({ from, until }) => from === undefined && until === undefined))
    return { membership: { is: "counting" }, counting: ways };
  const groups = ways.groups.filter(({ entry }) => countsOn(today, entry));
  const isDirect = direct !== undefined && countsOn(today, direct.entry);
  const counting = { ...rest, groups, ...(isDirect ? { direct } : {}) };
  const membership = membershipPeriod(entries, start, today);
  return { membership, counting: isDirect || groups.length > 0 ? counting : ways };
}

function resolveMember(
  ways: MembershipSources,
  membership: MembershipPeriod,
  team: ReturnType<typeof teamSource>,
): ResolvedMember {
  const { direct, address } = ways;
  const group = ways.groups.find(({ roles }) => roles !== undefined) ?? ways.groups[0];
  const entryRoles = direct?.roles ?? group?.roles;
  const roles = entryRoles ?? team.roles;
  const isByGroup =
    group !== undefined && (direct === undefined || (direct.roles === undefined && group.roles !== undefined));
  const at = direct?.entry.at ?? group?.entry.at ?? team.draft.at;
  const byGroup = direct?.roles === undefined ? group?.entry.group.value : undefined;
  const because = [
    ...(direct === undefined ? [] : [reasonAt(direct.entry.at.place, "member", { person: address })]),
    ...(isByGroup ? groupReasons(group) : []),
    ...(entryRoles === undefined
      ? team.roleReasons
      : [reasonAt(entryRoles.at.place, "member-roles", { name: byGroup }), ...entryRoles.through]),
    team.reason,
  ];
  const others = isByGroup ? ways.groups.filter((one) => one !== group) : ways.groups;
  const ownership = mergeOwnership(direct?.entry.ownership, ...ways.groups.map(({ entry }) => entry.ownership));
  return {
    address,
    at,
    roles: roles?.roles,
    endings: unlessEmpty(roles?.endings ?? []),
    membership,
    key: direct?.entry.key,
    ownership,
    because,
    alsoBy: unlessEmpty(others.flatMap(groupReasons)),
  };
}

function groupReasons({ entry, person }: GroupSource): readonly Reason[] {
  const name = entry.group.value;
  return [
    reasonAt(entry.at.place, "group", { name }),
    reasonAt(person.at.place, "group-member", { name, person: person.address }),
  ];
}
