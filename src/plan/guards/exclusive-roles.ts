import type { Action } from "../../model/action.ts";
import { distinctReasons } from "../../model/fact.ts";
import { groupBy, type RoleSet, roleSet, rolesWithout } from "../../model/role-set.ts";
import { type Basis, formatSubject } from "../../model/subject.ts";
import { membershipKeyOf } from "../../model/team.ts";
import { type FindingDraft, joinList } from "../finding-draft.ts";
import {
  type GuardInput,
  type Hold,
  type HoldGuard,
  type HoldTarget,
  holdOn,
  settingBasis,
  type WithheldEffect,
  withheldEffect,
} from "./guard-types.ts";
import {
  type GivenKey,
  type HeldKey,
  HeldRoles,
  type KeyHolder,
  reasonsFor,
  reportUnseenRoles,
  rolesGained,
} from "./held-roles.ts";

/**
 * Protects from one person holding roles that must be apart, over all keys, teams and accounts. What would give the second role
 * is held, also where the same plan takes the first one from another key: that call may fail, and the next plan gives the role.
 * Off until set; allowed with `--allow exclusive-roles@PLANID`.
 */
export const exclusiveRoles: HoldGuard = { name: "exclusive-roles", check };

/** Two roles of one list, of which a change gives the first. */
interface Clash {
  readonly list: RoleSet;
  readonly role: string;
  readonly rival: string;
  /** The other key that has the rival; absent where it is the same. */
  readonly on?: HeldKey;
}

interface ClashingGrant extends WithheldEffect {
  readonly key: GivenKey;
  readonly clashes: readonly Clash[];
}

function check(input: GuardInput): readonly Hold[] {
  const { guards } = input.context.policy;
  const lists = guards.exclusiveRoles;
  if (lists.length === 0) return [];
  const held = new HeldRoles(input);
  const removed = new Map(
    input.actions.flatMap((action) => held.given(action).map((key) => [key.id, rolesRemoved(key)])),
  );
  const grants = input.actions.flatMap((action) => {
    const given = held.given(action);
    const clashing = given.flatMap((key) => clashingGrant(action, key, lists, held));
    // A role that an action takes away counts until the action is done.
    if (clashing.length === 0) for (const key of given) held.put({ ...key, roles: rolesMeanwhile(key) });
    return clashing;
  });
  const byHolder = groupBy(grants, ({ key }) => formatSubject(key.holder.subject));
  return [...byHolder.values()].map((of) => {
    const roles = joinList(roleSet(of.flatMap(({ clashes }) => clashes.flatMap(({ list }) => list))));
    return exclusiveHold(of, settingBasis("guards.exclusive-roles", roles, guards), removed);
  });
}

function rolesRemoved({ had, roles }: GivenKey): RoleSet {
  return had === "unknown" ? [] : rolesWithout(had, roles);
}

function rolesMeanwhile({ had, roles }: GivenKey): RoleSet {
  return had === "unknown" ? roles : roleSet([...had, ...roles]);
}

function clashingGrant(
  action: Action,
  key: GivenKey,
  lists: readonly RoleSet[],
  held: HeldRoles,
): readonly ClashingGrant[] {
  const gained = rolesGained(key);
  const clashes = lists.flatMap((list) => {
    const rivals = rivalsOf(key, list, held);
    return gained
      .filter((role) => list.includes(role))
      .flatMap((role) => rivals.filter(({ rival }) => rival !== role).map((one): Clash => ({ list, role, ...one })));
  });
  if (clashes.length === 0) return [];
  const effect = withheldEffect(action, key.holder.address, withheldTarget(action));
  return [{ ...effect, key, clashes: withoutMirrored(clashes) }];
}

function rivalsOf(key: GivenKey, list: RoleSet, held: HeldRoles): readonly Pick<Clash, "rival" | "on">[] {
  const others = held.besides(key).flatMap((on) => rolesOf(on, list).map((rival) => ({ rival, on })));
  return [...rolesOf(key, list).map((rival) => ({ rival })), ...others];
}

function rolesOf({ roles }: HeldKey, list: RoleSet): RoleSet {
  return roles === "unknown" ? [] : roles.filter((role) => list.includes(role));
}

/** Two roles that one key gains together are told once. */
function withoutMirrored(clashes: readonly Clash[]): readonly Clash[] {
  const isMirrored = ({ role, rival }: Clash) =>
    clashes.some((one) => one.on === undefined && one.role === rival && one.rival === role);
  return clashes.filter((clash) => clash.on !== undefined || clash.role < clash.rival || !isMirrored(clash));
}

/** A founder's key is created without the roles, and a key keeps what it has. */
function withheldTarget(action: Action): HoldTarget {
  const founds = action.kind === "create-user" ? action.founds : undefined;
  if (action.kind !== "create-user" || founds === undefined) return { of: "part", action: action.id };
  return { of: "privilege", place: membershipKeyOf(founds.team, action.address) };
}

/** One hold for each person, however many keys it is about. */
function exclusiveHold(
  grants: readonly [ClashingGrant, ...ClashingGrant[]],
  setting: readonly Basis[],
  removed: ReadonlyMap<string, RoleSet>,
): Hold {
  const { holder } = grants[0].key;
  const clashes = grants.flatMap((grant) => grant.clashes);
  const pairs = grants.flatMap(({ key, clashes: of }) =>
    of.map(({ role, rival, on }) => `${role} on ${key.name}, next to ${rival} on ${on?.name ?? "the same key"}`),
  );
  const leaving = clashes.flatMap(({ rival, on }) =>
    on !== undefined && removed.get(on.id)?.includes(rival) === true ? [`${rival} from ${on.name}`] : [],
  );
  const later =
    leaving.length === 0
      ? "Remove one of the roles from the roster."
      : `This plan removes ${joinList([...new Set(leaving)])}. After that, the next plan can give the other role.`;
  const message =
    `${holder.name} would get ${joinList([...new Set(pairs)])}. ${oneOf(clashes.map(({ list }) => list))} ` +
    `The guard holds this change. ${later}`;
  const rivals = clashes.flatMap(({ on }) => (on === undefined ? [] : [on]));
  const { because, restsOn = [] } = reasonsFor(rivals);
  const hold = holdOn(holder.subject, grants, [...setting, ...restsOn], message);
  const roles = roleSet(clashes.flatMap(({ list }) => list));
  return { ...hold, roles, because: distinctReasons([...hold.because, ...because]) };
}

function oneOf(lists: readonly RoleSet[]): string {
  const texts = new Set(lists.map((list) => `One person may have only one of ${joinList(list)}.`));
  return [...texts].join(" ");
}

/** People who have several roles of one list after the plan: as before it, or because a person allows it. And what could not be checked. */
export function reportExclusiveRoles(input: GuardInput): readonly FindingDraft[] {
  const { context, actions } = input;
  const { guards } = context.policy;
  const lists = guards.exclusiveRoles;
  if (lists.length === 0) return [];
  const textOf = ({ subject }: KeyHolder) => formatSubject(subject);
  const holders = new HeldRoles(input).holders();
  const before = new Map(holders.map(([holder, keys]) => [textOf(holder), brokenLists(keys, lists)]));
  const after = new HeldRoles(input).apply(actions);
  const broken = after.holders().flatMap(([holder, keys]) => {
    const lasting = brokenLists(keys, lists);
    const has = lasting.some((list) => before.get(textOf(holder))?.includes(list)) ? "has" : "will have";
    return lasting.length === 0 ? [] : [heldFinding(`${holder.name} ${has}`, holder, keys, lasting, input)];
  });
  return [...broken, ...reportUnseenRoles("guards.exclusive-roles", after.unseen(), context, "some")];
}

function brokenLists(keys: readonly HeldKey[], lists: readonly RoleSet[]): readonly RoleSet[] {
  return lists.filter((list) => new Set(keys.flatMap((key) => rolesOf(key, list))).size > 1);
}

function heldFinding(
  whoHas: string,
  holder: KeyHolder,
  keys: readonly HeldKey[],
  lists: readonly RoleSet[],
  { context: { roster, policy } }: GuardInput,
): FindingDraft {
  const exclusive = roleSet(lists.flat());
  const guilty = keys.filter((key) => rolesOf(key, exclusive).length > 0);
  const roles = guilty.map((key) => `${joinList(rolesOf(key, exclusive))} on ${key.name}`);
  const { because, restsOn = [] } = reasonsFor(guilty);
  const { address } = holder;
  return {
    code: "exclusive-roles-held",
    subject: holder.subject,
    roles: exclusive,
    message:
      `${whoHas} ${joinList(roles)}. ${oneOf(lists)} ` +
      "Remove a role from the roster. If roster does not manage the key, remove the role in the service.",
    because,
    restsOn: [...settingBasis("guards.exclusive-roles", joinList(exclusive), policy.guards), ...restsOn],
    concerns: address !== undefined && roster.users.has(address) ? [{ address }] : [],
  };
}
