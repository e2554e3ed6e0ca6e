import type { Action, ActionId } from "../model/action.ts";
import type { FoldedAddress } from "../model/address.ts";

/** What later actions of a plan need to learn from earlier ones. */
export interface Dependents {
  /** The people whose key, given by this action, has its roles replaced later. */
  keysOf(action: ActionId): ReadonlySet<FoldedAddress>;
  /** Whether a later call names the team that this action founds. */
  teamOf(action: ActionId): boolean;
}

const noAddresses: ReadonlySet<FoldedAddress> = new Set();

export function dependentsOf(actions: readonly Action[]): Dependents {
  const keys = new Map<ActionId, Set<FoldedAddress>>();
  const teams = new Set<ActionId>();
  for (const action of actions) {
    if (action.kind === "add-members" && action.team.foundedBy !== undefined) teams.add(action.team.foundedBy);
    if (action.kind !== "replace-roles" || action.key.of === "prefix") continue;
    const { givenBy, address } = action.key;
    const wanted = keys.get(givenBy);
    if (wanted === undefined) keys.set(givenBy, new Set([address]));
    else wanted.add(address);
  }
  return { keysOf: (action) => keys.get(action) ?? noAddresses, teamOf: (action) => teams.has(action) };
}
