import type { Basis } from "../model/fact.ts";
import type { RosterTeam, RosterUser } from "../model/roster.ts";
import type { Present } from "./person.ts";
import type { Question } from "./question.ts";
import { withoutRecreateWord } from "./recreate-word.ts";
import { refusedCreation, refusedFounding } from "./remembered-refusals.ts";
import { notKnown, teamSubject, userSubject } from "./subjects.ts";
import { refusalBasis } from "./tell-refused.ts";
import { vanishedBases } from "./vanished.ts";

/**
 * What a creation rests on beside the absence, where a person's word alone lets it pass: what is recorded of whoever was
 * here, or of the refusal, and the word. Empty where no word was needed.
 */
export function recreationBases(user: RosterUser, team: RosterTeam | undefined, question: Question): readonly Basis[] {
  if (!question.policy.recreate.includes(user.address)) return [];
  const recorded = recordedBases(user, team, withoutRecreateWord(user.address, question));
  return recorded.length === 0 ? [] : [...recorded, notKnown(userSubject(user.address), personWantsAgain)];
}

const personWantsAgain = "a person says that they are to be created again";

/** The word by which somebody is taken for a user whom our records do not know, where one was needed. `about`: what rests on it. */
export function takenBasis({ meantBy }: Pick<Present, "meantBy">, about: string): readonly Basis[] {
  return meantBy === undefined ? [] : [notKnown(about, "a person says that the user who has the address now is meant")];
}

function recordedBases(user: RosterUser, team: RosterTeam | undefined, question: Question): readonly Basis[] {
  const creation = refusedCreation(user, question);
  const founding = team === undefined ? undefined : refusedFounding(user, team, question);
  const subject = userSubject(user.address);
  return [
    ...vanishedBases(user, question),
    ...(creation === undefined ? [] : [refusalBasis(`creation of ${subject}`, creation)]),
    ...(team === undefined || founding === undefined
      ? []
      : [refusalBasis(`founding of ${teamSubject(team.key)}`, founding)]),
  ];
}
