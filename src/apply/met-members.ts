import type { PersonRef } from "../model/action.ts";
import type { AddedMember } from "../model/event.ts";
import type { ObservedUser } from "../model/snapshot.ts";
import { shownTeamKey, type TeamIdentity } from "../model/team.ts";
import type { Addition } from "./addition.ts";

/** Who is to be asked for, and whose place in the team is known or unknown without asking. */
interface PartitionedMembers {
  readonly members: readonly PersonRef[];
  readonly known: readonly AddedMember[];
}

/** Somebody whom a creation met instead of making them may be a member already: nobody is mailed on a doubt. */
export function partitionObserved({ action, identifier, context }: Addition): PartitionedMembers {
  const members: PersonRef[] = [];
  const known: AddedMember[] = [];
  for (const member of action.members) {
    const met = context.facts.observed(member.address);
    const told =
      met === undefined
        ? undefined
        : observedOutcome(member, met.user, { team: action.team.team, name: action.team.name, identifier });
    if (told === undefined) members.push(member);
    else known.push(told);
  }
  return { members, known };
}

/** Undefined where the person is shown to be no member. */
function observedOutcome(
  { address, email }: PersonRef,
  user: ObservedUser | undefined,
  team: TeamIdentity,
): AddedMember | undefined {
  const shown = user === undefined ? ({ is: "unknown" } as const) : shownTeamKey(user, team);
  switch (shown.is) {
    case "absent":
      return undefined;
    case "shown": {
      const { prefix, roles } = shown.key;
      return { address, outcome: { added: true }, prefix, ...(roles === undefined ? {} : { roles }) };
    }
    case "unknown": {
      const message = `${email} was there before this run, and it is not known whether they are in ${team.name} already`;
      const hint = "nobody is invited on a doubt; plan again, which tells what a person can say";
      return { address, outcome: { added: false, failure: { code: "unproven", message, hint } } };
    }
  }
}
