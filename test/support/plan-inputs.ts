import type { Plan, PlanRefusal } from "../../src/model/plan.ts";
import {
  type Allowance,
  type GuardSettings,
  type Policy,
  readAllowance,
  type Selector,
} from "../../src/model/policy.ts";
import type { Result } from "../../src/model/result.ts";
import { defaultPrivilegedRoles } from "../../src/model/role-set.ts";
import { emptyState, type State } from "../../src/model/state.ts";
import { allowancePlanOf, makePlan, type PlanInput } from "../../src/plan/make-plan.ts";
import { addressOf, aRoster } from "./roster-builders.ts";
import { snapshotOf } from "./simulated-snapshot.ts";
import { aWorld } from "./simulated-world.ts";

/** Every guard that can be off is off, so that a test is about what it says it is about. */
export const unguarded: GuardSettings = {
  nearDuplicate: "off",
  privilegedRoles: "off",
  protected: { users: [], keys: [] },
  maxNewUsers: "off",
  maxInvitations: "off",
  maxRoleRemovals: "off",
  minAdmins: "off",
  requiredAdmins: [],
};

export function aPolicy(parts: Partial<Policy> = {}): Policy {
  return {
    include: [],
    exclude: [],
    reportUnmanaged: false,
    privilegedRoles: defaultPrivilegedRoles,
    guards: unguarded,
    allowed: [],
    today: "2026-11-20",
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

/** `allows`: what a person allows of this very plan, such as `recreate:ada@acme.example`. */
export interface InputParts extends Partial<PlanInput> {
  readonly allows?: readonly string[];
}

export function aPlanInput({ allows = [], ...parts }: InputParts = {}): PlanInput {
  const roster = parts.roster ?? aRoster({});
  const input: PlanInput = {
    roster,
    snapshot: parts.snapshot ?? snapshotOf(aWorld(), { roster }),
    state: aState(),
    policy: aPolicy(),
    ...parts,
  };
  return allowing(input, allows);
}

/** The same, with what a person allows of this very plan. */
function allowing(input: PlanInput, allows: readonly string[]): PlanInput {
  if (allows.length === 0) return input;
  const plan = allowancePlanOf(input) ?? "0".repeat(16);
  const allowed = [...input.policy.allowed, ...allows.map((what) => anAllowance(what, plan))];
  return { ...input, policy: { ...input.policy, allowed } };
}

export function anAllowance(what: string, plan: string): Allowance {
  const read = readAllowance(`${what}@${plan}`);
  if (read === undefined) throw new Error(`${what} is nothing that can be allowed`);
  return read;
}

/** The plan, whether or not a guard refuses it: tests of guards ask for that. */
export function planned(parts: InputParts): Plan {
  const result: Result<Plan, PlanRefusal> = makePlan(aPlanInput(parts));
  if (result.ok) return result.value;
  if (result.error.code === "guard") return result.error.plan;
  throw new Error(result.error.message);
}

export function refused(parts: InputParts): PlanRefusal {
  const result = makePlan(aPlanInput(parts));
  if (result.ok) throw new Error("the plan was not refused");
  return result.error;
}
