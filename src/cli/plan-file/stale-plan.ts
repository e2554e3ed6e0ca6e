import type { StaleActions } from "../../apply/recheck.ts";
import { changedSubjects } from "../../journal/record-marks.ts";
import type { ActionId, ReplaceRoles } from "../../model/action.ts";
import { factValue } from "../../model/fact.ts";
import type { RoleSet } from "../../model/role-set.ts";
import type { PlanFile, StateBasis } from "../../model/saved-files.ts";
import { hasNoPlanningRecords, type State } from "../../model/state.ts";
import { type MembershipKey, membershipKeyOf } from "../../model/team.ts";
import { lostRoles } from "../../plan/guards/own-key.ts";
import type { CommandError } from "../command-error.ts";
import { sha256 } from "../system.ts";
import { stateBasis } from "./save-plan.ts";

/** Why a plan file is not applied any more, whatever the service shows; undefined where nothing speaks against it. */
export function staleFile(file: PlanFile, state: State, now: number): CommandError | undefined {
  const why =
    appliedBefore(file, state) ?? otherState(file, state) ?? expired(file, now) ?? supersededRoster(file, state);
  if (why === undefined) return undefined;
  const hint = `nothing was sent; plan again with \`roster plan --out FILE\`${why.also ?? ""}`;
  return { reason: "stale", problem: { code: "stale", message: why.message, hint } };
}

interface StaleReason {
  readonly message: string;
  /** To come after the hint to plan again. */
  readonly also?: string;
}

/** It may have ended in the middle: what it did is recorded, and only a new plan knows what is left. */
function appliedBefore({ id }: PlanFile, { planFiles }: State): StaleReason | undefined {
  const begun = planFiles?.get(id);
  if (begun === undefined) return undefined;
  return {
    message: `this plan file was applied before: it was begun at ${begun.at}, and a plan file is applied once`,
    also: ", which knows what is left of it, or bring the service to the roster with `roster apply`",
  };
}

function otherState({ basis }: PlanFile, state: State): StaleReason | undefined {
  const now = stateBasis(state);
  if (basis.state === "none") {
    if (now === "none" || hasNoPlanningRecords(state)) return undefined;
    return { message: `there was no state when the plan was made, and there is one now: ${shown(now)}` };
  }
  if (now === "none") return { message: `the plan was made with ${shown(basis.state)}, and there is no state here` };
  if (now.lineage !== basis.state.lineage) {
    return { message: `the plan was made with ${shown(basis.state)}, and this is another one: ${shown(now)}` };
  }
  if (now.serial >= basis.state.serial) return undefined;
  return {
    message: `the plan was made with ${shown(basis.state)}, and the state is at version ${now.serial}: it has lost what came after`,
  };
}

function shown({ lineage, serial }: StateBasis): string {
  return `version ${serial} of the state ${lineage}`;
}

/** A time that is none is over. */
function expired({ expiresAt }: PlanFile, now: number): StaleReason | undefined {
  return now < Date.parse(expiresAt) ? undefined : { message: `this plan file expired at ${expiresAt}` };
}

/** Whoever left the roster since would be brought back. */
function supersededRoster({ basis }: PlanFile, state: State): StaleReason | undefined {
  const { applied } = state;
  if (applied === undefined || isUnmoved(basis.state, state)) return undefined;
  if (applied.digest === basis.roster.digest || applied.at <= basis.readAt) return undefined;
  return { message: `another roster was applied at ${applied.at}, after this plan was made` };
}

/** Whether the state says the same as the one that a plan was made with. */
export function isUnmoved(basis: StateBasis | "none", state: State): boolean {
  if (basis === "none") return hasNoPlanningRecords(state);
  const now = stateBasis(state);
  return now !== "none" && now.digest === basis.digest;
}

/**
 * What of a saved plan does not fit any more, as far as no read of the service can tell: what the state says by now of
 * whom and what it is about, and what would keep the key in use from going on.
 */
export function staleActions(
  { plan, basis, policy }: PlanFile,
  state: State,
  key: { readonly inUse: string | undefined; readonly privilegedRoles: RoleSet },
): StaleActions {
  const moved = changedSubjects(plan.actions, state, { marks: basis.records, digest: sha256 });
  const actions = new Map<ActionId, string>();
  const members = new Map<MembershipKey, string>();
  for (const { about, action, member } of moved) {
    const why = `what the state says of the ${about} has moved since the plan was made`;
    if (action.kind === "add-members" && member !== undefined)
      members.set(membershipKeyOf(action.team.team, member.address), why);
    else actions.set(action.id, why);
  }
  // A person's word was about the key that was in use when the plan was made, which its guards forbid.
  const isSaid = policy.words.some((word) => word.startsWith("--allow own-key@"));
  if (!isSaid || key.inUse === undefined || plan.forbids?.keys.includes(key.inUse) !== true) {
    for (const action of plan.actions) {
      if (action.kind === "replace-roles" && removesOwnAccess(action, key)) actions.set(action.id, wouldLockOut);
    }
  }
  return { actions, members };
}

const wouldLockOut = "the key is the one in use by now, and no call would be allowed after it";

function removesOwnAccess(
  action: ReplaceRoles,
  { inUse, privilegedRoles }: { readonly inUse: string | undefined; readonly privilegedRoles: RoleSet },
): boolean {
  if (inUse === undefined || action.key.of !== "prefix" || factValue(action.key.prefix) !== inUse) return false;
  return lostRoles(action, privilegedRoles).length > 0;
}
