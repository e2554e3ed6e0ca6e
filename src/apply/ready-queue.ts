import type { Action } from "../model/action.ts";

/** Actions that may start: what completes something begun comes before new creations, else first come, first served. */
export interface ReadyQueue {
  add(actions: readonly Action[]): void;
  next(): Action | undefined;
  /** Up to so many of those that come next, in their order. */
  soon(count: number): readonly Action[];
}

export function readyQueue(): ReadyQueue {
  const dependents = fifoQueue();
  const beginnings = fifoQueue();
  return {
    add(actions) {
      for (const action of actions) (startsNew(action) ? beginnings : dependents).add(action);
    },
    next: () => dependents.next() ?? beginnings.next(),
    soon(count) {
      const first = dependents.soon(count);
      return [...first, ...beginnings.soon(count - first.length)];
    },
  };
}

function startsNew(action: Action): boolean {
  return action.kind === "create-user" && action.founds === undefined && action.dependsOn.length === 0;
}

/** Taking the first costs the same however many wait. */
function fifoQueue() {
  let items: Action[] = [];
  let taken = 0;
  return {
    add(action: Action) {
      items.push(action);
    },
    next(): Action | undefined {
      const action = items[taken];
      if (action === undefined) return undefined;
      taken += 1;
      if (taken === items.length) {
        items = [];
        taken = 0;
      }
      return action;
    },
    soon: (count: number) => items.slice(taken, taken + count),
  };
}
