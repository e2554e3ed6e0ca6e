import { relevantUnreadFields, suggestedShapesYaml, unreadFieldNames } from "../model/capabilities.ts";
import type { PlanContext } from "./question.ts";
import { joinList } from "./subjects.ts";

/** For a team that is not proven to be absent. */
export interface UnreadTeamFields {
  readonly words: string;
  readonly yaml: string;
}

/** What of these fields bears on teams. */
export function unreadTeamFields({ snapshot }: PlanContext): UnreadTeamFields | undefined {
  const missed = relevantUnreadFields(snapshot.unread ?? [], snapshot.capabilities);
  const ofTeams = missed.filter(({ like }) => like !== "roles");
  if (ofTeams.length === 0) return undefined;
  const words = `Users and keys carry fields that roster does not read and that may tell: ${joinList(unreadFieldNames(ofTeams))}. If they do, add these lines to the settings`;
  return { words, yaml: suggestedShapesYaml(ofTeams) };
}
