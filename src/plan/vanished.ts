import type { Basis } from "../model/fact.ts";
import type { RosterUser } from "../model/roster.ts";
import { accountStatus, type ObservedUser } from "../model/snapshot.ts";
import type { RecordedUser } from "../model/state.ts";
import { type JudgedPerson, withhold } from "./person.ts";
import type { Question } from "./question.ts";
import { settlingUser } from "./recently-created.ts";
import { withoutRecreateWord } from "./recreate-word.ts";
import { remembered, seen, userSubject, yamlScalar } from "./subjects.ts";

/** Whoever the state ties to the address, and who is gone or has another address now: nobody is created in their place. */
export function judgeVanished(user: RosterUser, question: Question): JudgedPerson | undefined {
  const { state, facts, policy } = question;
  const record = state.users.get(user.address);
  if (record === undefined) return undefined;
  const moved = record.identifier === undefined ? undefined : facts.userIdentifiedBy(record.identifier);
  // The word may be older than our creation: a command that is run once more mails nobody twice.
  const settling = moved === undefined ? settlingUser(user, record, question) : undefined;
  if (settling !== undefined) return settling;
  if (policy.recreate.includes(user.address)) return undefined;
  const when = record.createdAt ?? record.seenAt;
  if (when === undefined && moved === undefined) return undefined;
  // Somebody may be there whom searches do not show: no word is offered that would create them again.
  const isAbsent = question.snapshot.absences.get(user.address)?.proven === true;
  if (moved === undefined && !isAbsent) return undefined;
  const restsOn = [...basesOf(user, record, moved), ...absenceOf(user, question)];
  if (moved !== undefined && isFree(moved, question)) return movedAway(user, record, { moved, restsOn });
  const now = moved === undefined ? "no longer shows the address" : `now shows that user as ${moved.email}`;
  const message =
    `${pastOf(user, record)}, and the service ${now}. Whoever was here is not created again by itself: ` +
    `correct the address, take the person out of the roster, or say --recreate ${user.email} for one run.`;
  return withhold(user, { code: "vanished", message, restsOn });
}

/** What our records tie to the address of somebody whom no read shows there; empty where nobody was here. */
export function vanishedBases(user: RosterUser, { state, facts }: Question): readonly Basis[] {
  const record = state.users.get(user.address);
  if (record === undefined) return [];
  const moved = record.identifier === undefined ? undefined : facts.userIdentifiedBy(record.identifier);
  return basesOf(user, record, moved);
}

/** Whether the address is one that the roster can be given for this user: that of somebody who is there, and nobody else's. */
function isFree({ address, status }: ObservedUser, { roster }: Question): boolean {
  return accountStatus(status) !== "deleted" && !roster.users.has(address) && !roster.leavers.has(address);
}

/** The address was changed in the service first. */
function movedAway(
  user: RosterUser,
  record: RecordedUser,
  { moved, restsOn }: { readonly moved: ObservedUser; readonly restsOn: readonly Basis[] },
): JudgedPerson {
  const message =
    `${pastOf(user, record)}, and the service now shows that user as ${moved.email}: the address was changed there. Nobody is created again, ` +
    `and nothing is done until the roster says so too: write ${moved.email} as the email, and ${user.email} under \`previously\`. ` +
    `Only where they are two people, say --recreate ${user.email} for one run.`;
  const suggestedYaml = `users:\n  - email: ${yamlScalar(moved.email)}\n    previously: [${yamlScalar(user.email)}]\n`;
  return withhold(user, { code: "vanished", message, restsOn, suggestedYaml });
}

/** Another user has the address now: what is recorded of the former one is not theirs. */
export function judgeReplaced(user: RosterUser, shown: ObservedUser, question: Question): JudgedPerson | undefined {
  const { state, facts, policy } = question;
  const record = state.users.get(user.address);
  if (policy.recreate.includes(user.address) || record?.identifier === undefined) return undefined;
  if (shown.identifier === undefined || shown.identifier === record.identifier) return undefined;
  const moved = facts.userIdentifiedBy(record.identifier);
  const where = moved === undefined ? "" : `, and that user as ${moved.email}`;
  const message =
    `${pastOf(user, record)} as the user ${record.identifier}, and the service now shows another user, ${shown.identifier}, with the address${where}. ` +
    `Nothing is done for somebody who may be another person: correct the address, or say --recreate ${user.email} for one run to take the user who is there now.`;
  const bases = [
    ...basesOf(user, record, moved),
    seen(userSubject(user.address), `present as ${shown.identifier}`, shown.by),
  ];
  return withhold(user, { code: "vanished", message, restsOn: bases });
}

/** Whether another user has the address now, whom a person takes for the one who is meant. */
export function isTakenOnWord(user: RosterUser, shown: ObservedUser, question: Question): boolean {
  if (!question.policy.recreate.includes(user.address)) return false;
  return judgeReplaced(user, shown, withoutRecreateWord(user.address, question)) !== undefined;
}

function pastOf({ email }: RosterUser, { createdAt, seenAt }: RecordedUser): string {
  return createdAt === undefined
    ? `${email} was there at ${seenAt ?? "an earlier run"}`
    : `${email} was created at ${createdAt}`;
}

function basesOf(user: RosterUser, record: RecordedUser, moved: ObservedUser | undefined): readonly Basis[] {
  const when = record.createdAt ?? record.seenAt;
  return [
    ...(when === undefined ? [] : [remembered(userSubject(user.address), "present", when)]),
    ...(moved === undefined ? [] : [seen(userSubject(moved.address), `present as ${record.identifier}`, moved.by)]),
  ];
}

/** That nobody is shown at the address, where that was proven. */
function absenceOf({ address }: RosterUser, { snapshot }: Question): readonly Basis[] {
  const absence = snapshot.absences.get(address);
  return absence?.proven === true ? [seen(userSubject(address), "absent", absence.by)] : [];
}
