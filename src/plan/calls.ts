import type { Action, ActionId, CreateUser } from "../model/action.ts";
import type { CallEstimate } from "../model/plan.ts";
import { sameRoles } from "../model/role-set.ts";

/** How many requests the plan took and will take. A founder's key that is asked for exactly needs no second call. */
export function countCalls(actions: readonly Action[], reads: number): CallEstimate {
  const creations = new Map(
    actions.flatMap((action) => (action.kind === "create-user" ? [[action.id, action] as const] : [])),
  );
  const writes = actions.filter((action) => !isExpectedExact(action, creations)).length;
  return { reads, writes, atMost: actions.length };
}

function isExpectedExact(action: Action, creations: ReadonlyMap<ActionId, CreateUser>): boolean {
  if (action.kind !== "replace-roles" || !action.unlessExact || action.key.of !== "team-key") return false;
  const founds = creations.get(action.key.givenBy)?.founds;
  return founds !== undefined && sameRoles(founds.accessKeyRoles, action.roles);
}
