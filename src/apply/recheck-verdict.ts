import type { Action, AddMembers, CreateUser, PersonRef, ReplaceRoles } from "../model/action.ts";
import { factValue } from "../model/fact.ts";
import type { Failure } from "../model/failure.ts";
import { type RoleSet, sameRoles } from "../model/role-set.ts";
import type { AddedMember } from "../model/run-event.ts";
import { shownTeamKey } from "../model/shown-keys.ts";
import { accountStatus, type ObservedUser } from "../model/snapshot.ts";
import type { PeopleShown } from "./people-look.ts";
import { lookAtPerson, type PersonNow, planAgain, unproven } from "./person-now.ts";

/** What has become of the facts that an action rests on. */
export type Checked =
  /** `left`: people whom an add-members call leaves out, because what was known of them has moved. */
  | { readonly is: "fresh"; readonly action: Action; readonly left: readonly AddedMember[] }
  | { readonly is: "stale"; readonly why: string }
  | { readonly is: "unread"; readonly failure: Failure };

/** Compares what an action rests on with what was read again. */
export function judgeFacts(action: Action, shown: PeopleShown): Checked {
  switch (action.kind) {
    case "create-user":
      return judgeCreation(action, shown);
    case "add-members":
      return judgeAddition(action, shown);
    case "replace-roles":
      return judgeReplacement(action, shown);
  }
}

function judgeCreation(action: CreateUser, shown: PeopleShown): Checked {
  const { address, user, formerly = [] } = action;
  for (const one of [address, ...formerly]) {
    const looked = shown(one);
    const name = one === address ? user.email : `${one}, a former address of ${user.email},`;
    if (looked.is === "unproven") return { is: "unread", failure: unproven(`that ${name} is absent`, looked.why) };
    if (looked.is !== "absent") return { is: "stale", why: `${name} is in the service by now` };
  }
  const admin = action.founds?.admin;
  const now = admin === undefined || admin.createdBy !== undefined ? undefined : lookAtPerson(admin, shown);
  if (now?.is === "moved") return { is: "stale", why: now.failure.message };
  if (now?.is === "unproven") return { is: "unread", failure: now.failure };
  return { is: "fresh", action, left: [] };
}

type Gone = Extract<PersonNow, { readonly failure: Failure }>;

function judgeAddition(action: AddMembers, shown: PeopleShown): Checked {
  const left: AddedMember[] = [];
  const gone: Gone[] = [];
  const members = action.members.filter((member) => {
    const why = member.createdBy === undefined ? whyNotToAdd(member, action, shown) : undefined;
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

function whyNotToAdd(member: PersonRef, { team, again }: AddMembers, shown: PeopleShown): Gone | undefined {
  const now = lookAtPerson(member, shown);
  if (now.is !== "there") return now;
  const { email } = member;
  if (accountStatus(now.user.status) === "barred") return movedTo(`${email} is ${now.user.status} by now`, "unproven");
  if (again === true) return undefined;
  const key = shownTeamKey(now.user, { ...team, identifier: factValue(team.identifier) });
  return key.is === "shown" ? movedTo(`${email} is a member of ${team.name} by now`, "conflict") : undefined;
}

function movedTo(message: string, code: Failure["code"]): Gone {
  return { is: "moved", failure: { code, message, hint: planAgain } };
}

function judgeReplacement(action: ReplaceRoles, shown: PeopleShown): Checked {
  const { owner, before, key } = action;
  const prefix = key.of === "prefix" ? factValue(key.prefix) : undefined;
  const fresh: Checked = { is: "fresh", action, left: [] };
  if (owner === undefined || prefix === undefined || before.known !== "observed") return fresh;
  const looked = shown(owner.address);
  switch (looked.is) {
    case "absent":
      return { is: "stale", why: `${owner.email} is not there any more` };
    case "unproven":
      return { is: "unread", failure: unproven(`whether ${owner.email} is still there`, looked.why) };
    case "user":
      return judgeKey([looked.user], prefix, before.value) ?? fresh;
    case "several":
      return judgeKey(looked.users, prefix, before.value) ?? fresh;
  }
}

/** A prefix is one key's, whoever of those at the address holds it. */
function judgeKey(holders: readonly ObservedUser[], prefix: string, before: RoleSet): Checked | undefined {
  const held = holders.flatMap(({ keys = [] }) => keys).find((one) => one.prefix === prefix);
  if (held === undefined) {
    const isHidden = holders.some(({ keys }) => keys === undefined);
    return isHidden ? undefined : { is: "stale", why: `the key ${prefix} is not shown any more` };
  }
  if (held.roles === undefined || sameRoles(held.roles, before)) return undefined;
  return { is: "stale", why: `the key ${prefix} has other roles by now: ${held.roles.join(", ") || "none"}` };
}
