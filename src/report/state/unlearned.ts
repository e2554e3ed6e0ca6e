import type { Capabilities } from "../../model/capabilities.ts";
import type { UserListStatus } from "../../model/snapshot.ts";

/** What a rebuilt state lacks, one sentence each: what the service does not show, and what only the lost state knew. */
export function unrecoverableFacts(
  { keysOnUsers, teamsOnKeys }: Capabilities,
  everyone: UserListStatus,
  members: { readonly asked: number; readonly shown: number },
): readonly string[] {
  const hidden = members.asked - members.shown;
  return [
    ...(everyone.read === "incomplete" ? [`Everybody: the list of users is incomplete (${everyone.why}).`] : []),
    ...(keysOnUsers === "shown"
      ? []
      : ["The prefixes of keys: the service does not show them. Give them in the roster (`key:`)."]),
    ...(teamsOnKeys === "shown" ? [] : ["Who is in which team: the service does not show it."]),
    ...(hidden === 0
      ? []
      : [`Whether ${hidden} of ${members.asked} memberships of the roster were ever there: they are not shown now.`]),
    "What was sent when people were created, and what the service made of it.",
    "Who was created or invited by roster and is gone again: nothing keeps them from being created or invited once more.",
    "Refused requests, the highest --sequence that was applied, and since when something has differed.",
    "Calls that were under way when the state was lost: what they do may show within the next minutes, so plan again before you apply.",
  ];
}
