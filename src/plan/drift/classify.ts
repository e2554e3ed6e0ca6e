import { isHold } from "../../codes/guards.ts";
import { isAccepted } from "../../model/accept.ts";
import { type Action, type ActionId, creationId, type ReplaceRoles } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import type { Drift, DriftClass } from "../../model/drift.ts";
import { factValue } from "../../model/fact.ts";
import { type Finding, type FindingClass, findingClass } from "../../model/finding.ts";
import type { Plan } from "../../model/plan.ts";
import { type RoleSet, rolesWithout } from "../../model/role-set.ts";
import { sha256 } from "../../model/sha256.ts";
import type { State } from "../../model/state.ts";
import { formatSubject, keySubject, memberSubject, partOf, type Subject, userSubject } from "../../model/subject.ts";
import { countCalls, namesOf, type PruneTarget, planId, prune } from "../actions.ts";

/**
 * The part of a plan that is of some classes and that the roster does not accept, with nothing whose needs are left out. A team is created only together with
 * all that the plan does for it: a first member who is spent cannot be had again.
 */
export function repairPlan(plan: Plan, { items }: Drift, classes: ReadonlySet<DriftClass>): Plan {
  const cause = "not to be repaired";
  let unwanted = items.flatMap((item): PruneTarget<string>[] => {
    if (item.of.is === "finding" || (classes.has(item.class) && !isAccepted(item))) return [];
    const { action, person: address } = item.of;
    return [{ action, cause, address }];
  });
  // Leaving out one creation of a team may take people from another team: it ends where nothing more falls away.
  for (;;) {
    const { actions, pruned } = prune(plan.actions, unwanted);
    if (pruned.length === 0) return plan;
    const leftOut = new Set(pruned.map(({ action }) => action));
    const missed = new Set(plan.actions.filter(({ id }) => leftOut.has(id)).flatMap(creationsNeeded));
    const broken = actions.filter((action) => isTeamCreation(action) && missed.has(action.id));
    if (broken.length === 0) {
      const part = { ...plan, ...namesOf(actions, plan), actions };
      return { ...part, id: planId(part), calls: countCalls(actions, plan.calls.reads) };
    }
    unwanted = [...unwanted, ...broken.map(({ id }) => ({ action: id, cause }))];
  }
}

function isTeamCreation(action: Action): boolean {
  return action.kind === "create-user" && action.createsTeam !== undefined;
}

function creationsNeeded(action: Action): readonly ActionId[] {
  if (action.kind !== "add-members") return action.dependsOn;
  return [action.firstMember ?? []].flat().map(creationId);
}

/** One matter of an action: the whole of it, or one person of an addition of members. */
export interface ActionPart {
  readonly action: Action;
  readonly person?: EmailKey;
  readonly subject: Subject;
}

export function splitAction(action: Action): readonly ActionPart[] {
  switch (action.kind) {
    case "create-user":
      return [{ action, subject: userSubject(action.address) }];
    case "add-members":
      return action.members.map(({ address: person }) => {
        return { action, person, subject: memberSubject(person, action.team) };
      });
    case "replace-roles":
      return [{ action, subject: subjectOfKey(action) }];
  }
}

/** Whatever order things were read in, the same matter has the same fingerprint: other roles on a key are another matter. */
export function partFingerprint({ action, subject }: ActionPart): string {
  const [before, after] = action.kind === "replace-roles" ? [factValue(action.before), action.roles] : [];
  const essence = before === undefined || after === undefined ? null : roleDifference(before, after);
  return sha256(JSON.stringify([action.kind, formatSubject(subject), essence])).slice(0, 16);
}

function subjectOfKey(action: ReplaceRoles): Subject {
  const { key } = action;
  switch (key.of) {
    case "prefix":
      return keySubject(key.prefix.value);
    case "own-key":
      return partOf("own key", userSubject(key.address));
    case "team-key":
      return partOf("key", memberSubject(key.address, key.team));
  }
}

/** The roles too many and those that are missing. */
function roleDifference(carried: RoleSet, roles: RoleSet): readonly RoleSet[] {
  return [rolesWithout(carried, roles), rolesWithout(roles, carried)];
}

/** The privileged roles that a key has too many or too few, or that a creation gives. */
export function privilegesChanged(action: Action, privileged: RoleSet): RoleSet {
  return changedRoles(action).filter((role) => privileged.includes(role));
}

function changedRoles(action: Action): RoleSet {
  switch (action.kind) {
    case "create-user":
      return action.createsTeam?.accessKeyRoles ?? [];
    case "add-members":
      return [];
    case "replace-roles":
      return roleDifference(factValue(action.before) ?? [], action.roles).flat();
  }
}

/** The finding's own class; pending where the service took the call, and may do it later. */
export function classifyFinding(finding: Finding, { open }: State): FindingClass {
  const { code, subject } = finding;
  if (code !== "unknown-outcome") return findingClass(finding);
  const isTaken = open.some(({ accepted, intent }) => {
    if (accepted === undefined) return false;
    if (intent.kind === "create-user") return subject.kind === "user" && subject.address === intent.address;
    return intent.kind === "add-members" && subject.kind === "additions" && subject.team === intent.team;
  });
  return isTaken ? "pending" : findingClass(finding);
}

/** Whether a finding is about a privileged role or about access that a guard forbids, or a guard's. */
export function isGuarded({ code, kind }: Finding): boolean {
  return isHold(code) || code === "unmanaged-privilege" || (code === "roles-kept-by-service" && kind === "task");
}
