import type { KeyRef, ReplaceRoles } from "../model/action.ts";
import { type Fact, recorded, unknown } from "../model/fact.ts";
import { type RoleSet, sameRoles } from "../model/role-set.ts";
import type { Draft } from "./draft.ts";
import type { GivenKeyWish, KeyWish, KnownKeyWish } from "./key-wishes.ts";
import type { Question } from "./question.ts";
import type { Selection } from "./selection.ts";
import { distinctPlaces, keySubject, showRoles } from "./subjects.ts";
import { tellConflict, tellImplied } from "./tell-keys.ts";
import { rolesKnown } from "./unknown-roles.ts";

export interface Replacements {
  readonly actions: readonly ReplaceRoles[];
  readonly findings: readonly Draft[];
}

const nothing: Replacements = { actions: [], findings: [] };

/** One call for each key whose roles are not, or may not be, as the roster wants them; in the order of the wishes. */
export function planReplacements(wishes: readonly KeyWish[], question: Question, selection: Selection): Replacements {
  const groups = byPrefix(wishes);
  const planned = wishes.map((wish) => {
    if (wish.is === "given") return planGiven(wish, question, selection);
    const group = groups.get(wish.key.value) ?? [];
    return group[0] === wish ? planKnown(wish, group, question, selection) : nothing;
  });
  return {
    actions: planned.flatMap(({ actions }) => actions),
    findings: planned.flatMap(({ findings }) => findings),
  };
}

function byPrefix(wishes: readonly KeyWish[]): ReadonlyMap<string, readonly KnownKeyWish[]> {
  const groups = new Map<string, KnownKeyWish[]>();
  for (const wish of wishes) {
    if (wish.is !== "known") continue;
    const group = groups.get(wish.key.value);
    if (group === undefined) groups.set(wish.key.value, [wish]);
    else group.push(wish);
  }
  return groups;
}

function planGiven(wish: GivenKeyWish, { facts }: Question, selection: Selection): Replacements {
  if (!selection.keeps(wish.concern) || !rolesKnown(wish.roles, facts)) return nothing;
  const { id, key, owner, roles, because } = wish;
  const action: ReplaceRoles = {
    kind: "replace-roles",
    id,
    key,
    before: unknown("this plan makes the key"),
    roles,
    unlessExact: true,
    because,
    dependsOn: [key.givenBy],
    restsOn: [],
    ...(owner === undefined ? {} : { owner }),
  };
  return { actions: [action], findings: [] };
}

function planKnown(
  wish: KnownKeyWish,
  group: readonly KnownKeyWish[],
  question: Question,
  selection: Selection,
): Replacements {
  if (group.some(({ roles }) => !sameRoles(roles, wish.roles))) return { actions: [], findings: [tellConflict(group)] };
  const before = rolesBefore(wish, question);
  const isWanted = group.some(({ concern }) => selection.keeps(concern));
  if (!isWanted || isExact(wish, before) || !rolesKnown(wish.roles, question.facts)) return nothing;
  if (isImplied(wish, before, question)) return { actions: [], findings: [tellImplied(group, before)] };
  return { actions: [replacement(wish, group, before)], findings: [] };
}

/** What the key carries, as far as it is known: as it is shown, else as we asked for it the last time. */
function rolesBefore({ key }: KnownKeyWish, { state }: Question): Fact<RoleSet> {
  if (key.roles !== undefined) return key.roles;
  const record = state.keys.get(key.value);
  return record === undefined
    ? unknown("the service does not show the roles of this key")
    : recorded(record.put, record.at);
}

function isExact({ roles }: KnownKeyWish, before: Fact<RoleSet>): boolean {
  return before.known !== "unknown" && sameRoles(before.value, roles);
}

/** The service was asked for these roles before and made of them what it shows now: it would do so again. */
function isImplied({ key, roles }: KnownKeyWish, before: Fact<RoleSet>, { state }: Question): boolean {
  const record = state.keys.get(key.value);
  if (record?.readAs === undefined || before.known !== "observed") return false;
  return sameRoles(record.put, roles) && sameRoles(record.readAs, before.value);
}

function replacement(wish: KnownKeyWish, group: readonly KnownKeyWish[], before: Fact<RoleSet>): ReplaceRoles {
  const { key, team, roles } = wish;
  const owner = group.find((one) => one.owner !== undefined)?.owner;
  const ref: KeyRef = { of: "prefix", prefix: key.prefix, ...(team === undefined ? {} : { team }) };
  return {
    kind: "replace-roles",
    id: `replace-roles:${key.value}`,
    key: ref,
    before,
    roles,
    unlessExact: false,
    because: distinctPlaces(group.flatMap(({ because }) => because)),
    dependsOn: [],
    restsOn: [rolesBasis(key.value, before)],
    ...(owner === undefined ? {} : { owner }),
  };
}

function rolesBasis(prefix: string, before: Fact<RoleSet>): ReplaceRoles["restsOn"][number] {
  const about = `roles of ${keySubject(prefix)}`;
  return { about, fact: before.known === "unknown" ? before : { ...before, value: showRoles(before.value) } };
}
