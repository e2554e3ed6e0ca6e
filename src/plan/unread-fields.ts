import { relevantUnreadFields, suggestedShapesYaml, unreadFieldNames } from "../model/capabilities.ts";
import type { FindingDraft } from "./draft.ts";
import type { PlanContext } from "./question.ts";
import { joinList } from "./subjects.ts";

/** Fields of the service that look like what it does not show, and how the settings say where they are. */
export function findUnreadFields({ snapshot }: PlanContext): readonly FindingDraft[] {
  const missed = relevantUnreadFields(snapshot.unread ?? [], snapshot.capabilities);
  if (missed.length === 0) return [];
  return [
    {
      code: "unread-fields",
      subject: `service ${snapshot.service}`,
      message:
        `Users and keys carry fields that roster does not read: ${joinList(unreadFieldNames(missed))}. They look like what this service was not seen to show. ` +
        "If they are, add these lines to the settings and plan again.",
      because: [],
      suggestedYaml: suggestedShapesYaml(missed),
      concerns: [],
    },
  ];
}
