import type { Action, ActionId, AddMembers, CreateUser, PersonRef, ReplaceRoles } from "../../model/action.ts";
import type { FoldedAddress } from "../../model/address.ts";
import { factValue, type Reason } from "../../model/fact.ts";
import type { Plan } from "../../model/plan.ts";
import type { RoleSet } from "../../model/role-set.ts";
import { type MembershipKey, membershipKeyOf } from "../../model/team.ts";
import { type PlanNames, planNames } from "../plan-names.ts";
import type { AccessChange, AccessHolder, ChangeOrigin, PersonAccess } from "./access-change.ts";
import { accessRanks, highestRank } from "./privilege.ts";
import { foundersRoles, givenRoles, replacedRoles } from "./role-change.ts";
import { accountsToShow, withTeamAccount } from "./team-accounts.ts";
import { identifiersToShow, withTeamIdentifier } from "./team-twins.ts";

/**
 * Who gains and loses which access by a plan: accounts, places in teams, roles on keys. Whoever gains a privileged role comes first,
 * then who has one for a moment, who loses one, who loses anything, and all others; within a rank in the order of the plan.
 */
export function accessChanges(plan: Plan, privileged: RoleSet): readonly PersonAccess[] {
  const ranked = accessInPlanOrder(plan).map((access) => ({ access, rank: highestRank(access.changes, privileged) }));
  return accessRanks.flatMap((rank) => ranked.filter((one) => one.rank === rank).map(({ access }) => access));
}

/** The same, everybody where the plan first names them. */
export function accessInPlanOrder(plan: Plan): readonly PersonAccess[] {
  const ground = indexPlan(plan);
  const people = new Map<string, { readonly who: AccessHolder; readonly changes: AccessChange[] }>();
  const accounts = accountsToShow(plan.actions);
  const identifiers = identifiersToShow(plan.actions);
  for (const { who, change } of plan.actions.flatMap((action) => changesBy(action, ground))) {
    const sameness = who.is === "person" ? `person ${who.address}` : `key ${who.prefix}`;
    const known = people.get(sameness) ?? { who, changes: [] };
    known.changes.push(withTeamIdentifier(withTeamAccount(change, accounts), identifiers));
    people.set(sameness, known);
  }
  return [...people.values()];
}

interface PlanIndex {
  readonly names: PlanNames;
  readonly creations: ReadonlyMap<FoldedAddress, CreateUser>;
  /** Whose team key, and whose own key, a replacement makes exact. */
  readonly exactInTeam: ReadonlySet<MembershipKey>;
  readonly exactOwn: ReadonlySet<FoldedAddress>;
}

interface HolderChange {
  readonly who: AccessHolder;
  readonly change: AccessChange;
}

function indexPlan(plan: Plan): PlanIndex {
  const creations = new Map<FoldedAddress, CreateUser>();
  const exactInTeam = new Set<MembershipKey>();
  const exactOwn = new Set<FoldedAddress>();
  for (const action of plan.actions) {
    if (action.kind === "create-user") creations.set(action.address, action);
    if (action.kind !== "replace-roles") continue;
    if (action.key.of === "own-key") exactOwn.add(action.key.address);
    const place = membershipOfKey(action);
    if (place !== undefined) exactInTeam.add(place);
  }
  return { names: planNames(plan), creations, exactInTeam, exactOwn };
}

function membershipOfKey({ key, owner }: ReplaceRoles): MembershipKey | undefined {
  if (key.of === "team-key") return membershipKeyOf(key.team.team, key.address);
  if (key.of === "own-key" || key.team === undefined || owner === undefined) return undefined;
  return membershipKeyOf(key.team.team, owner.address);
}

function changesBy(action: Action, ground: PlanIndex): readonly HolderChange[] {
  switch (action.kind) {
    case "create-user":
      return changesByCreation(action, ground);
    case "add-members":
      return changesByAdditions(action, ground);
    case "replace-roles":
      return [changeByReplacement(action, ground)];
  }
}

function changesByCreation(action: CreateUser, ground: PlanIndex): readonly HolderChange[] {
  const { address, account, user, founds } = action;
  const who = personHolder({ address, email: user.email }, ground);
  const changes: readonly AccessChange[] = [
    { is: "account", ...originOf(action), account },
    ...(founds === undefined ? ownKey(action, ground) : founding(action, founds, ground)),
  ];
  return changes.map((change) => ({ who, change }));
}

function ownKey(action: CreateUser, { exactOwn }: PlanIndex): readonly AccessChange[] {
  return exactOwn.has(action.address) ? [] : [givenRoles({ of: "own-key" }, originOf(action))];
}

function founding(
  action: CreateUser,
  founds: NonNullable<CreateUser["founds"]>,
  { exactInTeam }: PlanIndex,
): readonly AccessChange[] {
  const team = { team: founds.team, name: founds.name };
  const isExact = exactInTeam.has(membershipKeyOf(founds.team, action.address));
  return [
    { is: "membership", ...originOf(action), team, how: "founder" },
    ...(isExact ? [] : [foundersRoles(action, founds)]),
  ];
}

function changesByAdditions(action: AddMembers, ground: PlanIndex): readonly HolderChange[] {
  const reasons = reasonsByPerson(action);
  return action.members.flatMap((member) => {
    const because = reasons.get(member.address) ?? action.because;
    return changesByAddition(action, member, { ...originOf(action), because }, ground);
  });
}

function changesByAddition(
  action: AddMembers,
  member: PersonRef,
  origin: ChangeOrigin,
  ground: PlanIndex,
): readonly HolderChange[] {
  const { team } = action;
  const who = personHolder(member, ground);
  const named = { team: team.team, name: team.name };
  const how = action.again === true ? "invited-again" : "added";
  const joins: HolderChange = { who, change: { is: "membership", ...origin, team: named, how } };
  const isExact = ground.exactInTeam.has(membershipKeyOf(team.team, member.address));
  if (isExact || action.again === true) return [joins];
  return [joins, { who, change: givenRoles({ of: "team-key", team: named }, origin) }];
}

function originOf({ id, rule, because }: Action): ChangeOrigin {
  return { action: id, rule, because };
}

/** The lines that are about each of the members, where the plan says which they are. */
function reasonsByPerson({ because }: AddMembers): ReadonlyMap<FoldedAddress, AddMembers["because"]> {
  const byPerson = new Map<FoldedAddress, Reason[]>();
  for (const reason of because) {
    if (reason.person === undefined) continue;
    const known = byPerson.get(reason.person);
    if (known === undefined) byPerson.set(reason.person, [reason]);
    else known.push(reason);
  }
  return byPerson;
}

function changeByReplacement(action: ReplaceRoles, ground: PlanIndex): HolderChange {
  const { key } = action;
  const founder = key.of === "team-key" ? ownFounding(key, ground) : undefined;
  return { who: holderOf(action, ground), change: replacedRoles(action, founder) };
}

function ownFounding(
  { address, givenBy }: { readonly address: FoldedAddress; readonly givenBy: ActionId },
  { creations }: PlanIndex,
): CreateUser | undefined {
  const creation = creations.get(address);
  return creation?.id === givenBy ? creation : undefined;
}

function holderOf({ key, owner, id }: ReplaceRoles, ground: PlanIndex): AccessHolder {
  if (owner !== undefined) return personHolder(owner, ground);
  if (key.of === "prefix") return { is: "key", prefix: factValue(key.prefix) ?? id };
  return personHolder({ address: key.address, email: ground.names.email(key.address) }, ground);
}

function personHolder(
  { address, email }: Pick<PersonRef, "address" | "email">,
  { creations }: PlanIndex,
): AccessHolder {
  const user = creations.get(address)?.user;
  if (user === undefined) return { is: "person", address, email };
  return { is: "person", address, email: user.email, name: `${user.firstName} ${user.lastName}` };
}
