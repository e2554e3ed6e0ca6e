import type { Action, KeyRef, ReplaceRoles } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import { factValue } from "../../model/fact.ts";
import { type Basis, keySubject, type Subject, userSubject } from "../../model/subject.ts";
import type { PlanContext } from "../context.ts";
import { truncateList } from "../finding-draft.ts";
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

/**
 * Protects the people and keys of the settings' `protect`, such as the account of a last resort: nobody of them is created or
 * added to a team, and the roles of no key of theirs are replaced. That they are named as a new team's administrator
 * changes nothing about them. Nobody is protected until set; nobody can allow it.
 */
export const protectedResources: HoldGuard = { name: "protected", check };

interface ProtectedTouch extends WithheldEffect {
  /** What would be done, in words. */
  readonly deed: string;
}

function check({ context, actions }: GuardInput): readonly Hold[] {
  const { users, keys } = context.policy.guards.protected;
  if (users.length + keys.length === 0) return [];
  const holdersOf = holdersLookup(context);
  const setting = (one: string) => settingBasis("protect", one, context.policy.guards);
  return [
    ...users.flatMap((address) => {
      const touches = actions.flatMap((action) => touchesUser(action, address, holdersOf));
      return touches.length === 0 ? [] : [protectedHold(userSubject(address), address, touches, setting(address))];
    }),
    ...keys.flatMap((prefix) => {
      const touches = actions.flatMap((action) => touchesKey(action, prefix));
      return touches.length === 0
        ? []
        : [protectedHold(keySubject(prefix), `the key ${prefix}`, touches, setting(`the key ${prefix}`))];
    }),
  ];
}

function touchesUser(action: Action, address: EmailKey, holdersOf: HoldersLookup): readonly ProtectedTouch[] {
  const touch = (withheld: HoldTarget): readonly ProtectedTouch[] => [touchBy(action, address, withheld)];
  switch (action.kind) {
    case "create-user":
      return action.address === address ? touch({ of: "person", address }) : [];
    case "add-members": {
      const isMember = action.members.some((member) => member.address === address);
      return isMember ? touch({ of: "part", action: action.id, address }) : [];
    }
    case "replace-roles":
      return holdersOf(action).includes(address) ? touch({ of: "part", action: action.id }) : [];
  }
}

function touchBy(action: Action, address: EmailKey | undefined, withheld: HoldTarget): ProtectedTouch {
  return { deed: describeAction(action), ...withheldEffect(action, address, withheld, []) };
}

function describeAction(action: Action): string {
  switch (action.kind) {
    case "create-user":
      return "create the user";
    case "add-members":
      return `add the user to team ${action.team.name}`;
    case "replace-roles":
      return `replace the roles of ${describeTouchedKey(action.key)}`;
  }
}

function describeTouchedKey(key: KeyRef): string {
  switch (key.of) {
    case "own-key":
      return "their own key";
    case "team-key":
      return `the key in team ${key.team.name}`;
    case "prefix":
      return `the key ${factValue(key.prefix) ?? "with an unknown prefix"}`;
  }
}

type HoldersLookup = (action: ReplaceRoles) => readonly (EmailKey | undefined)[];

/** Everybody who holds the key according to the roster, the service or our records. */
function holdersLookup({ holders }: PlanContext): HoldersLookup {
  return ({ key, owner }) => {
    if (key.of !== "prefix") return [owner?.address, key.address];
    const prefix = factValue(key.prefix);
    if (prefix === undefined) return [owner?.address];
    const shown = holders.shown(prefix).map(({ holder }) => holder.address);
    return [owner?.address, ...shown, ...holders.recorded(prefix).map(({ address }) => address)];
  };
}

function touchesKey(action: Action, prefix: string): readonly ProtectedTouch[] {
  if (action.kind !== "replace-roles" || action.key.of !== "prefix") return [];
  if (factValue(action.key.prefix) !== prefix) return [];
  return [touchBy(action, undefined, { of: "part", action: action.id })];
}

function protectedHold(
  subject: Subject,
  name: string,
  touches: readonly ProtectedTouch[],
  setting: readonly Basis[],
): Hold {
  const what = truncateList(touches.map(({ deed }) => deed));
  const message =
    `The settings protect ${name}. The guard holds ${touches.length === 1 ? "this action" : "these actions"}: ${what}. ` +
    "Make the roster match the service here. Or remove the entry from `protect` in the settings (in CI: outside the checkout).";
  return holdOn(subject, touches, setting, message);
}
