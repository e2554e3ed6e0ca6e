import { foldAddress } from "../../model/address.ts";
import { byCodeUnit, type RoleSet, sameRoles } from "../../model/role-set.ts";
import { accountStatus, type ObservedKey, type ObservedUser } from "../../model/snapshot.ts";
import { hasAccess } from "./adopt-people.ts";
import type { ImportedMember, ImportedTeam } from "./adoption.ts";
import { mostFrequent } from "./commonest.ts";
import { type ShownTeam, type TeamHolder, teamName } from "./gather-teams.ts";
import { type ManageableRoles, sharedRoles } from "./manageable-roles.ts";

/** How people and keys are written. */
export interface TeamContext {
  /** The address under which the roster names a person; nothing where it does not name them. */
  readonly emailOf: (user: ObservedUser) => string | undefined;
  /** Whether the roster wants somebody to hold nothing, so that they are too many in any team. */
  readonly isLeaver: (user: ObservedUser) => boolean;
  readonly judge: (key: ObservedKey) => ManageableRoles;
  readonly roles: "keep" | "omit";
}

interface TeamMemberRoles {
  readonly email: string;
  readonly roles: ManageableRoles;
}

/** A team with all its members, open only where somebody in it cannot be named. */
export function importTeam(team: ShownTeam, ground: TeamContext): ImportedTeam {
  const members = teamMembers(team.holders, ground);
  const strangers = team.holders.filter((holder) => isUnnamedMember(holder, ground)).map(({ user }) => user.email);
  const remarks = [
    ...(team.name === undefined
      ? ["The service does not show the name of this team; its identifier stands for it."]
      : []),
    ...(strangers.length === 0 ? [] : [`Open, because the roster cannot name ${strangers.join(", ")}.`]),
  ];
  const common = { name: teamName(team), identifier: team.identifier, open: strangers.length > 0 };
  if (ground.roles === "omit") return { ...common, members: members.map(({ email }) => ({ email })), remarks };
  const unmanaged = members.flatMap(({ email, roles }) => ("why" in roles ? [`${email} (${roles.why})`] : []));
  if (unmanaged.length > 0) {
    const told = `Not managed are the roles of ${unmanaged.join(", ")}; so the team has no roles of its own.`;
    return { ...common, members: members.map(withOwnRoles), remarks: [...remarks, told] };
  }
  const roles = mostFrequentRoles(members);
  return {
    ...common,
    ...(roles === undefined ? {} : { roles }),
    members: members.map((member) => memberEntry(member, roles)),
    remarks,
  };
}

function teamMembers(holders: readonly TeamHolder[], { emailOf, judge }: TeamContext): readonly TeamMemberRoles[] {
  const named = new Map<string, TeamMemberRoles>();
  for (const { user, keys } of holders) {
    const email = emailOf(user);
    if (email !== undefined && !named.has(email)) named.set(email, { email, roles: sharedRoles(keys, judge) });
  }
  return [...named.values()].sort((a, b) => byCodeUnit(foldAddress(a.email), foldAddress(b.email)));
}

/** Somebody whom a plan would call a member too many, without that being what the roster wants. */
function isUnnamedMember({ user, keys }: TeamHolder, { emailOf, isLeaver }: TeamContext): boolean {
  if (emailOf(user) !== undefined || isLeaver(user) || !hasAccess(user)) return false;
  return keys.some(({ status }) => accountStatus(status) !== "barred");
}

function withOwnRoles({ email, roles }: TeamMemberRoles): ImportedMember {
  return "why" in roles ? { email } : { email, roles: roles.roles };
}

function memberEntry({ email, roles }: TeamMemberRoles, usual: RoleSet | undefined): ImportedMember {
  const isUsual = "why" in roles || (usual !== undefined && sameRoles(roles.roles, usual));
  return isUsual ? { email } : { email, roles: roles.roles };
}

/** Role sets are sorted lists, so that equal sets are equal texts. */
function mostFrequentRoles(members: readonly TeamMemberRoles[]): RoleSet | undefined {
  const sets = new Map<string, RoleSet>();
  const texts = members.flatMap(({ roles }) => {
    if ("why" in roles) return [];
    const text = JSON.stringify(roles.roles);
    sets.set(text, roles.roles);
    return [text];
  });
  return sets.get(mostFrequent(texts) ?? "");
}
