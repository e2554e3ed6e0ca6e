import type { Draft } from "./draft.ts";
import type { Question } from "./question.ts";
import type { Seat } from "./seats.ts";
import { waitWords } from "./settling.ts";
import { memberSubject, remembered } from "./subjects.ts";

/** Members whom we added a moment ago, and whom no read shows in the team yet. */
export function settlingMembers(seats: readonly Seat[], question: Question): readonly Draft[] {
  return seats.flatMap(({ team, member, holding }) => {
    if (holding.is !== "member" || holding.settling === undefined) return [];
    const { how, at } = holding.settling;
    const { address, email } = holding.person.user;
    const subject = memberSubject(address, team.key);
    const did = how === "founded" ? `${email} founded ${team.name}` : `roster added ${email} to ${team.name}`;
    const waits = member.roles !== undefined && holding.key === undefined ? ({ waits: true } as const) : {};
    const draft: Draft = {
      code: "settling",
      subject,
      message: `${did} at ${at}, and reads do not show the membership yet. ${waitWords(at, question)}`,
      because: member.because,
      restsOn: [remembered(subject, how, at)],
      concerns: [{ address, team: team.key }],
      ...waits,
    };
    return [draft];
  });
}
