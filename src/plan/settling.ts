import { consistencyWindow, nothingLearnedOfWrites } from "../model/consistency.ts";
import { membershipKeyOf } from "../model/names.ts";
import { type RoleSet, sameRoles } from "../model/role-set.ts";
import type { RosterUser } from "../model/roster.ts";
import type { RecordedKey, RecordedUser } from "../model/state.ts";
import type { Draft } from "./draft.ts";
import type { KnownKeyWish } from "./key-wishes.ts";
import { aboutUser, type JudgedPerson } from "./person.ts";
import type { Question } from "./question.ts";
import type { Seat } from "./seats.ts";
import { keySubject, memberSubject, remembered, seen, showRoles, userSubject } from "./subjects.ts";

/** Whether a write of ours is so recent that the reads of this plan need not show it. `done`: ISO 8601. */
export function mayNotShowYet(done: string, question: Question): boolean {
  return Date.parse(question.snapshot.readAt) < showsBy(done, question);
}

/** Milliseconds since the epoch. */
function showsBy(done: string, { state, policy }: Question): number {
  return Date.parse(done) + consistencyWindow(policy.consistency, state.writes ?? nothingLearnedOfWrites);
}

function waitWords(done: string, question: Question): string {
  const until = new Date(showsBy(done, question)).toISOString();
  return `The service may need until ${until} to show it. Nothing is sent again: plan again later.`;
}

/** A user whom we created a moment ago, and whom no read shows yet. */
export function settlingUser(user: RosterUser, record: RecordedUser, question: Question): JudgedPerson | undefined {
  const { createdAt } = record;
  if (createdAt === undefined || !mayNotShowYet(createdAt, question)) return undefined;
  const finding = aboutUser(user, {
    code: "settling",
    message: `roster created ${user.email} at ${createdAt}, and reads do not show the user yet. ${waitWords(createdAt, question)}`,
    restsOn: [remembered(userSubject(user.address), "created", createdAt)],
  });
  const waits = somethingWaitsFor(user, record, question) ? ({ waits: true } as const) : {};
  return { person: { is: "withheld", user }, findings: [{ ...finding, ...waits }] };
}

/** Whether the roster asks for something about this user that our records do not show as done. */
function somethingWaitsFor(user: RosterUser, record: RecordedUser, { roster, state }: Question): boolean {
  const isPut = (prefix: string | undefined, roles: RoleSet) => {
    const put = prefix === undefined ? undefined : state.keys.get(prefix)?.put;
    return put !== undefined && sameRoles(put, roles);
  };
  const { ownKeyRoles } = user;
  if (ownKeyRoles !== undefined && record.founded === undefined && !isPut(record.key, ownKeyRoles.value)) return true;
  return roster.teams.some(({ key, members }) =>
    members.some(({ address, roles }) => {
      if (address !== user.address) return false;
      const place = state.memberships.get(membershipKeyOf(key, address));
      if (place === undefined) return true;
      return roles !== undefined && !isPut(place.prefix, roles);
    }),
  );
}

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

/** A key whose roles we replaced a moment ago, and that still reads as before. */
export function settlingRoles(
  group: readonly KnownKeyWish[],
  record: RecordedKey | undefined,
  question: Question,
): Draft | undefined {
  const [wish] = group;
  const shown = wish?.key.roles;
  if (wish === undefined || record === undefined || shown?.known !== "observed") return undefined;
  if (!sameRoles(record.put, wish.roles) || !mayNotShowYet(record.at, question)) return undefined;
  const wasShown = record.readAs !== undefined && record.early !== true;
  if (wasShown) return undefined;
  const { value: prefix } = wish.key;
  const subject = keySubject(prefix);
  return {
    code: "settling",
    subject,
    message:
      `roster set the roles of the key ${prefix} to ${showRoles(record.put)} at ${record.at}, and it still reads as ` +
      `${showRoles(shown.value)}. ${waitWords(record.at, question)}`,
    because: wish.because,
    restsOn: [remembered(subject, showRoles(record.put), record.at), seen(subject, showRoles(shown.value), shown.by)],
    concerns: group.map(({ concern }) => concern),
  };
}
