import type { RosterUser } from "../model/roster.ts";
import { type JudgedPerson, withhold } from "./person.ts";
import type { Question } from "./question.ts";
import { refusedCreation } from "./remembered-refusals.ts";
import { userSubject } from "./subjects.ts";
import { refusalBasis, refusedBefore, waysOut } from "./tell-refused.ts";

/** Somebody whose creation the service refused, and whom the roster still wants created in the very same words. */
export function judgeRefused(user: RosterUser, question: Question): JudgedPerson | undefined {
  const refusal = refusedCreation(user, question);
  if (refusal === undefined) return undefined;
  const told = refusedBefore(`create ${user.email}`, refusal);
  return withhold(user, {
    code: "refused",
    message: `${told} ${waysOut("correct the person in the roster")}`,
    restsOn: [refusalBasis(`creation of ${userSubject(user.address)}`, refusal)],
  });
}
