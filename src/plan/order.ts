import type { Action, ActionId } from "../model/action.ts";

/** The same actions, each after those that it depends on and otherwise in the order given. */
export function orderByDependencies(actions: readonly Action[]): readonly Action[] {
  const byId = new Map(actions.map((action) => [action.id, action]));
  const placed = new Map<ActionId, Action>();
  for (const action of actions) placeAfterDependencies(action, byId, placed);
  return [...placed.values()];
}

/** Walks down a path of needs without recursion: it may be as long as there are teams. */
function placeAfterDependencies(
  action: Action,
  byId: ReadonlyMap<ActionId, Action>,
  placed: Map<ActionId, Action>,
): void {
  const path = [action];
  const onPath = new Set([action.id]);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const need = firstUnplacedDependency(top, byId, placed);
    if (need === undefined) {
      placed.set(top.id, top);
      path.pop();
    } else {
      if (onPath.has(need.id)) throw new Error(`the action ${need.id} depends on itself`);
      onPath.add(need.id);
      path.push(need);
    }
  }
}

function firstUnplacedDependency(
  { dependsOn }: Action,
  byId: ReadonlyMap<ActionId, Action>,
  placed: ReadonlyMap<ActionId, Action>,
): Action | undefined {
  const id = dependsOn.find((dependency) => !placed.has(dependency) && byId.has(dependency));
  return id === undefined ? undefined : byId.get(id);
}
