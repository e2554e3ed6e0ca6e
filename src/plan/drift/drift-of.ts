import type { Drift, DriftItem } from "../../model/drift.ts";
import type { Finding } from "../../model/finding.ts";
import type { Plan } from "../../model/plan.ts";
import type { RoleSet } from "../../model/role-set.ts";
import type { Roster } from "../../model/roster.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import { changesPrivilege, classifyAction } from "./action-class.ts";
import { computeCoverage } from "./coverage.ts";
import { classifyFinding, type FindingClassInput, isGuarded } from "./finding-class.ts";
import { nothingInProgress, type SubjectsInProgress } from "./in-motion.ts";
import { type ActionPart, partFingerprint, splitAction } from "./parts.ts";
import { findWaitingParts } from "./waiting-parts.ts";

export interface DriftInput {
  readonly plan: Plan;
  readonly snapshot: Snapshot;
  /** As it was when the service was read, with what could be settled of earlier runs settled. */
  readonly state: State;
  readonly roster: Roster;
  readonly privilegedRoles: RoleSet;
  readonly digest: (text: string) => string;
  readonly moving?: SubjectsInProgress;
}

/** Says of each action and each finding of a plan why it is there, since when, and what of it counts. */
export function computeDrift({ plan, snapshot, state, roster, privilegedRoles, digest, moving }: DriftInput): Drift {
  const still = moving ?? nothingInProgress;
  const since = sinceLookup(state);
  const parts = plan.actions.flatMap(splitAction);
  const waiting = findWaitingParts(parts, still);
  const actions = parts.map((part): DriftItem => {
    return since({
      fingerprint: partFingerprint(part, digest),
      ...(waiting.has(part) ? inProgress : { class: classifyAction(part, { state }), counts: "change" }),
      code: part.action.kind,
      subject: part.subject,
      guarded: changesPrivilege(part.action, privilegedRoles),
      of: { is: "action", action: part.action.id, ...personOf(part) },
    });
  });
  const input: FindingClassInput = {
    roster,
    state,
    shown: new Map(snapshot.users.map((user) => [user.address, user])),
    keys: new Map(snapshot.users.flatMap(({ keys = [] }) => keys.map((key) => [key.prefix, key] as const))),
  };
  const findings = plan.findings.map((finding) => since(findingItem(finding, input, still)));
  return { items: [...actions, ...findings], coverage: computeCoverage(snapshot, roster, state), idle: [] };
}

const inProgress = { class: "pending", counts: "nothing" } as const;

function personOf({ person }: ActionPart): { readonly person?: NonNullable<ActionPart["person"]> } {
  return person === undefined ? {} : { person };
}

function findingItem(finding: Finding, input: FindingClassInput, moving: SubjectsInProgress): DriftItem {
  const { fingerprint, code, subject, blocking } = finding;
  const told = { class: classifyFinding(finding, input), counts: blocking ? "blocking" : "nothing" } as const;
  return {
    fingerprint,
    ...(moving.has(subject) ? inProgress : told),
    code,
    subject,
    guarded: isGuarded(finding),
    of: { is: "finding", finding },
  };
}

function sinceLookup({ sightings }: State): (item: DriftItem) => DriftItem {
  return (item) => {
    const sighting = sightings?.get(item.fingerprint);
    return sighting === undefined ? item : { ...item, since: sighting.since };
  };
}
