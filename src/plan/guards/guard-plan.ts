import type { Action } from "../../model/action.ts";
import type { GuardName } from "../../model/guard.ts";
import type { GuardViolation, PlanRefusal } from "../../model/plan.ts";
import { type Result, success } from "../../model/result.ts";
import type { Draft } from "../draft.ts";
import { type DraftedPlan, draftPlan } from "../draft-plan.ts";
import { planId } from "../plan-id.ts";
import type { Question } from "../question.ts";
import type { Selection } from "../selection.ts";
import { withhold } from "../withhold.ts";
import { type Allowances, allowancesFor } from "./allowances.ts";
import type { GuardGround } from "./guard.ts";
import { holds, stops } from "./guards.ts";
import { heldBy, isMore } from "./held.ts";
import { noHolds, type SpokenHolds, targetsOf } from "./spoken-holds.ts";
import { tellHold, tellIdle } from "./tell-guards.ts";

/** What is left of a plan, and what guards have to say. */
export interface GuardedPlan {
  readonly actions: readonly Action[];
  readonly findings: readonly Draft[];
  /** Where there are any, the plan must not be applied. */
  readonly stops: readonly GuardViolation[];
}

/** Lets every guard look at the plan: holds at all that is asked for, stops at what would be done in the end. */
export function guardPlan(
  question: Question,
  selection: Selection,
  keyInUse: string | undefined,
): Result<GuardedPlan, PlanRefusal> {
  const asked = draftPlan(question, selection);
  if (!asked.ok) return asked;
  const id = planId(question.snapshot.service, asked.value.actions, question.digest);
  const allowances = allowancesFor(id, question.policy);
  const settled = settleHolds(asked.value, { question, selection, keyInUse, allowances });
  if (!settled.ok) return settled;

  const { drafted, spoken } = settled.value;
  const holding = [...spoken.values()].filter(({ guard }) => !allowances.lets(guard));
  const { actions, withheld } = withhold(drafted.actions, holding.flatMap(targetsOf));
  const ground = groundOf({ ...drafted, actions }, question, keyInUse);
  const objections = stops.flatMap(({ name: guard, judge }) => {
    const message = judge(ground);
    return message === undefined ? [] : [{ guard, message }];
  });
  const heard = new Set<GuardName>([...spoken.values(), ...objections].map(({ guard }) => guard));
  return success({
    actions,
    findings: [
      ...holding.map((hold) => tellHold(hold, { allowances, withheld, drafted, question })),
      ...drafted.findings,
      ...allowances.idle(heard).map(tellIdle),
    ],
    stops: [
      ...objections.filter(({ guard }) => !allowances.lets(guard)).map((stop) => allowances.refuse(stop)),
      ...allowances.misfits(new Set(holding.map(({ guard }) => guard))),
    ],
  });
}

interface HoldGround {
  readonly question: Question;
  readonly selection: Selection;
  readonly keyInUse: string | undefined;
  readonly allowances: Allowances;
}

/**
 * Whom holds keep from being created is left out before founders are chosen, so that others take their places where they
 * can. That may bring up other actions: these are looked at as well, until nobody more is held.
 */
function settleHolds(
  asked: DraftedPlan,
  { question, selection, keyInUse, allowances }: HoldGround,
): Result<{ readonly drafted: DraftedPlan; readonly spoken: SpokenHolds }, PlanRefusal> {
  let drafted = asked;
  let spoken = noHolds;
  let { held } = question;
  for (;;) {
    const ground = groundOf(drafted, question, keyInUse);
    for (const { name, judge } of holds) spoken = spoken.with(name, judge(ground));
    const more = heldBy([...spoken.values()].filter(({ guard }) => !allowances.lets(guard)));
    if (!isMore(more, held)) return success({ drafted, spoken });
    held = more;
    const again = draftPlan({ ...question, held }, selection);
    if (!again.ok) return again;
    drafted = again.value;
  }
}

function groundOf(
  { actions, teams, managedKeys }: Pick<DraftedPlan, "actions" | "teams" | "managedKeys">,
  question: Question,
  keyInUse: string | undefined,
): GuardGround {
  return { question, actions, teams, managedKeys, keyInUse };
}
