import type { Action, AddMembers } from "../model/action.ts";
import type { Intent } from "../model/event.ts";
import { sameRoles } from "../model/role-set.ts";
import { additionIntent } from "./addition.ts";
import type { UpcomingCall } from "./ahead.ts";
import { creationIntent } from "./create-user.ts";
import { partitionObserved } from "./met-members.ts";
import { keyToReplace } from "./replace-roles.ts";
import type { RunContext } from "./run-context.ts";
import { replacementIntent } from "./send-roles.ts";

/** The call that an action would send if it were its turn now; undefined where none is sent, or none can be told. */
export function upcomingCall(action: Action, context: RunContext): UpcomingCall | undefined {
  const intent = upcomingIntent(action, context);
  return intent === undefined ? undefined : { action: action.id, intent };
}

function upcomingIntent(action: Action, context: RunContext): Intent | undefined {
  switch (action.kind) {
    case "create-user":
      return creationIntent(action);
    case "add-members":
      return upcomingAddition(action, context);
    case "replace-roles": {
      const key = keyToReplace(action, context);
      if (key === undefined) return undefined;
      const isExact = action.unlessExact && key.roles !== undefined && sameRoles(key.roles, action.roles);
      return isExact ? undefined : replacementIntent(action, key.prefix);
    }
  }
}

/** What reading cannot settle is not announced before it must be: nobody could say that it was never sent. */
function upcomingAddition(action: AddMembers, context: RunContext): Intent | undefined {
  const { keysOnUsers, teamsOnKeys } = context.input.capabilities ?? {};
  if (keysOnUsers !== "shown" || teamsOnKeys !== "shown" || context.facts.keysAreHidden) return undefined;
  const identifier = context.facts.teamIdentifier(action.team);
  if (identifier === undefined) return undefined;
  const addition = { action, identifier, context };
  const { members } = partitionObserved(addition);
  return members.length === 0 ? undefined : additionIntent(addition, members);
}
