import type { RosterUser } from "../model/roster.ts";
import { blockUser, type ClassifiedUser } from "./person.ts";
import type { PlanContext } from "./question.ts";
import { refusedCreation } from "./remembered-refusals.ts";
import { userSubject } from "./subjects.ts";
import { formatRefusal, formatRefusalRemedies, refusalBasis } from "./tell-refused.ts";

/** Somebody whose creation the service refused, and whom the roster still wants created in the very same words. */
export function refusedUser(user: RosterUser, context: PlanContext): ClassifiedUser | undefined {
  const refusal = refusedCreation(user, context);
  if (refusal === undefined) return undefined;
  const told = formatRefusal(`create ${user.email}`, refusal);
  return blockUser(user, {
    code: "refused",
    message: `${told} ${formatRefusalRemedies("correct the person in the roster")}`,
    restsOn: [refusalBasis(`creation of ${userSubject(user.address)}`, refusal)],
  });
}
