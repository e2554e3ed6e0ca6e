import { createHash } from "node:crypto";
import type { Plan, PlanRefusal } from "../../src/model/plan.ts";
import { defaultInvitationDays, type GuardSettings, type Policy, type Selector } from "../../src/model/policy.ts";
import type { Result } from "../../src/model/result.ts";
import { defaultPrivilegedRoles } from "../../src/model/role-set.ts";
import { emptyState, type State } from "../../src/model/state.ts";
import { makePlan, type PlanInput } from "../../src/plan/make-plan.ts";
import { addressOf, aRoster } from "./roster-builders.ts";
import { snapshotOf } from "./simulated-snapshot.ts";
import { aWorld } from "./simulated-world.ts";

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Every guard that can be off is off, so that a test is about what it says it is about. */
export const unguarded: GuardSettings = {
  nearDuplicate: "off",
  privilegedRoles: "off",
  protected: { users: [], keys: [] },
  renamedTeam: "off",
  maxNewUsers: "off",
  maxInvitations: "off",
  maxRoleRemovals: "off",
  minAdmins: "off",
  requiredAdmins: [],
  incompleteSnapshot: "off",
};

export function aPolicy(parts: Partial<Policy> = {}): Policy {
  return {
    include: [],
    exclude: [],
    assumeAbsentTeams: [],
    assumeAbsentMembers: [],
    recreate: [],
    retryRefused: false,
    reportUnmanaged: false,
    privilegedRoles: defaultPrivilegedRoles,
    guards: unguarded,
    allowed: [],
    released: [],
    today: "2026-11-20",
    invitationDays: defaultInvitationDays,
    singleLabelDomains: false,
    ...parts,
  };
}

export function aState(parts: Partial<State> = {}): State {
  return { ...emptyState("test"), ...parts };
}

/** `user:ada` or `team:Data Science`. */
export function selector(written: string): Selector {
  const [kind, name = ""] = written.split(/:(.*)/su);
  return kind === "user" ? { kind, address: addressOf(name), written } : { kind: "team", name, written };
}

export function aPlanInput(parts: Partial<PlanInput> = {}): PlanInput {
  const roster = parts.roster ?? aRoster({});
  return {
    roster,
    snapshot: parts.snapshot ?? snapshotOf(aWorld(), { roster }),
    state: aState(),
    policy: aPolicy(),
    digest: sha256,
    ...parts,
  };
}

/** The plan, whether or not a guard refuses it: tests of guards ask for that. */
export function planned(parts: Partial<PlanInput>): Plan {
  const result: Result<Plan, PlanRefusal> = makePlan(aPlanInput(parts));
  if (result.ok) return result.value;
  if (result.error.code === "guard") return result.error.plan;
  throw new Error(result.error.message);
}

export function refused(parts: Partial<PlanInput>): PlanRefusal {
  const result = makePlan(aPlanInput(parts));
  if (result.ok) throw new Error("the plan was not refused");
  return result.error;
}
