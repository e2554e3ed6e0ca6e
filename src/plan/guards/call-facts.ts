import type { Action, KeyRef, ReplaceRoles } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import { factValue } from "../../model/fact.ts";
import type { State } from "../../model/state.ts";
import { membershipKeyOf, type TeamKey } from "../../model/team.ts";
import type { GuardInput } from "./guard-types.ts";

/** The replacements of roles on the keys of these people. */
export function roleLossFacts({ actions, context }: GuardInput, people: readonly EmailKey[]): readonly string[] {
  const calls = actions.flatMap((action) => {
    if (action.kind !== "replace-roles" || action.owner === undefined) return [];
    return people.includes(action.owner.address) ? callFacts(action, context.state) : [];
  });
  return [...people.map((address) => `${address} loses it`), ...calls];
}

/** A call as an allowance covers it: with the last that is recorded about the same, so that it is covered once. */
export function callFacts(action: Action, state: State): readonly string[] {
  const { users, memberships } = state;
  switch (action.kind) {
    case "create-user":
      return [`create ${action.address}${after(users.get(action.address)?.createdAt)}`];
    case "add-members": {
      const { team } = action.team;
      const last = (address: EmailKey) => after(memberships.get(membershipKeyOf(team, address))?.at);
      return action.members.map(({ address }) => `add ${address} to ${JSON.stringify(team)}${last(address)}`);
    }
    case "replace-roles":
      return [rolesFact(`set ${JSON.stringify(action.roles)}`, action, state)];
  }
}

/** What is done to a key, which is named by its place: so it is named alike before it is there and afterwards. */
export function rolesFact(change: string, { key, owner }: ReplaceRoles, { users, keys }: State): string {
  const prefix = prefixOf(key);
  const last = after(prefix === undefined ? undefined : keys.get(prefix)?.at);
  const address = key.of === "prefix" ? owner?.address : key.address;
  if (address === undefined) return `${change} on the key ${prefix}${last}`;
  const record = users.get(address);
  const isRecordedOwn = record?.key !== undefined && record.key === prefix && record.createdTeam === undefined;
  if (key.of === "own-key" || (key.of === "prefix" && key.own === true) || isRecordedOwn)
    return `${change} on the own key of ${address}${last}`;
  if (key.team === undefined) return `${change} on the key ${prefix}${last}`;
  return `${teamKeyFact(change, address, key.team.team)}${last}`;
}

export function teamKeyFact(change: string, address: EmailKey, team: TeamKey): string {
  return `${change} on the key of ${address} in ${JSON.stringify(team)}`;
}

/** Undefined of a key that an action of the plan gives. */
export function prefixOf(key: KeyRef): string | undefined {
  return key.of === "prefix" ? factValue(key.prefix) : undefined;
}

function after(at: string | undefined): string {
  return at === undefined ? "" : `, last done at ${at}`;
}
