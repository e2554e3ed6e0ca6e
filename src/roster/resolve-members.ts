import type { FoldedAddress } from "../model/address.ts";
import { type Reason, reasonAt } from "../model/fact.ts";
import { sameRoles } from "../model/role-set.ts";
import type { RosterDiagnostics } from "./diagnostics.ts";
import type { GroupMemberEntry, SourceAddress, TeamEntry, UserMemberEntry } from "./document.ts";
import {
  isRosterUser,
  type ResolvedGroup,
  type ResolvedMember,
  type ResolvedRoles,
  type ResolvedTeam,
  type RosterReferences,
  resolveRoles,
} from "./resolve.ts";

/** All the ways in which one person is a member of one team. */
interface MembershipSources {
  readonly address: FoldedAddress;
  direct?: { readonly entry: UserMemberEntry; readonly roles: ResolvedRoles | undefined };
  readonly groups: GroupSource[];
}

interface GroupSource {
  readonly entry: GroupMemberEntry;
  readonly person: SourceAddress;
  readonly roles: ResolvedRoles | undefined;
}

/** Everybody who is a member of a team, with the roles that count for them: the entry's, the group entry's, the team's. */
export function resolveTeam(draft: TeamEntry, references: RosterReferences, log: RosterDiagnostics): ResolvedTeam {
  const before = log.count;
  const teamRoles = draft.roles && resolveRoles(draft.roles, references, log);
  const ways = membershipSources(draft, references, log);
  const isComplete = draft.allReadable && log.count === before;
  reportConflictingRoles(ways, log);
  const members = new Map<FoldedAddress, ResolvedMember>();
  for (const way of ways.values()) members.set(way.address, resolveMember(way, draft, teamRoles));
  return { draft, members, isComplete };
}

/** How many people are members of a team, each counted once. */
export function memberCount({ members }: TeamEntry, { users, groups }: RosterReferences): number {
  const [only] = members;
  if (members.length === 1 && only?.is === "group") return groups.get(only.group.value)?.people.length ?? 0;
  const people = new Set<FoldedAddress>();
  for (const entry of members) {
    if (entry.is === "user") {
      if (users.has(entry.user.address)) people.add(entry.user.address);
    } else {
      for (const { address } of groups.get(entry.group.value)?.people ?? []) people.add(address);
    }
  }
  return people.size;
}

function membershipSources(
  draft: TeamEntry,
  references: RosterReferences,
  log: RosterDiagnostics,
): ReadonlyMap<FoldedAddress, MembershipSources> {
  const ways = new Map<FoldedAddress, MembershipSources>();
  const waysFor = (address: FoldedAddress): MembershipSources => {
    const found = ways.get(address) ?? { address, groups: [] };
    ways.set(address, found);
    return found;
  };
  const named = new Map<string, GroupMemberEntry>();
  for (const entry of draft.members) {
    const roles = entry.roles && resolveRoles(entry.roles, references, log);
    if (entry.is === "user") {
      if (!isRosterUser(entry.user, references, "member", log)) continue;
      const way = waysFor(entry.user.address);
      if (way.direct === undefined) way.direct = { entry, roles };
      else reportDuplicateMember(entry.user, way.direct.entry, log);
    } else {
      for (const person of groupOfEntry(entry, named, references, log)?.people ?? []) {
        waysFor(person.address).groups.push({ entry, person, roles });
      }
    }
  }
  return ways;
}

function reportDuplicateMember(user: SourceAddress, first: UserMemberEntry, log: RosterDiagnostics): void {
  const message = `\`${user.value}\` is a member of this team twice; the first time in line ${first.at.place.line}.`;
  log.error(user.at, "duplicate-member", message, "Remove one of the two.");
}

/** The group of an entry, unless it is unknown or was named before in the same team, which is told. */
function groupOfEntry(
  entry: GroupMemberEntry,
  named: Map<string, GroupMemberEntry>,
  { groups }: RosterReferences,
  log: RosterDiagnostics,
): ResolvedGroup | undefined {
  const { value: name, at } = entry.group;
  const first = named.get(name);
  if (first !== undefined) {
    const message = `The group \`${name}\` is a member of this team twice; the first time in line ${first.at.place.line}.`;
    log.error(at, "duplicate-member", message, "Remove one of the two.");
    return undefined;
  }
  named.set(name, entry);
  const group = groups.get(name);
  if (group !== undefined) return group;
  const hint = log.didYouMean(name, groups.keys()) ?? "Define it under `groups`.";
  log.error(at, "unknown-group", `There is no group \`${name}\`.`, hint);
  return undefined;
}

/** Two groups of one rank that give one person different roles, told once for each later group. */
function reportConflictingRoles(ways: ReadonlyMap<FoldedAddress, MembershipSources>, log: RosterDiagnostics): void {
  const told = new Set<GroupMemberEntry>();
  for (const { direct, groups } of ways.values()) {
    if (groups.length < 2 || direct?.roles !== undefined) continue;
    const [first, ...others] = groups.filter(({ roles }) => roles !== undefined);
    const other = others.find(({ roles }) => roles && first?.roles && !sameRoles(roles.roles, first.roles.roles));
    if (first === undefined || other?.roles === undefined || told.has(other.entry)) continue;
    told.add(other.entry);
    const where = `line ${first.entry.at.place.line} as one of \`${first.entry.group.value}\``;
    const message = `\`${other.person.value}\` gets other roles here, as one of \`${other.entry.group.value}\`, than in ${where}.`;
    log.error(
      other.roles.at,
      "conflicting-roles",
      message,
      "Give this person an entry of their own: it beats both groups.",
    );
  }
}

function resolveMember(
  ways: MembershipSources,
  draft: TeamEntry,
  teamRoles: ResolvedRoles | undefined,
): ResolvedMember {
  const { direct, address } = ways;
  const group = ways.groups.find(({ roles }) => roles !== undefined) ?? ways.groups[0];
  const entryRoles = direct?.roles ?? group?.roles;
  const roles = entryRoles ?? teamRoles;
  const isByGroup =
    group !== undefined && (direct === undefined || (direct.roles === undefined && group.roles !== undefined));
  const at = direct?.entry.at ?? group?.entry.at ?? draft.at;
  const because = [
    ...(direct === undefined ? [] : [reasonAt(direct.entry.at.place, "member", { person: address })]),
    ...(isByGroup ? groupReasons(group) : []),
    ...(roles === undefined
      ? []
      : [reasonAt(roles.at.place, entryRoles === undefined ? "team-roles" : "member-roles")]),
    ...(roles?.through ?? []),
    reasonAt(draft.at.place, "team", { name: draft.name.value }),
  ];
  const others = isByGroup ? ways.groups.filter((one) => one !== group) : ways.groups;
  const alsoBy = others.flatMap(groupReasons);
  return { address, at, roles: roles?.roles, key: direct?.entry.key, because, alsoBy };
}

function groupReasons({ entry, person }: GroupSource): readonly Reason[] {
  const name = entry.group.value;
  return [
    reasonAt(entry.at.place, "group", { name }),
    reasonAt(person.at.place, "group-member", { name, person: person.address }),
  ];
}
