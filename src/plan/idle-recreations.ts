import type { FoldedAddress } from "../model/address.ts";
import type { RosterUser } from "../model/roster.ts";
import type { Draft } from "./draft.ts";
import { judgePerson } from "./people.ts";
import type { Question } from "./question.ts";
import { withoutRecreateWord } from "./recreate-word.ts";
import { refusedCreation, refusedFounding } from "./remembered-refusals.ts";

/** Words to create somebody again, `--recreate`, that change nothing about this plan: a slip of the hand, or not needed any more. */
export function findIdleRecreations(question: Question): readonly Draft[] {
  return [...new Set(question.policy.recreate)].flatMap((address) => {
    const why = whyIdle(address, question);
    return why === undefined ? [] : [tell(address, why)];
  });
}

function whyIdle(address: FoldedAddress, question: Question): string | undefined {
  const user = question.roster.users.get(address);
  if (user === undefined) return "no user of the roster has this address";
  const without = withoutRecreateWord(address, question);
  switch (judgePerson(user, without).person.is) {
    case "present":
      return "the service shows this person";
    case "new":
      return isRefused(user, without) ? undefined : "nothing keeps this person from being created";
    case "withheld":
      // Either the word is of use, or another finding says why it is not.
      return undefined;
  }
}

function isRefused(user: RosterUser, question: Question): boolean {
  if (refusedCreation(user, question) !== undefined) return true;
  return question.roster.teams.some((team) => refusedFounding(user, team, question) !== undefined);
}

function tell(address: FoldedAddress, why: string): Draft {
  return {
    code: "idle-recreation",
    subject: `recreation of ${address}`,
    message: `\`--recreate ${address}\` changes nothing about this plan: ${why}. Correct the address, or leave the flag away, so that it is not a word about a later plan.`,
    because: [],
    concerns: [],
  };
}
