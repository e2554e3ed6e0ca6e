import type { Action, AddMembers, CreateUser, PersonRef, ReplaceRoles } from "../model/action.ts";
import type { AddedMember } from "../model/event.ts";
import { factValue } from "../model/fact.ts";
import type { Failure } from "../model/result.ts";
import { type RoleSet, sameRoles } from "../model/role-set.ts";
import { accountStatus, type ObservedUser } from "../model/snapshot.ts";
import { shownTeamKey } from "../model/team.ts";
import type { LookupResults } from "./people-look.ts";
import { checkPerson, type PersonCheck, planAgainHint, unprovenFailure } from "./person-now.ts";

/** What has become of the facts that an action rests on. */
export type RecheckResult =
  /** `left`: people whom an add-members call leaves out, because what was known of them has moved. */
  | { readonly is: "fresh"; readonly action: Action; readonly left: readonly AddedMember[] }
  | { readonly is: "stale"; readonly why: string }
  | { readonly is: "unread"; readonly failure: Failure };

/** Compares what an action rests on with what was read again. */
export function compareFacts(action: Action, shown: LookupResults): RecheckResult {
  switch (action.kind) {
    case "create-user":
      return recheckCreation(action, shown);
    case "add-members":
      return recheckAddition(action, shown);
    case "replace-roles":
      return recheckReplacement(action, shown);
  }
}

function recheckCreation(action: CreateUser, shown: LookupResults): RecheckResult {
  const { address, user, formerly = [] } = action;
  for (const one of [address, ...formerly]) {
    const looked = shown(one);
    const name = one === address ? user.email : `${one}, a former address of ${user.email},`;
    if (looked.is === "unproven")
      return { is: "unread", failure: unprovenFailure(`that ${name} is absent`, looked.why) };
    if (looked.is !== "absent") return { is: "stale", why: `${name} is in the service by now` };
  }
  const admin = action.founds?.admin;
  const now = admin === undefined || admin.createdBy !== undefined ? undefined : checkPerson(admin, shown);
  if (now?.is === "moved") return { is: "stale", why: now.failure.message };
  if (now?.is === "unproven") return { is: "unread", failure: now.failure };
  return { is: "fresh", action, left: [] };
}

type ChangedPerson = Extract<PersonCheck, { readonly failure: Failure }>;

function recheckAddition(action: AddMembers, shown: LookupResults): RecheckResult {
  const left: AddedMember[] = [];
  const gone: ChangedPerson[] = [];
  const members = action.members.filter((member) => {
    const why = member.createdBy === undefined ? reasonNotToAdd(member, action, shown) : undefined;
    if (why === undefined) return true;
    left.push({ address: member.address, outcome: { added: false, failure: why.failure } });
    gone.push(why);
    return false;
  });
  if (gone.length === 0) return { is: "fresh", action, left };
  if (members.length > 0) return { is: "fresh", action: { ...action, members }, left };
  const unread = gone.find(({ is }) => is === "unproven");
  if (unread !== undefined) return { is: "unread", failure: unread.failure };
  return { is: "stale", why: gone.map(({ failure }) => failure.message).join("; ") };
}

function reasonNotToAdd(
  member: PersonRef,
  { team, again }: AddMembers,
  shown: LookupResults,
): ChangedPerson | undefined {
  const now = checkPerson(member, shown);
  if (now.is !== "there") return now;
  const { email } = member;
  if (accountStatus(now.user.status) === "barred")
    return changedPerson(`${email} is ${now.user.status} by now`, "unproven");
  if (again === true) return undefined;
  const key = shownTeamKey(now.user, { ...team, identifier: factValue(team.identifier) });
  return key.is === "shown" ? changedPerson(`${email} is a member of ${team.name} by now`, "conflict") : undefined;
}

function changedPerson(message: string, code: Failure["code"]): ChangedPerson {
  return { is: "moved", failure: { code, message, hint: planAgainHint } };
}

function recheckReplacement(action: ReplaceRoles, shown: LookupResults): RecheckResult {
  const { owner, before, key } = action;
  const prefix = key.of === "prefix" ? factValue(key.prefix) : undefined;
  const fresh: RecheckResult = { is: "fresh", action, left: [] };
  if (owner === undefined || prefix === undefined || before.known !== "observed") return fresh;
  const looked = shown(owner.address);
  switch (looked.is) {
    case "absent":
      return { is: "stale", why: `${owner.email} is not there any more` };
    case "unproven":
      return { is: "unread", failure: unprovenFailure(`whether ${owner.email} is still there`, looked.why) };
    case "user":
      return recheckKey([looked.user], prefix, before.value) ?? fresh;
    case "several":
      return recheckKey(looked.users, prefix, before.value) ?? fresh;
  }
}

/** A prefix is one key's, whoever of those at the address holds it. */
function recheckKey(holders: readonly ObservedUser[], prefix: string, before: RoleSet): RecheckResult | undefined {
  const held = holders.flatMap(({ keys = [] }) => keys).find((one) => one.prefix === prefix);
  if (held === undefined) {
    const isHidden = holders.some(({ keys }) => keys === undefined);
    return isHidden ? undefined : { is: "stale", why: `the key ${prefix} is not shown any more` };
  }
  if (held.roles === undefined || sameRoles(held.roles, before)) return undefined;
  return { is: "stale", why: `the key ${prefix} has other roles by now: ${held.roles.join(", ") || "none"}` };
}
