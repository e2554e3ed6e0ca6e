import {
  type Action,
  type ActionId,
  type AddMembers,
  type CreateUser,
  creationId,
  giverOf,
  prefixOf,
  type ReplaceRoles,
  type RuleName,
  teamOf,
} from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import { groupBy } from "../../model/collections.ts";
import { type Fact, factValue, type Reason } from "../../model/fact.ts";
import { type MembershipKey, membershipKeyOf } from "../../model/membership.ts";
import type { Plan } from "../../model/plan.ts";
import type { TeamKey } from "../../model/recorded.ts";
import { type RoleSet, rolesWithout } from "../../model/role-set.ts";
import { createdByThisPlan } from "../../model/subject.ts";
import { onceOfEach, type PlanNames, planNames } from "../document/actions.ts";

/** What one person, or the unknown owner of one key, gains and loses by a plan. */
export interface PersonAccess {
  readonly who: AccessHolder;
  /** Never empty; in the order of the plan. */
  readonly changes: readonly AccessChange[];
}

export type AccessHolder =
  /** `name`: first and last name, where the plan creates the person. */
  | { readonly is: "person"; readonly address: EmailKey; readonly email: string; readonly name?: string }
  /** A key whose owner the plan does not name. */
  | { readonly is: "key"; readonly prefix: string };

/** `first-member`: the person is created together with the team, and no mail is sent. */
export type AccessChange =
  | (ChangeOrigin & { readonly is: "account"; readonly account: string })
  | (ChangeOrigin & { readonly is: "membership"; readonly team: TeamKey; readonly how: "first-member" | "added" })
  | RoleChange;

interface ChangeOrigin {
  /** The call by which it happens. */
  readonly action: ActionId;
  readonly rule: RuleName;
  /** The lines that ask for it, the first for the most. */
  readonly because: readonly Reason[];
}

/** The roles of one key change, or a key comes with roles. */
export interface RoleChange extends ChangeOrigin {
  readonly is: "roles";
  readonly key: ChangedKey;
  /** What it has afterwards and had not, or may not have had, before. */
  readonly gains: RoleSet;
  /** What it is known to have had, and has no more. */
  readonly loses: RoleSet;
  readonly keeps: RoleSet;
  /** Of a key that comes with this plan: `new-key`. */
  readonly before: Fact<RoleSet> | { readonly known: "new-key" };
  /** `at-least`: the service may add to it. `whatever-comes`: the roster asks for none, and the service decides. */
  readonly after: "exactly" | "at-least" | "whatever-comes";
  /** Privileged roles that it carries until it is made exact. */
  readonly forAMoment: RoleSet;
}

export type ChangedKey =
  | { readonly of: "team-key"; readonly team: TeamKey; readonly prefix?: string }
  | { readonly of: "own-key"; readonly prefix?: string }
  | { readonly of: "key"; readonly prefix: string };

/** What of a change is about privileged roles. */
export function privilegeChange(
  change: AccessChange,
  privileged: RoleSet,
): Pick<RoleChange, "gains" | "loses" | "forAMoment"> {
  if (change.is !== "roles") return { gains: [], loses: [], forAMoment: [] };
  const of = (roles: RoleSet) => roles.filter((role) => privileged.includes(role));
  // The plan has decided already that what a key has for a moment is privileged.
  return { gains: of(change.gains), loses: of(change.loses), forAMoment: change.forAMoment };
}

/** Whether a change gives or takes a privileged role, even for a moment. */
export function isPrivilegedChange(change: AccessChange, privileged: RoleSet): boolean {
  return Object.values(privilegeChange(change, privileged)).some((roles) => roles.length > 0);
}

/** Who gains and loses which access by a plan: accounts, memberships, roles on keys. In the order in which it first names each. */
export const accessChanges = onceOfEach((plan: Plan): readonly PersonAccess[] => {
  const names = planNames(plan);
  const exact = new Set(plan.actions.flatMap(exactKey));
  const all = plan.actions.flatMap((action) => changesBy(action, names, exact));
  const byHolder = groupBy(all, ({ who }) => (who.is === "person" ? who.address : `key ${who.prefix}`));
  return [...byHolder.values()].map((own) => ({ who: own[0].who, changes: own.map(({ change }) => change) }));
});

interface HolderChange {
  readonly who: AccessHolder;
  readonly change: AccessChange;
}

/** A key that comes with a call: in a team, or the own key of an address. */
type NewKey = MembershipKey | EmailKey;

/** The new key that a replacement makes exact. */
function exactKey(action: Action): readonly NewKey[] {
  if (action.kind !== "replace-roles" || action.key.address === undefined) return [];
  const team = teamOf(action);
  return [team === undefined ? action.key.address : membershipKeyOf(team, action.key.address)];
}

function changesBy(action: Action, names: PlanNames, exact: ReadonlySet<NewKey>): readonly HolderChange[] {
  switch (action.kind) {
    case "create-user": {
      const who = person(action.address, names);
      return changesByCreation(action, exact).map((change) => ({ who, change }));
    }
    case "add-members": {
      // The lines that are about each of the members, where the plan says which they are.
      const reasons = groupBy(action.because, (reason) => reason.person);
      return action.members.flatMap(({ address }) => {
        const origin = { ...originOf(action), because: reasons.get(address) ?? action.because };
        const who = person(address, names);
        return changesByAddition(action, address, origin, exact).map((change) => ({ who, change }));
      });
    }
    case "replace-roles": {
      const { address } = action.key;
      const who: AccessHolder =
        address === undefined ? { is: "key", prefix: prefixOf(action) ?? action.id } : person(address, names);
      return [{ who, change: changeByReplacement(action, names) }];
    }
  }
}

function person(address: EmailKey, names: PlanNames): AccessHolder {
  const creation = names.action(creationId(address));
  const known = { is: "person", address, email: names.email(address) } as const;
  if (creation?.kind !== "create-user") return known;
  return { ...known, name: `${creation.user.firstName} ${creation.user.lastName}` };
}

function originOf({ id, rule, because }: Action): ChangeOrigin {
  return { action: id, rule, because };
}

function changesByCreation(action: CreateUser, exact: ReadonlySet<NewKey>): readonly AccessChange[] {
  const { address, account, createsTeam } = action;
  const origin = originOf(action);
  const created: AccessChange = { is: "account", ...origin, account };
  if (createsTeam === undefined)
    return [created, ...(exact.has(address) ? [] : [givenRoles({ of: "own-key" }, origin)])];
  const { team, accessKeyRoles: gains, temporaryRoles } = createsTeam;
  const joins: AccessChange = { is: "membership", ...origin, team, how: "first-member" };
  if (exact.has(membershipKeyOf(team, address))) return [created, joins];
  // No call makes the key exact: the service may give it more than was asked for.
  const forAMoment = rolesWithout(temporaryRoles, gains);
  return [created, joins, { ...givenRoles({ of: "team-key", team }, origin), gains, forAMoment, after: "at-least" }];
}

function changesByAddition(
  { team }: AddMembers,
  member: EmailKey,
  origin: ChangeOrigin,
  exact: ReadonlySet<NewKey>,
): readonly AccessChange[] {
  const joins: AccessChange = { is: "membership", ...origin, team, how: "added" };
  return exact.has(membershipKeyOf(team, member)) ? [joins] : [joins, givenRoles({ of: "team-key", team }, origin)];
}

/** A key that comes with a call and is not in the roster. */
function givenRoles(key: ChangedKey, origin: ChangeOrigin): RoleChange {
  const roles = { gains: [], loses: [], keeps: [], forAMoment: [] };
  return { is: "roles", key, ...roles, before: { known: "new-key" }, after: "whatever-comes", ...origin };
}

function changeByReplacement(action: ReplaceRoles, names: PlanNames): RoleChange {
  const { key, before, roles } = action;
  const had = factValue(before) ?? [];
  const isNew = key.of !== "prefix" || (before.known === "unknown" && before.why === createdByThisPlan);
  const giver = key.of === "team-key" ? names.action(giverOf(action) ?? "") : undefined;
  const brief = giver?.kind === "create-user" ? giver.createsTeam?.temporaryRoles : undefined;
  return {
    is: "roles",
    ...originOf(action),
    key: changedKey(action),
    gains: rolesWithout(roles, had),
    loses: rolesWithout(had, roles),
    keeps: roles.filter((role) => had.includes(role)),
    before: isNew ? { known: "new-key" } : before,
    after: "exactly",
    forAMoment: rolesWithout(brief ?? [], roles),
  };
}

function changedKey({ key, because }: ReplaceRoles): ChangedKey {
  if (key.of !== "prefix") return key.of === "own-key" ? { of: "own-key" } : { of: "team-key", team: key.team };
  const prefix = factValue(key.prefix);
  const shown = prefix === undefined ? {} : { prefix };
  if (key.team !== undefined) return { of: "team-key", team: key.team, ...shown };
  if (key.own === true || because.some(({ as }) => as === "own-key-roles")) return { of: "own-key", ...shown };
  return { of: "key", prefix: prefix ?? "prefix not known" };
}
