import { foldAddress } from "../../model/address.ts";
import { byCodeUnit, type RoleSet, sameRoles } from "../../model/role-set.ts";
import { type ObservedKey, type ObservedUser, standing } from "../../model/snapshot.ts";
import { opensSomething } from "./adopt-people.ts";
import type { AdoptedMember, AdoptedTeam } from "./adoption.ts";
import { commonest } from "./commonest.ts";
import { nameOf, type ShownTeam, type TeamHolder } from "./gather-teams.ts";
import { type Manageable, sharedRoles } from "./manageable-roles.ts";

/** How people and keys are written. */
export interface TeamGround {
  /** The address under which the roster names a person; nothing where it does not name them. */
  readonly emailOf: (user: ObservedUser) => string | undefined;
  /** Whether the roster wants somebody to hold nothing, so that they are too many in any team. */
  readonly isLeaver: (user: ObservedUser) => boolean;
  readonly judge: (key: ObservedKey) => Manageable;
  readonly roles: "keep" | "omit";
}

interface Placed {
  readonly email: string;
  readonly roles: Manageable;
}

/** A team with all its members, open only where somebody in it cannot be named. */
export function adoptTeam(team: ShownTeam, ground: TeamGround): AdoptedTeam {
  const members = placed(team.holders, ground);
  const strangers = team.holders.filter((holder) => isStranger(holder, ground)).map(({ user }) => user.email);
  const remarks = [
    ...(team.name === undefined
      ? ["The service does not show the name of this team; its identifier stands for it."]
      : []),
    ...(strangers.length === 0 ? [] : [`Open, because the roster cannot name ${strangers.join(", ")}.`]),
  ];
  const common = { name: nameOf(team), identifier: team.identifier, open: strangers.length > 0 };
  if (ground.roles === "omit") return { ...common, members: members.map(({ email }) => ({ email })), remarks };
  const unmanaged = members.flatMap(({ email, roles }) => ("why" in roles ? [`${email} (${roles.why})`] : []));
  if (unmanaged.length > 0) {
    const told = `Not managed are the roles of ${unmanaged.join(", ")}; so the team has no roles of its own.`;
    return { ...common, members: members.map(withOwnRoles), remarks: [...remarks, told] };
  }
  const roles = commonestRoles(members);
  return {
    ...common,
    ...(roles === undefined ? {} : { roles }),
    members: members.map((member) => exception(member, roles)),
    remarks,
  };
}

function placed(holders: readonly TeamHolder[], { emailOf, judge }: TeamGround): readonly Placed[] {
  const named = new Map<string, Placed>();
  for (const { user, keys } of holders) {
    const email = emailOf(user);
    if (email !== undefined && !named.has(email)) named.set(email, { email, roles: sharedRoles(keys, judge) });
  }
  return [...named.values()].sort((a, b) => byCodeUnit(foldAddress(a.email), foldAddress(b.email)));
}

/** Somebody whom a plan would call a member too many, without that being what the roster wants. */
function isStranger({ user, keys }: TeamHolder, { emailOf, isLeaver }: TeamGround): boolean {
  if (emailOf(user) !== undefined || isLeaver(user) || !opensSomething(user)) return false;
  return keys.some(({ status }) => standing(status) !== "barred");
}

function withOwnRoles({ email, roles }: Placed): AdoptedMember {
  return "why" in roles ? { email } : { email, roles: roles.roles };
}

function exception({ email, roles }: Placed, usual: RoleSet | undefined): AdoptedMember {
  const isUsual = "why" in roles || (usual !== undefined && sameRoles(roles.roles, usual));
  return isUsual ? { email } : { email, roles: roles.roles };
}

/** Role sets are sorted lists, so that equal sets are equal texts. */
function commonestRoles(members: readonly Placed[]): RoleSet | undefined {
  const sets = new Map<string, RoleSet>();
  const texts = members.flatMap(({ roles }) => {
    if ("why" in roles) return [];
    const text = JSON.stringify(roles.roles);
    sets.set(text, roles.roles);
    return [text];
  });
  return sets.get(commonest(texts) ?? "");
}
