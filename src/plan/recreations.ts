import type { Basis } from "../model/fact.ts";
import type { RosterTeam, RosterUser } from "../model/roster.ts";
import type { PresentUser } from "./person.ts";
import type { PlanContext } from "./question.ts";
import { withoutRecreate } from "./recreate-word.ts";
import { refusedCreation, refusedFounding } from "./remembered-refusals.ts";
import { teamSubject, unknownBasis, userSubject } from "./subjects.ts";
import { refusalBasis } from "./tell-refused.ts";
import { vanishedBases } from "./vanished.ts";

/**
 * What a creation rests on beside the absence, where a person's word alone lets it pass: what is recorded of whoever was
 * here, or of the refusal, and the word. Empty where no word was needed.
 */
export function recreationBases(
  user: RosterUser,
  team: RosterTeam | undefined,
  context: PlanContext,
): readonly Basis[] {
  if (!context.policy.recreate.includes(user.address)) return [];
  const recorded = withoutRecreateBases(user, team, withoutRecreate(user.address, context));
  return recorded.length === 0 ? [] : [...recorded, unknownBasis(userSubject(user.address), personWantsAgain)];
}

const personWantsAgain = "a person says that they are to be created again";

/** The word by which somebody is taken for a user whom our records do not know, where one was needed. `about`: what rests on it. */
export function acceptedReplacementBasis({ meantBy }: Pick<PresentUser, "meantBy">, about: string): readonly Basis[] {
  return meantBy === undefined
    ? []
    : [unknownBasis(about, "a person says that the user who has the address now is meant")];
}

function withoutRecreateBases(user: RosterUser, team: RosterTeam | undefined, context: PlanContext): readonly Basis[] {
  const creation = refusedCreation(user, context);
  const founding = team === undefined ? undefined : refusedFounding(user, team, context);
  const subject = userSubject(user.address);
  return [
    ...vanishedBases(user, context),
    ...(creation === undefined ? [] : [refusalBasis(`creation of ${subject}`, creation)]),
    ...(team === undefined || founding === undefined
      ? []
      : [refusalBasis(`founding of ${teamSubject(team.key)}`, founding)]),
  ];
}
