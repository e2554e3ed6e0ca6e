import type { Action, ActionId } from "../model/action.ts";
import type { FoldedAddress } from "../model/address.ts";
import { type DependencyOutcome, decideStart, type SkipCause } from "./start-verdict.ts";

/** An action that cannot be done because of how another one ended. */
interface SkippedAction {
  readonly action: ActionId;
  /** The first cause: an action that was itself skipped passes its own cause on. */
  readonly cause: SkipCause;
}

/** What one end sets free. */
export interface ScheduleStep {
  /** May start now; an add-members call without the people who fell away. */
  readonly ready: readonly Action[];
  readonly skipped: readonly SkippedAction[];
}

/** How an action that was handed out has ended: `done` also where it was not needed. */
export type ActionCompletion =
  /** `without`: the people of the call whom it did not reach. */
  | { readonly done: true; readonly without?: readonly FoldedAddress[] }
  /** `cause`: where the action was itself kept from being done by another one. */
  | { readonly done: false; readonly cause?: SkipCause };

/** Follows the dependencies of a plan. All its steps together cost as much as the plan has dependencies. */
export interface Schedule {
  /** What waits for nothing. To be called once, before any end is told. */
  begin(): ScheduleStep;
  end(action: Action, ended: ActionCompletion): ScheduleStep;
  /** Actions that were neither handed out nor skipped, in the order of the plan. */
  waiting(): readonly Action[];
}

export function scheduleOf(actions: readonly Action[]): Schedule {
  const waiting = new Map(actions.map((action) => [action.id, action]));
  const endings = new Map<ActionId, DependencyOutcome>();
  const fellAway = new Map<ActionId, ReadonlyMap<FoldedAddress, SkipCause>>();
  const links = dependencyGraph(actions);

  /** Follows chains of skips without recursion: they can be as long as the plan. */
  function release(free: readonly Action[]): ScheduleStep {
    const ready: Action[] = [];
    const skipped: SkippedAction[] = [];
    const queue = [...free];
    for (const action of queue) {
      waiting.delete(action.id);
      const verdict = decideStart(action, endings);
      if (verdict.may === "start") {
        ready.push(verdict.action);
        fellAway.set(action.id, verdict.without);
      } else {
        skipped.push({ action: action.id, cause: verdict.cause });
        endings.set(action.id, { done: false, cause: verdict.cause });
        for (const freed of links.freedBy(action.id)) queue.push(freed);
      }
    }
    return { ready, skipped };
  }

  return {
    begin: () => release(links.free()),
    end(action, ended) {
      endings.set(action.id, dependencyOutcome(action, ended, fellAway.get(action.id)));
      return release(links.freedBy(action.id));
    },
    waiting: () => [...waiting.values()],
  };
}

/** Who waits for whom, and for how many still. */
function dependencyGraph(actions: readonly Action[]) {
  const dependents = new Map<ActionId, Action[]>(actions.map(({ id }) => [id, []]));
  const missing = new Map<ActionId, number>();
  for (const action of actions) {
    const needs = [...new Set(action.dependsOn)].filter((id) => dependents.has(id));
    missing.set(action.id, needs.length);
    for (const id of needs) dependents.get(id)?.push(action);
  }
  return {
    free: () => actions.filter(({ id }) => missing.get(id) === 0),
    freedBy(ended: ActionId): readonly Action[] {
      return (dependents.get(ended) ?? []).filter(({ id }) => {
        const left = (missing.get(id) ?? 0) - 1;
        missing.set(id, left);
        return left === 0;
      });
    },
  };
}

function dependencyOutcome(
  action: Action,
  ended: ActionCompletion,
  fallen: ReadonlyMap<FoldedAddress, SkipCause> | undefined,
): DependencyOutcome {
  const cause: SkipCause = { action: action.id, why: `${describeAction(action)} did not succeed` };
  if (!ended.done) return { done: false, cause: ended.cause ?? cause };
  const without = new Map(fallen);
  for (const address of ended.without ?? []) {
    without.set(address, { action: action.id, why: `${describeAction(action)} did not succeed for ${address}` });
  }
  return { done: true, without };
}

function describeAction(action: Action): string {
  switch (action.kind) {
    case "create-user":
      return `the creation of ${action.user.email}`;
    case "add-members":
      return `the addition of members to the team ${action.team.name}`;
    case "replace-roles":
      return "the replacement of the key's roles";
  }
}
