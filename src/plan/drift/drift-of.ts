import type { Drift, DriftItem } from "../../model/drift.ts";
import type { Finding } from "../../model/finding.ts";
import type { Plan } from "../../model/plan.ts";
import type { RoleSet } from "../../model/role-set.ts";
import type { Roster } from "../../model/roster.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import { classOfPart, touchesPrivilege } from "./action-class.ts";
import { coverageOf } from "./coverage.ts";
import { classOfFinding, type FindingGround, isGuarded } from "./finding-class.ts";
import { type InMotion, nothingMoves } from "./in-motion.ts";
import { fingerprintOf, type Part, partsOf } from "./parts.ts";
import { waitingParts } from "./waiting-parts.ts";

export interface DriftInput {
  readonly plan: Plan;
  readonly snapshot: Snapshot;
  /** As it was when the service was read, with what could be settled of earlier runs settled. */
  readonly state: State;
  readonly roster: Roster;
  readonly privilegedRoles: RoleSet;
  readonly digest: (text: string) => string;
  readonly moving?: InMotion;
}

/** Says of each action and each finding of a plan why it is there, since when, and what of it counts. */
export function driftOf({ plan, snapshot, state, roster, privilegedRoles, digest, moving }: DriftInput): Drift {
  const still = moving ?? nothingMoves;
  const since = sinceIn(state);
  const parts = plan.actions.flatMap(partsOf);
  const waiting = waitingParts(parts, still);
  const actions = parts.map((part): DriftItem => {
    return since({
      fingerprint: fingerprintOf(part, digest),
      ...(waiting.has(part) ? inWork : { class: classOfPart(part, { state }), counts: "change" }),
      code: part.action.kind,
      subject: part.subject,
      guarded: touchesPrivilege(part.action, privilegedRoles),
      of: { is: "action", action: part.action.id, ...personOf(part) },
    });
  });
  const ground: FindingGround = {
    roster,
    state,
    shown: new Map(snapshot.users.map((user) => [user.address, user])),
    keys: new Map(snapshot.users.flatMap(({ keys = [] }) => keys.map((key) => [key.prefix, key] as const))),
  };
  const findings = plan.findings.map((finding) => since(itemOf(finding, ground, still)));
  return { items: [...actions, ...findings], coverage: coverageOf(snapshot, roster, state), idle: [] };
}

const inWork = { class: "pending", counts: "nothing" } as const;

function personOf({ person }: Part): { readonly person?: NonNullable<Part["person"]> } {
  return person === undefined ? {} : { person };
}

function itemOf(finding: Finding, ground: FindingGround, moving: InMotion): DriftItem {
  const { fingerprint, code, subject, blocking } = finding;
  const told = { class: classOfFinding(finding, ground), counts: blocking ? "blocking" : "nothing" } as const;
  return {
    fingerprint,
    ...(moving.has(subject) ? inWork : told),
    code,
    subject,
    guarded: isGuarded(finding),
    of: { is: "finding", finding },
  };
}

function sinceIn({ sightings }: State): (item: DriftItem) => DriftItem {
  return (item) => {
    const sighting = sightings?.get(item.fingerprint);
    return sighting === undefined ? item : { ...item, since: sighting.since };
  };
}
