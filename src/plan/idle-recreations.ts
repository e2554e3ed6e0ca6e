import type { FoldedAddress } from "../model/address.ts";
import type { RosterUser } from "../model/roster.ts";
import type { FindingDraft } from "./draft.ts";
import { classifyUser } from "./people.ts";
import type { PlanContext } from "./question.ts";
import { withoutRecreate } from "./recreate-word.ts";
import { refusedCreation, refusedFounding } from "./remembered-refusals.ts";

/** Words to create somebody again, `--recreate`, that change nothing about this plan: a slip of the hand, or not needed any more. */
export function findIdleRecreations(context: PlanContext): readonly FindingDraft[] {
  return [...new Set(context.policy.recreate)].flatMap((address) => {
    const why = whyRecreationIsIdle(address, context);
    return why === undefined ? [] : [idleRecreationFinding(address, why)];
  });
}

function whyRecreationIsIdle(address: FoldedAddress, context: PlanContext): string | undefined {
  const user = context.roster.users.get(address);
  if (user === undefined) return "no user of the roster has this address";
  const without = withoutRecreate(address, context);
  switch (classifyUser(user, without).person.is) {
    case "present":
      return "the service shows this person";
    case "new":
      return isCreationRefused(user, without) ? undefined : "nothing keeps this person from being created";
    case "withheld":
      // Either the word is of use, or another finding says why it is not.
      return undefined;
  }
}

function isCreationRefused(user: RosterUser, context: PlanContext): boolean {
  if (refusedCreation(user, context) !== undefined) return true;
  return context.roster.teams.some((team) => refusedFounding(user, team, context) !== undefined);
}

function idleRecreationFinding(address: FoldedAddress, why: string): FindingDraft {
  return {
    code: "idle-recreation",
    subject: `recreation of ${address}`,
    message: `\`--recreate ${address}\` changes nothing about this plan: ${why}. Correct the address, or leave the flag away, so that it is not a word about a later plan.`,
    because: [],
    concerns: [],
  };
}
