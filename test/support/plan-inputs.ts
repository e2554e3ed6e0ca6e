import { expect } from "vitest";
import type { Finding } from "../../src/model/finding.ts";
import type { Plan } from "../../src/model/plan.ts";
import {
  type AllowanceCode,
  formatAllowanceCode,
  type GuardSettings,
  type Policy,
  readAllowanceCode,
  type Selector,
} from "../../src/model/policy.ts";
import { emptyState, type State } from "../../src/model/state.ts";
import { defaultPrivilegedRoles } from "../../src/model/values.ts";
import { thingOf } from "../../src/plan/allowances.ts";
import { buildPlanContext, type PlanContext } from "../../src/plan/context.ts";
import { computeDrift } from "../../src/plan/drift/compute-drift.ts";
import { makePlan } from "../../src/plan/make-plan.ts";
import type { PlanFacts } from "../../src/plan/snapshot-index.ts";
import { addressOf, aRoster } from "./roster-builders.ts";
import { snapshotOf } from "./simulated-snapshot.ts";
import { aWorld } from "./simulated-world.ts";

/** Every guard that can be off is off, so that a test is about what it says it is about. */
export const unguarded: GuardSettings = {
  nearDuplicate: "off",
  privilegedRoles: "off",
  protect: { users: [], keys: [] },
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

/** `allows`: what a person allows, such as `user-missing:ada@acme.example`, or `user-missing:*` for all of a kind. */
export type InputParts = {
  readonly [Field in keyof PlanFacts]?: PlanFacts[Field] | undefined;
} & { readonly allows?: readonly string[] | undefined };

export function aContext({ allows = [], ...parts }: InputParts): PlanContext {
  const roster = parts.roster ?? aRoster({});
  const input: PlanFacts = {
    roster,
    snapshot: parts.snapshot ?? snapshotOf(aWorld(), { roster }),
    state: parts.state ?? aState(),
    policy: parts.policy ?? aPolicy(),
    keyInUse: parts.keyInUse,
    unsearched: parts.unsearched,
  };
  return buildPlanContext(allowing(input, allows));
}

/** The same, with the codes of what a person allows: each as the plan prints it where nothing else is left that it prints. */
function allowing(input: PlanFacts, allows: readonly string[]): PlanFacts {
  if (allows.length === 0) return input;
  let allowed = input.policy.allowed;
  for (;;) {
    const asked = { ...input, policy: { ...input.policy, allowed } };
    const printed = codesOf(makePlan(buildPlanContext(asked))).filter((code) =>
      allows.some((what) => isMeant(code, what)),
    );
    const more = printed.filter((code) => !allowed.some((one) => formatAllowanceCode(one) === code));
    if (more.length > 0) allowed = [...allowed, ...more.flatMap((code) => readAllowanceCode(code) ?? [])];
    else return withUnasked(asked, allows);
  }
}

/** What nothing asks for is passed with digits that fit nothing. */
function withUnasked(input: PlanFacts, allows: readonly string[]): PlanFacts {
  const { allowed } = input.policy;
  const unasked = allows.filter((what) => !allowed.some((one) => isMeant(formatAllowanceCode(one), what)));
  const others = unasked.filter((what) => !what.endsWith("*")).map((what) => aCode(`${what}#000000000000`));
  return { ...input, policy: { ...input.policy, allowed: [...allowed, ...others] } };
}

function isMeant(code: string, what: string): boolean {
  if (what.endsWith("*")) return code.startsWith(what.slice(0, -1));
  const [one, other] = [readAllowanceCode(code), readAllowanceCode(what)];
  return one !== undefined && other !== undefined && thingOf(one) === thingOf(other);
}

export function codesOf(made: ReturnType<typeof makePlan>): readonly string[] {
  const refusal = made.ok ? undefined : made.error;
  const guarded = refusal?.code === "guard" ? refusal : undefined;
  const plan = made.ok ? made.value : guarded?.plan;
  const stops = (guarded?.stops ?? []).flatMap(({ allow }) => allow ?? []);
  return [...new Set([...(plan?.findings ?? []).flatMap(({ allow = [] }) => allow), ...stops])];
}

export function aCode(text: string): AllowanceCode {
  const read = readAllowanceCode(text);
  if (read === undefined) throw new Error(`${text} is nothing that can be allowed`);
  return read;
}

/** The plan, whether or not a guard refuses it: tests of guards ask for that. Each finding prints the codes that allow it. */
export function planned(parts: InputParts): Plan {
  return planOf(aContext(parts));
}

/** The same, with its drift. `moving`: what a run works on meanwhile. */
export function plannedDrift(parts: InputParts, moving: ReadonlySet<string> = new Set()) {
  const context = aContext(parts);
  const plan = planOf(context);
  return { plan, drift: computeDrift(plan, context, { moving }) };
}

function planOf(context: PlanContext): Plan {
  const result = makePlan(context);
  if (result.ok) return withPrintedCodes(result.value);
  if (result.error.code === "guard") return withPrintedCodes(result.error.plan);
  throw new Error(result.error.message);
}

function withPrintedCodes(plan: Plan): Plan {
  const isPrinted = ({ allow = [], message }: Finding) => allow.every((code) => message.includes(`--allow ${code}`));
  expect(plan.findings.filter((finding) => !isPrinted(finding))).toEqual([]);
  return plan;
}
