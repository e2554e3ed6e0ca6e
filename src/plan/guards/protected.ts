import { say } from "../../codes/message.ts";
import { type Action, prefixOf } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import type { NamesInCalls } from "../../model/plan.ts";
import { keySubject, type Subject, userSubject } from "../../model/subject.ts";
import type { PlanContext } from "../context.ts";
import type { GuardInput, Hold, Withheld } from "./guard-types.ts";
import { holdersOf, holdOn, invitedBy, nameOfKey, settingBasis, withheldFrom } from "./hold-on.ts";

/**
 * Protects the people and keys of the settings' `protect`, such as the account of a last resort. That they are named as a new
 * team's administrator changes nothing about them. Nobody is protected until set; nobody can allow it.
 */
export function protectedResources({ context, actions, teams }: GuardInput): readonly Hold[] {
  const { guards } = context.policy;
  const hold = (subject: Subject, name: string, withheld: readonly Withheld[]): readonly Hold[] => {
    if (withheld.length === 0) return [];
    const actions = withheld.map(({ action }) => describeAction(action, teams));
    const texts = say("protected", { name, count: actions.length, actions });
    return [holdOn(subject, withheld, settingBasis("protect", name, guards), texts)];
  };
  const ofUser = (address: EmailKey) =>
    actions
      .filter((action) => invitedBy(action).includes(address) || isHolder(address, action, context))
      .map((action) => withheldFrom(address, action, []));
  const ofKey = (prefix: string) =>
    actions
      .filter((action) => action.kind === "replace-roles" && prefixOf(action) === prefix)
      .map((action) => withheldFrom(undefined, action, []));
  return [
    ...guards.protect.users.flatMap((address) => hold(userSubject(address), address, ofUser(address))),
    ...guards.protect.keys.flatMap((prefix) => hold(keySubject(prefix), `the key ${prefix}`, ofKey(prefix))),
  ];
}

/** According to the roster, the service or our records. */
function isHolder(address: EmailKey, action: Action, context: PlanContext): boolean {
  if (action.kind !== "replace-roles") return false;
  return action.key.address === address || holdersOf(prefixOf(action) ?? "", context).includes(address);
}

function describeAction(action: Action, teams: NamesInCalls["teams"]): string {
  switch (action.kind) {
    case "create-user":
      return "create the user";
    case "add-members":
      return `add the user to team ${teams.get(action.team)?.name ?? action.team}`;
    case "replace-roles":
      return `replace the roles of ${nameOfKey(action, { teams })}`;
  }
}
