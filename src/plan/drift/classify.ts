import type { Action, KeyRef, ReplaceRoles } from "../../model/action.ts";
import type { FoldedAddress } from "../../model/address.ts";
import { factValue } from "../../model/fact.ts";
import type { Finding, FindingClass } from "../../model/finding.ts";
import { holdNames } from "../../model/policy.ts";
import { type RoleSet, rolesWithout } from "../../model/role-set.ts";
import type { State } from "../../model/state.ts";
import { formatSubject, keySubject, memberSubject, partOf, type Subject, userSubject } from "../../model/subject.ts";

/** One matter of an action: the whole of it, or one person of an addition of members. */
export interface ActionPart {
  readonly action: Action;
  readonly person?: FoldedAddress;
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
export function partFingerprint({ action, subject, essence }: ActionPart, digest: (text: string) => string): string {
  return digest(JSON.stringify([action.kind, formatSubject(subject), essence])).slice(0, 16);
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
      return (action.founds?.accessKeyRoles ?? []).some((role) => privileged.includes(role));
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

const holdCodes: readonly string[] = holdNames.filter((name) => name !== "unproven-team");
const privilegeCodes: readonly string[] = ["unmanaged-privilege", "unmanaged-key-privilege"];

/** Whether a finding is about a privileged role, or a guard's. */
export function isGuarded({ code, blocking }: Finding): boolean {
  return holdCodes.includes(code) || privilegeCodes.includes(code) || (code === "roles-kept-by-service" && blocking);
}
