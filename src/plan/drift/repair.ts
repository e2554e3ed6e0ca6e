import type { Action, ActionId, CreateUser } from "../../model/action.ts";
import type { Drift, DriftClass } from "../../model/drift.ts";
import type { Plan } from "../../model/plan.ts";
import { countCalls, type PruneTarget, planId, prune } from "../actions.ts";

const cause = "not to be repaired" as const;

/**
 * The part of a plan that is of some classes and that nobody has acknowledged, with nothing whose needs are left out. A team is founded only together with
 * all that the plan does for it: a founder who is spent cannot be had again.
 */
export function repairPlan(
  plan: Plan,
  { items }: Drift,
  classes: ReadonlySet<DriftClass>,
  digest: (text: string) => string,
): Plan {
  const unwanted = items.flatMap((item): PruneTarget<typeof cause>[] => {
    if (item.of.is === "finding" || (classes.has(item.class) && item.acknowledged?.counts !== true)) return [];
    const { action, person: address } = item.of;
    return [{ action, cause, ...(address === undefined ? {} : { address }) }];
  });
  const actions = withFoundingsWhole(plan.actions, unwanted);
  if (actions.length === plan.actions.length && isWhole(plan.actions, actions)) return plan;
  return {
    ...plan,
    id: planId(plan.service, actions, digest),
    actions,
    calls: countCalls(actions, plan.calls.reads),
  };
}

/** Leaving out one founding may take people from another team, so that it is looked at until nothing more falls away. */
function withFoundingsWhole(all: readonly Action[], unwanted: readonly PruneTarget<typeof cause>[]): readonly Action[] {
  let targets = unwanted;
  for (;;) {
    const { actions } = prune(all, targets);
    const broken = actions.filter((action) => isFounding(action) && !isKeptWhole(action, all, actions));
    if (broken.length === 0) return actions;
    targets = [...targets, ...broken.map(({ id }) => ({ action: id, cause }))];
  }
}

function isFounding(action: Action): action is CreateUser {
  return action.kind === "create-user" && action.founds !== undefined;
}

function isKeptWhole(founding: CreateUser, all: readonly Action[], kept: readonly Action[]): boolean {
  const left = new Map(kept.map((action) => [action.id, action]));
  return all
    .filter((action) => dependsOnFounding(action, founding.id))
    .every((action) => sizeOf(left.get(action.id)) === sizeOf(action));
}

function dependsOnFounding(action: Action, founding: ActionId): boolean {
  return action.kind === "add-members" ? action.team.foundedBy === founding : action.dependsOn.includes(founding);
}

function isWhole(all: readonly Action[], kept: readonly Action[]): boolean {
  return all.every((action, index) => sizeOf(kept[index]) === sizeOf(action));
}

function sizeOf(action: Action | undefined): number {
  if (action === undefined) return 0;
  return action.kind === "add-members" ? action.members.length : 1;
}
