import { isAccepted } from "../../model/accept.ts";
import type { Action, ActionId, CreateUser, KeyRef, ReplaceRoles } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import type { Drift, DriftClass } from "../../model/drift.ts";
import { factValue } from "../../model/fact.ts";
import type { Finding, FindingClass } from "../../model/finding.ts";
import type { Plan } from "../../model/plan.ts";
import { holdNames } from "../../model/policy.ts";
import { type RoleSet, rolesWithout } from "../../model/role-set.ts";
import { sha256 } from "../../model/sha256.ts";
import type { State } from "../../model/state.ts";
import { formatSubject, keySubject, memberSubject, partOf, type Subject, userSubject } from "../../model/subject.ts";
import { countCalls, type PruneTarget, planId, prune } from "../actions.ts";

const cause = "not to be repaired" as const;

/**
 * The part of a plan that is of some classes and that the roster does not accept, with nothing whose needs are left out. A team is created only together with
 * all that the plan does for it: a first member who is spent cannot be had again.
 */
export function repairPlan(plan: Plan, { items }: Drift, classes: ReadonlySet<DriftClass>): Plan {
  const unwanted = items.flatMap((item): PruneTarget<typeof cause>[] => {
    if (item.of.is === "finding" || (classes.has(item.class) && !isAccepted(item))) return [];
    const { action, person: address } = item.of;
    return [{ action, cause, ...(address === undefined ? {} : { address }) }];
  });
  const actions = withTeamCreationsWhole(plan.actions, unwanted);
  if (actions.length === plan.actions.length && isWhole(plan.actions, actions)) return plan;
  return {
    ...plan,
    id: planId(plan.service, actions),
    actions,
    calls: countCalls(actions, plan.calls.reads),
  };
}

/** Leaving out one creation of a team may take people from another team, so that it is looked at until nothing more falls away. */
function withTeamCreationsWhole(
  all: readonly Action[],
  unwanted: readonly PruneTarget<typeof cause>[],
): readonly Action[] {
  let targets = unwanted;
  for (;;) {
    const { actions } = prune(all, targets);
    const broken = actions.filter((action) => isTeamCreation(action) && !isKeptWhole(action, all, actions));
    if (broken.length === 0) return actions;
    targets = [...targets, ...broken.map(({ id }) => ({ action: id, cause }))];
  }
}

function isTeamCreation(action: Action): action is CreateUser {
  return action.kind === "create-user" && action.createsTeam !== undefined;
}

function isKeptWhole(teamCreation: CreateUser, all: readonly Action[], kept: readonly Action[]): boolean {
  const left = new Map(kept.map((action) => [action.id, action]));
  return all
    .filter((action) => dependsOnTeamCreation(action, teamCreation.id))
    .every((action) => sizeOf(left.get(action.id)) === sizeOf(action));
}

function dependsOnTeamCreation(action: Action, teamCreation: ActionId): boolean {
  return action.kind === "add-members"
    ? action.team.createdBy === teamCreation
    : action.dependsOn.includes(teamCreation);
}

function isWhole(all: readonly Action[], kept: readonly Action[]): boolean {
  return all.every((action, index) => sizeOf(kept[index]) === sizeOf(action));
}

function sizeOf(action: Action | undefined): number {
  if (action === undefined) return 0;
  return action.kind === "add-members" ? action.members.length : 1;
}

/** One matter of an action: the whole of it, or one person of an addition of members. */
export interface ActionPart {
  readonly action: Action;
  readonly person?: EmailKey;
  readonly subject: Subject;
  /** What tells it apart from other matters of its kind and subject: other roles on a key are another matter. */
  readonly essence: unknown;
}

export function splitAction(action: Action): readonly ActionPart[] {
  switch (action.kind) {
    case "create-user":
      return [{ action, subject: userSubject(action.address), essence: null }];
    case "add-members":
      return action.members.map(({ address: person }) => {
        return { action, person, subject: memberSubject(person, action.team.team), essence: null };
      });
    case "replace-roles":
      return [{ action, subject: subjectOfKey(action.key), essence: differenceOf(action) }];
  }
}

/** Whatever order things were read in, the same matter has the same fingerprint. */
export function partFingerprint({ action, subject, essence }: ActionPart): string {
  return sha256(JSON.stringify([action.kind, formatSubject(subject), essence])).slice(0, 16);
}

function subjectOfKey(key: KeyRef): Subject {
  switch (key.of) {
    case "prefix":
      return keySubject(factValue(key.prefix) ?? "");
    case "own-key":
      return partOf("own key", userSubject(key.address));
    case "team-key":
      return partOf("key", memberSubject(key.address, key.team.team));
  }
}

/** The roles too many and those that are missing, as far as it is known what the key carries. */
function differenceOf({ before, roles }: ReplaceRoles): unknown {
  const carried = factValue(before);
  return carried === undefined ? null : [rolesWithout(carried, roles), rolesWithout(roles, carried)];
}

/** A privileged role that the key has too many or too few, or that a creation gives. */
export function changesPrivilege(action: Action, privileged: RoleSet): boolean {
  switch (action.kind) {
    case "create-user":
      return (action.createsTeam?.accessKeyRoles ?? []).some((role) => privileged.includes(role));
    case "add-members":
      return false;
    case "replace-roles": {
      const carried = factValue(action.before) ?? [];
      const moved = [...rolesWithout(carried, action.roles), ...rolesWithout(action.roles, carried)];
      return moved.some((role) => privileged.includes(role));
    }
  }
}

/** The finding's own class; pending where the service took the call for later. */
export function classifyFinding(finding: Finding, state: State): FindingClass {
  return isAcceptedForLater(finding, state) ? "pending" : finding.class;
}

/** The service took the call, and may do it later. */
function isAcceptedForLater({ code, subject }: Finding, state: State): boolean {
  if (code !== "unknown-outcome") return false;
  return state.open.some(({ accepted, intent }) => {
    if (accepted === undefined) return false;
    if (intent.kind === "create-user") return subject.kind === "user" && subject.address === intent.address;
    return intent.kind === "add-members" && subject.kind === "additions" && subject.team === intent.team;
  });
}

const holdCodes: readonly string[] = holdNames;

/** Whether a finding is about a privileged role or about access that a guard forbids, or a guard's. */
export function isGuarded({ code, blocking }: Finding): boolean {
  return holdCodes.includes(code) || code === "unmanaged-privilege" || (code === "roles-kept-by-service" && blocking);
}
