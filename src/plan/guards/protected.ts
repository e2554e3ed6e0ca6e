import { say } from "../../codes/message.ts";
import { type Action, prefixOf, type ReplaceRoles, teamOf } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import { keySubject, type Subject, userSubject } from "../../model/subject.ts";
import type { PlanContext } from "../context.ts";
import type { GuardInput, Hold, HoldTarget } from "./guard-types.ts";
import { holdOn, settingBasis } from "./hold-on.ts";

/**
 * Protects the people and keys of the settings' `protect`, such as the account of a last resort. That they are named as a new
 * team's administrator changes nothing about them. Nobody is protected until set; nobody can allow it.
 */
export function protectedResources({ context, actions, teams }: GuardInput): readonly Hold[] {
  const { guards } = context.policy;
  const { users, keys } = guards.protected;
  const hold = (subject: Subject, name: string, targetOf: (action: Action) => HoldTarget | undefined) => {
    const withheld = actions.flatMap((action) => {
      const target = targetOf(action);
      return target === undefined ? [] : [{ action, target, facts: [] }];
    });
    if (withheld.length === 0) return [];
    const deeds = withheld.map(({ action }) => describeAction(action, teams));
    const texts = say("protected", { name, count: deeds.length, actions: deeds });
    return [holdOn(subject, withheld, settingBasis("protect", name, guards), texts)];
  };
  return [
    ...users.flatMap((address) => hold(userSubject(address), address, (action) => ofUser(action, address, context))),
    ...keys.flatMap((prefix) => hold(keySubject(prefix), `the key ${prefix}`, (action) => ofKey(action, prefix))),
  ];
}

function ofUser(action: Action, address: EmailKey, context: PlanContext): HoldTarget | undefined {
  switch (action.kind) {
    case "create-user":
      return action.address === address ? { of: "person", address } : undefined;
    case "add-members": {
      const isMember = action.members.some((member) => member.address === address);
      return isMember ? { of: "part", action: action.id, address } : undefined;
    }
    case "replace-roles":
      return isHolder(address, action, context) ? { of: "part", action: action.id } : undefined;
  }
}

function ofKey(action: Action, prefix: string): HoldTarget | undefined {
  const isMeant = action.kind === "replace-roles" && prefixOf(action) === prefix;
  return isMeant ? { of: "part", action: action.id } : undefined;
}

/** According to the roster, the service or our records. */
function isHolder(address: EmailKey, action: ReplaceRoles, { facts }: PlanContext): boolean {
  if (action.key.address === address) return true;
  const prefix = prefixOf(action);
  if (prefix === undefined) return false;
  const isShown = facts.keysPrefixed(prefix).some(({ holder }) => holder.address === address);
  return isShown || facts.recordedHolders(prefix).some((one) => one.address === address);
}

function describeAction(action: Action, teams: GuardInput["teams"]): string {
  const team = teamOf(action);
  const name = team && (teams.get(team)?.name ?? team);
  if (action.kind === "create-user") return "create the user";
  if (action.kind === "add-members") return `add the user to team ${name}`;
  const { key } = action;
  if (key.of === "own-key") return "replace the roles of their own key";
  if (key.of === "team-key") return `replace the roles of the key in team ${name}`;
  return `replace the roles of the key ${prefixOf(action) ?? "with an unknown prefix"}`;
}
