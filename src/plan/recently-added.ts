import type { FindingDraft } from "./draft.ts";
import type { PlanContext } from "./question.ts";
import type { MembershipSlot } from "./seats.ts";
import { formatWait } from "./settling.ts";
import { memberSubject, recordedBasis } from "./subjects.ts";

/** Members whom we added a moment ago, and whom no read shows in the team yet. */
export function reportRecentlyAdded(seats: readonly MembershipSlot[], context: PlanContext): readonly FindingDraft[] {
  return seats.flatMap(({ team, member, holding }) => {
    if (holding.is !== "member" || holding.settling === undefined) return [];
    const { how, at } = holding.settling;
    const { address, email } = holding.person.user;
    const subject = memberSubject(address, team.key);
    const did = how === "founded" ? `${email} founded ${team.name}` : `roster added ${email} to ${team.name}`;
    const waits = member.roles !== undefined && holding.key === undefined ? ({ waits: true } as const) : {};
    const draft: FindingDraft = {
      code: "settling",
      subject,
      message: `${did} at ${at}, and reads do not show the membership yet. ${formatWait(at, context)}`,
      because: member.because,
      restsOn: [recordedBasis(subject, how, at)],
      concerns: [{ address, team: team.key }],
      ...waits,
    };
    return [draft];
  });
}
