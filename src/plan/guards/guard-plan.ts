import type { Action } from "../../model/action.ts";
import type { GuardViolation, PlanRefusal } from "../../model/plan.ts";
import type { GuardName } from "../../model/policy.ts";
import { type Result, success } from "../../model/result.ts";
import type { FindingDraft } from "../draft.ts";
import { draftPlan, type PlanDraft } from "../draft-plan.ts";
import { planId } from "../plan-id.ts";
import type { PlanContext } from "../question.ts";
import type { Selection } from "../selection.ts";
import { prune } from "../withhold.ts";
import { type Allowances, allowancesFor } from "./allowances.ts";
import type { GuardInput } from "./guard.ts";
import { holds, stops } from "./guards.ts";
import { heldResources, holdsMore } from "./held.ts";
import { noHolds, pruneTargets, type RaisedHolds } from "./spoken-holds.ts";
import { reportHold, reportIdleAllowance } from "./tell-guards.ts";

/** What is left of a plan, and what guards have to say. */
export interface GuardedPlan {
  readonly actions: readonly Action[];
  readonly findings: readonly FindingDraft[];
  /** Where there are any, the plan must not be applied. */
  readonly stops: readonly GuardViolation[];
}

/** Lets every guard look at the plan: holds at all that is asked for, stops at what would be done in the end. */
export function guardPlan(
  context: PlanContext,
  selection: Selection,
  keyInUse: string | undefined,
): Result<GuardedPlan, PlanRefusal> {
  const asked = draftPlan(context, selection);
  if (!asked.ok) return asked;
  const id = planId(context.snapshot.service, asked.value.actions, context.digest);
  const allowances = allowancesFor(id, context.policy);
  const settled = settleHolds(asked.value, { context, selection, keyInUse, allowances });
  if (!settled.ok) return settled;

  const { drafted, spoken } = settled.value;
  const holding = [...spoken.values()].filter(({ guard }) => !allowances.lets(guard));
  const { actions, pruned: withheld } = prune(drafted.actions, holding.flatMap(pruneTargets));
  const input = guardInput({ ...drafted, actions }, context, keyInUse);
  const objections = stops.flatMap(({ name: guard, check }) => {
    const message = check(input);
    return message === undefined ? [] : [{ guard, message }];
  });
  const heard = new Set<GuardName>([...spoken.values(), ...objections].map(({ guard }) => guard));
  return success({
    actions,
    findings: [
      ...holding.map((hold) => reportHold(hold, { allowances, pruned: withheld, drafted, context })),
      ...drafted.findings,
      ...allowances.idle(heard).map(reportIdleAllowance),
    ],
    stops: [
      ...objections.filter(({ guard }) => !allowances.lets(guard)).map((stop) => allowances.refuse(stop)),
      ...allowances.misfits(new Set(holding.map(({ guard }) => guard))),
    ],
  });
}

interface HoldInput {
  readonly context: PlanContext;
  readonly selection: Selection;
  readonly keyInUse: string | undefined;
  readonly allowances: Allowances;
}

/**
 * Whom holds keep from being created is left out before founders are chosen, so that others take their places where they
 * can. That may bring up other actions: these are looked at as well, until nobody more is held.
 */
function settleHolds(
  asked: PlanDraft,
  { context, selection, keyInUse, allowances }: HoldInput,
): Result<{ readonly drafted: PlanDraft; readonly spoken: RaisedHolds }, PlanRefusal> {
  let drafted = asked;
  let spoken = noHolds;
  let { held } = context;
  for (;;) {
    const input = guardInput(drafted, context, keyInUse);
    for (const { name, check } of holds) spoken = spoken.with(name, check(input));
    const more = heldResources([...spoken.values()].filter(({ guard }) => !allowances.lets(guard)));
    if (!holdsMore(more, held)) return success({ drafted, spoken });
    held = more;
    const again = draftPlan({ ...context, held }, selection);
    if (!again.ok) return again;
    drafted = again.value;
  }
}

function guardInput(
  { actions, teams, managedKeys }: Pick<PlanDraft, "actions" | "teams" | "managedKeys">,
  context: PlanContext,
  keyInUse: string | undefined,
): GuardInput {
  return { context, actions, teams, managedKeys, keyInUse };
}
