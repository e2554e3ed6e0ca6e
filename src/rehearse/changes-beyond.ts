import type { Action, ActionId } from "../model/action.ts";
import type { Plan } from "../model/plan.ts";

/** The actions of one plan that another lacks, or has for other people or with other roles. */
export function differingActions(plan: Plan, other: Plan): readonly ActionId[] {
  const known = new Map(other.actions.map((action) => [action.id, actionContent(action)]));
  return plan.actions.filter((action) => known.get(action.id) !== actionContent(action)).map(({ id }) => id);
}

function actionContent(action: Action): string {
  switch (action.kind) {
    case "create-user":
      return JSON.stringify([action.user, action.founds?.name]);
    case "add-members":
      return JSON.stringify(action.members.map(({ address }) => address));
    case "replace-roles":
      return JSON.stringify(action.roles);
  }
}
