import type { TeamRef } from "../model/action.ts";
import type { Plan } from "../model/plan.ts";

/** The teams that the actions of a plan name. */
export function namedTeams({ actions }: Plan): readonly TeamRef[] {
  return actions.flatMap((action): readonly TeamRef[] => {
    if (action.kind === "add-members") return [action.team];
    if (action.kind !== "replace-roles" || action.key.of === "own-key") return [];
    return action.key.team === undefined ? [] : [action.key.team];
  });
}
