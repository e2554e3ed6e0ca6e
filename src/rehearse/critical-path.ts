import type { Action, ActionId } from "../model/action.ts";

/** The longest chain of actions of which each waits for the one before; of several the one that the plan names first. */
export function criticalPath(actions: readonly Action[]): readonly ActionId[] {
  const lengths = new Map<ActionId, number>();
  const before = new Map<ActionId, ActionId>();
  // A plan is in an order that respects every dependency.
  for (const { id, dependsOn } of actions) {
    const last = longest(dependsOn, lengths);
    lengths.set(id, 1 + (last === undefined ? 0 : (lengths.get(last) ?? 0)));
    if (last !== undefined) before.set(id, last);
  }
  const path: ActionId[] = [];
  const ends = longest(lengths.keys(), lengths);
  for (let step = ends; step !== undefined; step = before.get(step)) path.unshift(step);
  return path;
}

function longest(ids: Iterable<ActionId>, lengths: ReadonlyMap<ActionId, number>): ActionId | undefined {
  let best: ActionId | undefined;
  for (const id of ids) {
    if ((lengths.get(id) ?? 0) > (best === undefined ? 0 : (lengths.get(best) ?? 0))) best = id;
  }
  return best;
}
