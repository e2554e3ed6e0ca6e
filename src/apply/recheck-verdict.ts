import type { Action, AddMembers, CreateUser, ReplaceRoles } from "../model/action.ts";
import { factValue } from "../model/fact.ts";
import type { Failure, FailureCode } from "../model/failure.ts";
import { sameRoles } from "../model/role-set.ts";
import type { AddedMember } from "../model/run-event.ts";
import { shownTeamKey } from "../model/shown-keys.ts";
import { standing } from "../model/snapshot.ts";
import type { SoughtPerson } from "../ports/people-reader.ts";
import type { PeopleShown } from "./people-look.ts";

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
  return { is: "fresh", action, left: [] };
}

function judgeAddition(action: AddMembers, shown: PeopleShown): Checked {
  const left: AddedMember[] = [];
  const failures: Failure[] = [];
  const members = action.members.filter((member) => {
    const failure = member.createdBy === undefined ? whyNotToAdd(member, action, shown) : undefined;
    if (failure === undefined) return true;
    left.push({ address: member.address, outcome: { added: false, failure } });
    failures.push(failure);
    return false;
  });
  if (failures.length === 0) return { is: "fresh", action, left };
  if (members.length > 0) return { is: "fresh", action: { ...action, members }, left };
  const unread = failures.find(({ code }) => code === "unproven");
  if (unread !== undefined) return { is: "unread", failure: unread };
  return { is: "stale", why: failures.map(({ message }) => message).join("; ") };
}

function whyNotToAdd({ address, email }: SoughtPerson, { team }: AddMembers, shown: PeopleShown): Failure | undefined {
  const looked = shown(address);
  switch (looked.is) {
    case "several":
      return undefined;
    case "absent":
      return moved("not-found", `${email} is not there any more`);
    case "unproven":
      return unproven(`whether ${email} is still there`, looked.why);
    case "user": {
      if (standing(looked.user.status) === "deleted") return moved("not-found", `${email} was deleted`);
      const key = shownTeamKey(looked.user, { ...team, identifier: factValue(team.identifier) });
      return key.is === "shown" ? moved("conflict", `${email} is a member of ${team.name} by now`) : undefined;
    }
  }
}

const planAgain = "plan again: what was known of this person has moved since the plan was made";

function moved(code: FailureCode, message: string): Failure {
  return { code, message, hint: planAgain };
}

function unproven(what: string, why: string): Failure {
  return { code: "unproven", message: `it is not proven any more ${what}: ${why}`, hint: "plan again a moment later" };
}

function judgeReplacement(action: ReplaceRoles, shown: PeopleShown): Checked {
  const { owner, before, key } = action;
  const prefix = key.of === "prefix" ? factValue(key.prefix) : undefined;
  const fresh: Checked = { is: "fresh", action, left: [] };
  if (owner === undefined || prefix === undefined || before.known !== "observed") return fresh;
  const looked = shown(owner.address);
  if (looked.is === "several") return fresh;
  if (looked.is === "absent") return { is: "stale", why: `${owner.email} is not there any more` };
  if (looked.is === "unproven") {
    return { is: "unread", failure: unproven(`whether ${owner.email} is still there`, looked.why) };
  }
  const { keys } = looked.user;
  if (keys === undefined) return fresh;
  const held = keys.find((one) => one.prefix === prefix);
  if (held === undefined) return { is: "stale", why: `the key ${prefix} is not shown any more` };
  if (held.roles === undefined || sameRoles(held.roles, before.value)) return fresh;
  return { is: "stale", why: `the key ${prefix} has other roles by now: ${held.roles.join(", ") || "none"}` };
}
