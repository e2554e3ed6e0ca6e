import { daysBetween } from "../model/calendar.ts";
import { declared, reasonAt } from "../model/fact.ts";
import type { RosterUser } from "../model/roster.ts";
import type { FindingDraft } from "./draft.ts";
import { userFinding } from "./person.ts";
import type { PlanContext } from "./question.ts";
import { observedBasis, userSubject } from "./subjects.ts";

/** Days ahead from which on it is told that somebody will be a leaver. */
const noticeDays = 14;

/** Users who are leavers soon, so that nobody is surprised on the day. */
export function findUpcomingLeavers({ roster, policy: { today } }: PlanContext): readonly FindingDraft[] {
  return [...roster.users.values()].flatMap((user) => {
    const { until } = user;
    if (until === undefined || daysBetween(today, until.value) > noticeDays) return [];
    return [upcomingLeaverFinding(user, until, today)];
  });
}

function upcomingLeaverFinding(user: RosterUser, until: NonNullable<RosterUser["until"]>, today: string): FindingDraft {
  const left = daysBetween(today, until.value);
  const message =
    `${user.email} is a leaver from ${until.value} on, in ${left === 1 ? "1 day" : `${left} days`}: every key of theirs is then planned ` +
    "to have no roles, and their places in teams no longer count. Give `until` another date, or take it out, where they stay.";
  const restsOn = [
    { about: `until of ${userSubject(user.address)}`, fact: declared(until.value, until.place) },
    observedBasis("today", today, "clock"),
  ];
  return {
    ...userFinding(user, { code: "until-soon", message, restsOn }),
    because: [reasonAt(until.place, "until", { name: until.value }), ...user.because.slice(0, 1)],
  };
}
