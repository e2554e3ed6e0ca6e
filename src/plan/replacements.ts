import type { KeyRef, PersonRef, ReplaceRoles } from "../model/action.ts";
import { type Fact, unknown } from "../model/fact.ts";
import { distinctReasons } from "../model/reason.ts";
import { type RoleSet, sameRoles } from "../model/role-set.ts";
import type { RuleName } from "../model/rule.ts";
import type { Draft } from "./draft.ts";
import { type ImpliedRoles, impliedRoles, tellImplied } from "./implied-roles.ts";
import { type GivenKeyWish, isDisarming, type KnownKeyWish, type Wished } from "./key-wishes.ts";
import type { Question } from "./question.ts";
import { settlingRoles } from "./recent-roles.ts";
import { personRef } from "./references.ts";
import { tellRefusedRoles } from "./refused-roles.ts";
import { refusedRoles } from "./remembered-refusals.ts";
import { givenRolesRequest, rolesRequest } from "./requests.ts";
import { type KeyKind, kindOfKey } from "./role-kinds.ts";
import { rolesBefore } from "./roles-before.ts";
import type { Selection } from "./selection.ts";
import { keySubject, showRoles } from "./subjects.ts";
import { tellConflict } from "./tell-keys.ts";
import { rolesFit } from "./unfit-roles.ts";

export interface Replacements {
  readonly actions: readonly ReplaceRoles[];
  readonly findings: readonly Draft[];
}

type Planned =
  | { readonly action: ReplaceRoles }
  | { readonly finding: Draft }
  | { readonly implied: ImpliedRoles }
  | undefined;

/** One call for each key whose roles are not, or may not be, as the roster wants them; in the order of the wishes. */
export function planReplacements(wished: readonly Wished[], question: Question, selection: Selection): Replacements {
  const shared = sharedKeys(wished);
  const actions: ReplaceRoles[] = [];
  const findings: Draft[] = [];
  const implied: ImpliedRoles[] = [];
  for (const wish of wished) {
    if (wish?.is === "troubled") findings.push(wish.finding);
    const planned = plan(wish, shared, question, selection);
    if (planned === undefined) continue;
    if ("action" in planned) actions.push(planned.action);
    else if ("implied" in planned) implied.push(planned.implied);
    else findings.push(planned.finding);
  }
  return { actions, findings: [...findings, ...tellImplied(implied, question)] };
}

function plan(
  wish: Wished,
  shared: ReadonlyMap<string, readonly KnownKeyWish[]>,
  question: Question,
  selection: Selection,
): Planned {
  if (wish?.is === "given") return planGiven(wish, question, selection);
  if (wish?.is !== "known") return undefined;
  const group = shared.get(wish.key.value) ?? [wish];
  // The first wish on a key speaks for all.
  return group[0] === wish ? planKnown(wish, group, question, selection) : undefined;
}

/** The wishes on each key that several places of the roster lead to; hardly ever any. */
function sharedKeys(wished: readonly Wished[]): ReadonlyMap<string, readonly KnownKeyWish[]> {
  const first = new Map<string, KnownKeyWish>();
  const shared = new Map<string, KnownKeyWish[]>();
  for (const wish of wished) {
    if (wish?.is !== "known") continue;
    const prefix = wish.key.value;
    const known = first.get(prefix);
    if (known === undefined) first.set(prefix, wish);
    else shared.set(prefix, [...(shared.get(prefix) ?? [known]), wish]);
  }
  return shared;
}

function planGiven(wish: GivenKeyWish, question: Question, selection: Selection): Planned {
  const kind = wish.key.of === "own-key" ? "own" : "team";
  if (!selection.keeps(wish.concern) || !rolesFit(wish.roles, kind, question.facts)) return undefined;
  const { id, key, roles, because } = wish;
  const owner = wish.owner === undefined ? undefined : personRef(wish.owner);
  const action: ReplaceRoles = {
    kind: "replace-roles",
    rule: wish.isFounders === true ? "roles-of-founder" : "roles-of-new-key",
    id,
    key,
    before: unknown("this plan makes the key"),
    roles,
    unlessExact: true,
    because,
    dependsOn: [key.givenBy],
    restsOn: [],
    request: givenRolesRequest(roles, question),
    ...(owner === undefined ? {} : { owner }),
  };
  return { action };
}

function planKnown(
  wish: KnownKeyWish,
  group: readonly KnownKeyWish[],
  question: Question,
  selection: Selection,
): Planned {
  if (group.some(({ roles }) => !sameRoles(roles, wish.roles))) return { finding: tellConflict(group) };
  const before = rolesBefore(wish.key, question.state);
  const isWanted = group.some(({ concern }) => selection.keeps(concern));
  if (!isWanted || isExact(wish, before) || !rolesFit(wish.roles, kindOf(wish, question), question.facts))
    return undefined;
  const record = question.state.keys.get(wish.key.value);
  const settling = settlingRoles(group, record, question);
  if (settling !== undefined) return { finding: settling };
  const implied = impliedRoles(group, before, record);
  if (implied !== undefined) return isToldElsewhere(implied, question) ? undefined : { implied };
  const key = { prefix: wish.key.value, owner: ownerOf(wish, group)?.address };
  const refusal = refusedRoles(key, wish.roles, question);
  if (refusal !== undefined) return { finding: tellRefusedRoles(group, refusal) };
  return { action: { ...replacement(wish, group, before), request: rolesRequest(key, wish.roles, question) } };
}

/** What stays on the key of somebody who is to have none is part of the finding about them. */
function isToldElsewhere({ group: [wish], beyond }: ImpliedRoles, { policy }: Question): boolean {
  if (wish === undefined || !isDisarming(wish)) return false;
  return wish.asks === "leaver" || !beyond.some((role) => policy.privilegedRoles.includes(role));
}

function ownerOf(wish: KnownKeyWish, group: readonly KnownKeyWish[]): PersonRef | undefined {
  const person = group.find((one) => one.owner !== undefined)?.owner;
  return person === undefined ? wish.holder : personRef(person);
}

function kindOf({ asks, key }: KnownKeyWish, { facts }: Question): KeyKind {
  if (asks === "list") return kindOfKey(facts.keyPrefixed(key.value)?.key);
  return asks === "user" ? "own" : "team";
}

function isExact({ roles }: KnownKeyWish, before: Fact<RoleSet>): boolean {
  return before.known !== "unknown" && sameRoles(before.value, roles);
}

function replacement(wish: KnownKeyWish, group: readonly KnownKeyWish[], before: Fact<RoleSet>): ReplaceRoles {
  const { key, team, roles } = wish;
  const owner = ownerOf(wish, group);
  const whose = team === undefined ? (wish.isOwn === true ? { own: true as const } : {}) : { team };
  const ref: KeyRef = { of: "prefix", prefix: key.prefix, ...whose };
  return {
    kind: "replace-roles",
    rule: ruleFor(wish, before),
    id: `replace-roles:${key.value}`,
    key: ref,
    before,
    roles,
    unlessExact: false,
    because: distinctReasons(group.flatMap(({ because }) => because)),
    dependsOn: [],
    restsOn: [rolesBasis(key.value, before), ...prefixBasis(wish), ...(wish.restsOn ?? [])],
    ...(owner === undefined ? {} : { owner }),
  };
}

function ruleFor({ asks }: KnownKeyWish, { known }: Fact<RoleSet>): RuleName {
  switch (asks) {
    case "leaver":
      return "leaver-disarmed";
    case "removal":
      return "removed-disarmed";
    case "member":
    case "user":
    case "list":
      return known === "unknown" ? "roles-unknown" : "roles-differ";
  }
}

function rolesBasis(prefix: string, before: Fact<RoleSet>): ReplaceRoles["restsOn"][number] {
  const about = `roles of ${keySubject(prefix)}`;
  return { about, fact: before.known === "unknown" ? before : { ...before, value: showRoles(before.value) } };
}

/** A prefix that is shown speaks for itself. */
function prefixBasis({ key, concern }: KnownKeyWish): ReplaceRoles["restsOn"] {
  if (key.prefix.known === "observed") return [];
  const whose = concern.address === undefined ? "" : ` of ${concern.address}`;
  return [{ about: `prefix of a key${whose}`, fact: key.prefix }];
}
