import { type Action, peopleOf, prefixOf, type ReplaceRoles } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import { latest } from "../../model/collections.ts";
import { membershipKeyOf } from "../../model/membership.ts";
import type { TeamKey } from "../../model/recorded.ts";
import type { PlanContext } from "../context.ts";
import type { GuardInput } from "./guard-types.ts";

type RecordedCalls = Pick<PlanContext, "state" | "rolesSetAt">;

export function roleLossFacts({ actions, context }: GuardInput, people: readonly EmailKey[]): readonly string[] {
  const theirs = actions.filter((one) => one.kind === "replace-roles" && people.some((who) => who === one.key.address));
  return [...people.map((address) => `${address} loses it`), ...theirs.flatMap((action) => callFacts(action, context))];
}

/** A call, or one member of it, as an allowance covers it: with the last that is recorded about the same, so that it is covered once. */
export function callFacts(action: Action, recorded: RecordedCalls, member?: EmailKey): readonly string[] {
  const { users, memberships } = recorded.state;
  switch (action.kind) {
    case "create-user":
      return [`create ${action.address}${after(users.get(action.address)?.createdAt)}`];
    case "add-members": {
      const { team } = action;
      const last = (address: EmailKey) => after(memberships.get(membershipKeyOf(team, address))?.at);
      const people = member === undefined ? peopleOf(action) : [member];
      return people.map((address) => `add ${address} to ${JSON.stringify(team)}${last(address)}`);
    }
    case "replace-roles":
      return [rolesFact(`set ${JSON.stringify(action.roles)}`, action, recorded)];
  }
}

/** What is done to a key, which is named by its place: so it is named alike before it is there and afterwards. */
export function rolesFact(change: string, action: ReplaceRoles, recorded: RecordedCalls): string {
  const { key } = action;
  const { address } = key;
  const { users, keys } = recorded.state;
  const prefix = prefixOf(action);
  const set = prefix === undefined ? undefined : keys.get(prefix)?.at;
  if (address === undefined) return `${change} on the key ${prefix}${after(set)}`;
  const record = users.get(address);
  const last = after(latest(set, record?.formerRolesAt));
  const isRecordedOwn = record?.key !== undefined && record.key === prefix && record.createdTeam === undefined;
  if (key.of === "own-key" || (key.of === "prefix" && key.own === true) || isRecordedOwn)
    return `${change} on the own key of ${address}${last}`;
  if (key.team === undefined) return `${change} on the key ${prefix}${last}`;
  return teamKeyFact(change, address, key.team, recorded, set);
}

/** A key that somebody took away and another one of the same member count as one: what was allowed of it was sent. */
export function teamKeyFact(
  change: string,
  address: EmailKey,
  team: TeamKey,
  { state, rolesSetAt }: RecordedCalls,
  set?: string,
): string {
  const last = latest(set, rolesSetAt.get(membershipKeyOf(team, address)), state.users.get(address)?.formerRolesAt);
  return `${change} on the key of ${address} in ${JSON.stringify(team)}${after(last)}`;
}

function after(at: string | undefined): string {
  return at === undefined ? "" : `, last done at ${at}`;
}
