import type { Action, ActionId, AddMembers } from "../model/action.ts";
import type { AddedMember } from "../model/event.ts";
import { type MembershipKey, membershipKeyOf } from "../model/team.ts";
import type { Recheck } from "./recheck.ts";
import type { RecheckResult } from "./recheck-verdict.ts";

/** Actions, and people of additions, that do not fit any more, each with the reason. */
export interface StaleActions {
  readonly actions: ReadonlyMap<ActionId, string>;
  readonly members: ReadonlyMap<MembershipKey, string>;
}

/** What is known not to fit is stale without a read; the rest is checked as ever. */
export function skipStaleActions(unfit: StaleActions | undefined, recheck: Recheck): Recheck {
  if (unfit === undefined) return recheck;
  return async (action) => {
    const why = unfit.actions.get(action.id);
    if (why !== undefined) return { is: "stale", why };
    return action.kind === "add-members" ? recheckMembers(action, unfit, recheck) : recheck(action);
  };
}

async function recheckMembers(action: AddMembers, unfit: StaleActions, recheck: Recheck): Promise<RecheckResult> {
  const why = (address: AddMembers["members"][number]["address"]) =>
    unfit.members.get(membershipKeyOf(action.team.team, address));
  const members = action.members.filter(({ address }) => why(address) === undefined);
  if (members.length === action.members.length) return recheck(action);
  const left = action.members.flatMap(({ address }) => leftOutMember(address, why(address)));
  if (members.length === 0) return { is: "stale", why: joinReasons(left) };
  const checked = await recheck(withMembers(action, members));
  return checked.is === "fresh" ? { ...checked, left: [...checked.left, ...left] } : checked;
}

function withMembers(action: AddMembers, members: AddMembers["members"]): Action {
  return { ...action, members };
}

/** Not a refusal of the service: the code is one that is never remembered. */
function leftOutMember(address: AddedMember["address"], message: string | undefined): readonly AddedMember[] {
  if (message === undefined) return [];
  return [{ address, outcome: { added: false, failure: { code: "unproven", message, hint: "plan again" } } }];
}

function joinReasons(left: readonly AddedMember[]): string {
  return left.flatMap(({ outcome }) => (outcome.added ? [] : [outcome.failure.message])).join("; ");
}
