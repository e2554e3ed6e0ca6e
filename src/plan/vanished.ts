import type { Basis } from "../model/fact.ts";
import type { RosterUser } from "../model/roster.ts";
import type { ObservedUser } from "../model/snapshot.ts";
import type { RecordedUser } from "../model/state.ts";
import { type JudgedPerson, withhold } from "./person.ts";
import type { Question } from "./question.ts";
import { remembered, seen, userSubject } from "./subjects.ts";

/** Whoever the state ties to the address, and who is gone or has another address now: nobody is created in their place. */
export function judgeVanished(user: RosterUser, { state, facts, policy }: Question): JudgedPerson | undefined {
  if (policy.recreate.includes(user.address)) return undefined;
  const record = state.users.get(user.address);
  if (record === undefined) return undefined;
  const moved = record.identifier === undefined ? undefined : facts.userIdentifiedBy(record.identifier);
  const when = record.createdAt ?? record.seenAt;
  if (when === undefined && moved === undefined) return undefined;
  const now = moved === undefined ? "no longer shows the address" : `now shows that user as ${moved.email}`;
  const message =
    `${pastOf(user, record)}, and the service ${now}. Whoever was here is not created again by itself: ` +
    `correct the address, take the person out of the roster, or say --recreate ${user.email} for one run.`;
  return withhold(user, { code: "vanished", message, restsOn: basesOf(user, record, moved) });
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
