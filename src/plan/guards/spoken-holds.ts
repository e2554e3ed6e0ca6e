import type { HoldName } from "../../model/policy.ts";
import type { PruneTarget } from "../withhold.ts";
import type { Hold } from "./guard.ts";

/** One hold, and the guard that speaks it. */
export interface RaisedHold extends Hold {
  readonly guard: HoldName;
}

/** Holds by their guard and subject, each once however often it was spoken, in the order of the first time. */
export interface RaisedHolds {
  values(): Iterable<RaisedHold>;
  /** What is withheld grows; what is said stays as it was said first. */
  with(guard: HoldName, holds: readonly Hold[]): RaisedHolds;
}

export const noHolds: RaisedHolds = raisedHolds(new Map());

function raisedHolds(known: ReadonlyMap<string, RaisedHold>): RaisedHolds {
  return {
    values: () => known.values(),
    with(guard, holds) {
      const all = new Map(known);
      for (const hold of holds) {
        const key = `${guard} ${hold.subject}`;
        const before = all.get(key);
        const withholds = [...(before?.withholds ?? []), ...hold.withholds];
        all.set(key, { ...(before ?? { guard, ...hold }), withholds });
      }
      return raisedHolds(all);
    },
  };
}

/** The parts of the plan that a hold takes out, beyond what is not planned in the first place. */
export function pruneTargets(hold: RaisedHold): readonly PruneTarget<RaisedHold>[] {
  return hold.withholds.flatMap((part) => {
    if (part.of !== "part") return [];
    const target = { action: part.action, cause: hold };
    return [part.address === undefined ? target : { ...target, address: part.address }];
  });
}
