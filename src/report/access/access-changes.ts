import {
  type Action,
  type AddMembers,
  type CreateUser,
  giverOf,
  prefixOf,
  type ReplaceRoles,
  teamOf,
} from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import { groupBy } from "../../model/collections.ts";
import { type Fact, factValue } from "../../model/fact.ts";
import type { PrivilegedKey } from "../../model/key.ts";
import { type MembershipKey, membershipKeyOf } from "../../model/membership.ts";
import type { Plan } from "../../model/plan.ts";
import type { TeamKey } from "../../model/recorded.ts";
import { type RoleSet, rolesWithout } from "../../model/role-set.ts";
import { createdByThisPlan } from "../../model/subject.ts";
import { onceOfEach, type PlanNames, planNames } from "../document/actions.ts";
import {
  type AccessChange,
  type AccessHolder,
  accessRanks,
  type ChangedKey,
  type ChangeOrigin,
  highestRank,
  type PersonAccess,
  type RoleChange,
  type RolesBefore,
  type TeamLabel,
  teamLabels,
} from "./person-access.ts";

/**
 * Who gains and loses which access by a plan: accounts, memberships, roles on keys. Sorted by rank, within a rank in the order of
 * the plan: people who gain a privileged role, have one for a moment, lose one, lose any role, and all others.
 */
export function accessChanges(plan: Plan, privileged: RoleSet): readonly PersonAccess[] {
  const ranked = accessInPlanOrder(plan).map((access) => ({ access, rank: highestRank(access.changes, privileged) }));
  return accessRanks.flatMap((rank) => ranked.filter((one) => one.rank === rank).map(({ access }) => access));
}

/** The same in the order in which the plan first names each person. */
export const accessInPlanOrder = onceOfEach(readAccess);

function readAccess(plan: Plan): readonly PersonAccess[] {
  const index = indexPlan(plan);
  const people = new Map<string, { readonly who: AccessHolder; readonly changes: AccessChange[] }>();
  for (const { who, change } of plan.actions.flatMap((action) => changesBy(action, index))) {
    const holder = who.is === "person" ? `person ${who.address}` : `key ${who.prefix}`;
    const known = people.get(holder) ?? { who, changes: [] };
    known.changes.push(change);
    people.set(holder, known);
  }
  return [...people.values()];
}

interface PlanIndex {
  readonly names: PlanNames;
  readonly creations: ReadonlyMap<EmailKey, CreateUser>;
  label(team: TeamKey): TeamLabel;
  /** Whose team key, and whose own key, a replacement makes exact. */
  readonly exactInTeam: ReadonlySet<MembershipKey>;
  readonly exactOwn: ReadonlySet<EmailKey>;
}

interface HolderChange {
  readonly who: AccessHolder;
  readonly change: AccessChange;
}

function indexPlan(plan: Plan): PlanIndex {
  const creations = new Map<EmailKey, CreateUser>();
  const exactInTeam = new Set<MembershipKey>();
  const exactOwn = new Set<EmailKey>();
  for (const action of plan.actions) {
    if (action.kind === "create-user") creations.set(action.address, action);
    if (action.kind !== "replace-roles") continue;
    if (action.key.of === "own-key") exactOwn.add(action.key.address);
    const place = membershipOfKey(action);
    if (place !== undefined) exactInTeam.add(place);
  }
  const labels = teamLabels(plan);
  return {
    names: planNames(plan),
    label: (team) => labels.get(team) ?? { team, name: planNames(plan).team(team) },
    creations,
    exactInTeam,
    exactOwn,
  };
}

function membershipOfKey(action: ReplaceRoles): MembershipKey | undefined {
  const [team, { address }] = [teamOf(action), action.key];
  return team === undefined || address === undefined ? undefined : membershipKeyOf(team, address);
}

function changesBy(action: Action, index: PlanIndex): readonly HolderChange[] {
  switch (action.kind) {
    case "create-user":
      return changesByCreation(action, index);
    case "add-members":
      return changesByAdditions(action, index);
    case "replace-roles":
      return [changeByReplacement(action, index)];
  }
}

function changesByCreation(action: CreateUser, index: PlanIndex): readonly HolderChange[] {
  const { address, account, createsTeam } = action;
  const who = personHolder(address, index);
  const changes: readonly AccessChange[] = [
    { is: "account", ...originOf(action), account },
    ...(createsTeam === undefined ? ownKey(action, index) : teamCreation(action, createsTeam, index)),
  ];
  return changes.map((change) => ({ who, change }));
}

function ownKey(action: CreateUser, { exactOwn }: PlanIndex): readonly AccessChange[] {
  return exactOwn.has(action.address) ? [] : [givenRoles({ of: "own-key" }, originOf(action))];
}

function teamCreation(
  action: CreateUser,
  createsTeam: NonNullable<CreateUser["createsTeam"]>,
  { exactInTeam, label }: PlanIndex,
): readonly AccessChange[] {
  const team = label(createsTeam.team);
  const isExact = exactInTeam.has(membershipKeyOf(createsTeam.team, action.address));
  return [
    { is: "membership", ...originOf(action), team, how: "first-member" },
    ...(isExact ? [] : [firstMembersRoles(action, createsTeam, team)]),
  ];
}

function changesByAdditions(action: AddMembers, index: PlanIndex): readonly HolderChange[] {
  const reasons = reasonsByPerson(action);
  return action.members.flatMap((member) => {
    const because = reasons.get(member.address) ?? action.because;
    return changesByAddition(action, member.address, { ...originOf(action), because }, index);
  });
}

function changesByAddition(
  action: AddMembers,
  member: EmailKey,
  origin: ChangeOrigin,
  index: PlanIndex,
): readonly HolderChange[] {
  const team = index.label(action.team);
  const who = personHolder(member, index);
  const joins: HolderChange = { who, change: { is: "membership", ...origin, team, how: "added" } };
  const isExact = index.exactInTeam.has(membershipKeyOf(team.team, member));
  if (isExact) return [joins];
  return [joins, { who, change: givenRoles({ of: "team-key", team }, origin) }];
}

function originOf({ id, rule, because }: Action): ChangeOrigin {
  return { action: id, rule, because };
}

/** The lines that are about each of the members, where the plan says which they are. */
function reasonsByPerson({ because }: AddMembers): ReadonlyMap<EmailKey, AddMembers["because"]> {
  return groupBy(because, ({ person }) => person);
}

function changeByReplacement(action: ReplaceRoles, index: PlanIndex): HolderChange {
  const { key } = action;
  const creation = key.of === "team-key" ? index.creations.get(key.address) : undefined;
  const firstMember = creation?.id === giverOf(action) ? creation : undefined;
  return { who: holderOf(action, index), change: replacedRoles(action, firstMember, index) };
}

function holderOf(action: ReplaceRoles, index: PlanIndex): AccessHolder {
  const { address } = action.key;
  return address === undefined ? { is: "key", prefix: prefixOf(action) ?? action.id } : personHolder(address, index);
}

function personHolder(address: EmailKey, { creations, names }: PlanIndex): AccessHolder {
  const user = creations.get(address)?.user;
  const email = names.email(address);
  if (user === undefined) return { is: "person", address, email };
  return { is: "person", address, email, name: `${user.firstName} ${user.lastName}` };
}

/** What a replacement does to the roles of its key; the creation is that of the first member whose key it is. */
function replacedRoles(action: ReplaceRoles, firstMember: CreateUser | undefined, index: PlanIndex): RoleChange {
  const { key, before, roles } = action;
  const had = factValue(before) ?? [];
  return {
    is: "roles",
    ...originOf(action),
    key: changedKey(action, index),
    gains: rolesWithout(roles, had),
    loses: rolesWithout(had, roles),
    keeps: roles.filter((role) => had.includes(role)),
    before: key.of === "prefix" ? rolesBefore(before) : { known: "new-key" },
    after: "exactly",
    forAMoment: rolesWithout(firstMember?.createsTeam?.temporaryRoles ?? [], roles),
  };
}

/** The key of a first member that no call makes exact: the service may give it more than was asked for. */
function firstMembersRoles(
  action: CreateUser,
  createsTeam: NonNullable<CreateUser["createsTeam"]>,
  team: TeamLabel,
): RoleChange {
  return {
    ...givenRoles({ of: "team-key", team }, originOf(action)),
    gains: createsTeam.accessKeyRoles,
    after: "at-least",
    forAMoment: rolesWithout(createsTeam.temporaryRoles, createsTeam.accessKeyRoles),
  };
}

/** A key that comes with a call and is not in the roster. */
function givenRoles(key: ChangedKey, origin: ChangeOrigin): RoleChange {
  const none: RoleSet = [];
  const roles = { gains: none, loses: none, keeps: none, forAMoment: none };
  return { is: "roles", key, ...roles, before: { known: "new-key" }, after: "whatever-comes", ...origin };
}

function changedKey({ key, because }: ReplaceRoles, { label }: PlanIndex): ChangedKey {
  switch (key.of) {
    case "own-key":
      return { of: "own-key" };
    case "team-key":
      return { of: "team-key", team: label(key.team) };
    case "prefix": {
      const prefix = factValue(key.prefix);
      const shown = prefix === undefined ? {} : { prefix };
      if (key.team !== undefined) return { of: "team-key", team: label(key.team), ...shown };
      if (key.own === true || because.some(({ as }) => as === "own-key-roles")) return { of: "own-key", ...shown };
      return { of: "key", prefix: prefix ?? "prefix not known" };
    }
  }
}

function rolesBefore(before: Fact<RoleSet>): RolesBefore {
  switch (before.known) {
    case "observed":
      return { known: "shown" };
    case "recorded":
      return { known: "recorded", at: before.at };
    case "declared":
      return { known: "declared", place: before.place };
    case "unknown":
      return before.why === createdByThisPlan ? { known: "new-key" } : { known: "not-known", why: before.why };
  }
}

/** The privileged roles that remain after a plan is applied. */
export function remainingPrivileges(shown: readonly PrivilegedKey[], plan: Plan): readonly PrivilegedKey[] {
  if (shown.length === 0) return shown;
  const lost = new Map<string, RoleSet>();
  for (const { changes } of accessInPlanOrder(plan)) {
    for (const change of changes) {
      const prefix = change.is === "roles" ? change.key.prefix : undefined;
      if (change.is === "roles" && prefix !== undefined) lost.set(prefix, change.loses);
    }
  }
  return shown.flatMap((one) => {
    const roles = rolesWithout(one.roles, lost.get(one.prefix) ?? []);
    return roles.length === 0 ? [] : [{ ...one, roles }];
  });
}

/** Keys of a person that carry one of some roles. What gains or has lost them is among them neither before nor after. */
export function privilegedKeysOf(
  shown: readonly PrivilegedKey[],
  { who, roles }: { readonly who: AccessHolder; readonly roles: RoleSet },
): readonly PrivilegedKey[] {
  if (who.is === "key") return [];
  return shown.filter((one) => one.address === who.address && one.roles.some((role) => roles.includes(role)));
}
