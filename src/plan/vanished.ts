import type { Basis } from "../model/fact.ts";
import type { RosterUser } from "../model/roster.ts";
import { accountStatus, type ObservedUser } from "../model/snapshot.ts";
import type { RecordedUser } from "../model/state.ts";
import { blockUser, type ClassifiedUser } from "./person.ts";
import type { PlanContext } from "./question.ts";
import { recentlyCreatedUser } from "./recently-created.ts";
import { withoutRecreate } from "./recreate-word.ts";
import { observedBasis, recordedBasis, userSubject, yamlScalar } from "./subjects.ts";

/** Whoever the state ties to the address, and who is gone or has another address now: nobody is created in their place. */
export function classifyVanishedUser(user: RosterUser, context: PlanContext): ClassifiedUser | undefined {
  const { state, facts, policy } = context;
  const record = state.users.get(user.address);
  if (record === undefined) return undefined;
  const moved = record.identifier === undefined ? undefined : facts.userIdentifiedBy(record.identifier);
  // The word may be older than our creation: a command that is run once more mails nobody twice.
  const settling = moved === undefined ? recentlyCreatedUser(user, record, context) : undefined;
  if (settling !== undefined) return settling;
  if (policy.recreate.includes(user.address)) return undefined;
  const when = record.createdAt ?? record.seenAt;
  if (when === undefined && moved === undefined) return undefined;
  // Somebody may be there whom searches do not show: no word is offered that would create them again.
  const isAbsent = context.snapshot.absences.get(user.address)?.proven === true;
  if (moved === undefined && !isAbsent) return undefined;
  const restsOn = [...recordBases(user, record, moved), ...absenceBases(user, context)];
  if (moved !== undefined && isUnclaimed(moved, context)) return movedUser(user, record, { moved, restsOn });
  const now = moved === undefined ? "no longer shows the address" : `now shows that user as ${moved.email}`;
  const message =
    `${formatPast(user, record)}, and the service ${now}. Whoever was here is not created again by itself: ` +
    `correct the address, take the person out of the roster, or say --recreate ${user.email} for one run.`;
  return blockUser(user, { code: "vanished", message, restsOn });
}

/** What our records tie to the address of somebody whom no read shows there; empty where nobody was here. */
export function vanishedBases(user: RosterUser, { state, facts }: PlanContext): readonly Basis[] {
  const record = state.users.get(user.address);
  if (record === undefined) return [];
  const moved = record.identifier === undefined ? undefined : facts.userIdentifiedBy(record.identifier);
  return recordBases(user, record, moved);
}

/** Whether the address is one that the roster can be given for this user: that of somebody who is there, and nobody else's. */
function isUnclaimed({ address, status }: ObservedUser, { roster }: PlanContext): boolean {
  return accountStatus(status) !== "deleted" && !roster.users.has(address) && !roster.leavers.has(address);
}

/** The address was changed in the service first. */
function movedUser(
  user: RosterUser,
  record: RecordedUser,
  { moved, restsOn }: { readonly moved: ObservedUser; readonly restsOn: readonly Basis[] },
): ClassifiedUser {
  const message =
    `${formatPast(user, record)}, and the service now shows that user as ${moved.email}: the address was changed there. Nobody is created again, ` +
    `and nothing is done until the roster says so too: write ${moved.email} as the email, and ${user.email} under \`previously\`. ` +
    `Only where they are two people, say --recreate ${user.email} for one run.`;
  const suggestedYaml = `users:\n  - email: ${yamlScalar(moved.email)}\n    previously: [${yamlScalar(user.email)}]\n`;
  return blockUser(user, { code: "vanished", message, restsOn, suggestedYaml });
}

/** Another user has the address now: what is recorded of the former one is not theirs. */
export function classifyReplacedUser(
  user: RosterUser,
  shown: ObservedUser,
  context: PlanContext,
): ClassifiedUser | undefined {
  const { state, facts, policy } = context;
  const record = state.users.get(user.address);
  if (policy.recreate.includes(user.address) || record?.identifier === undefined) return undefined;
  if (shown.identifier === undefined || shown.identifier === record.identifier) return undefined;
  const moved = facts.userIdentifiedBy(record.identifier);
  const where = moved === undefined ? "" : `, and that user as ${moved.email}`;
  const message =
    `${formatPast(user, record)} as the user ${record.identifier}, and the service now shows another user, ${shown.identifier}, with the address${where}. ` +
    `Nothing is done for somebody who may be another person: correct the address, or say --recreate ${user.email} for one run to take the user who is there now.`;
  const bases = [
    ...recordBases(user, record, moved),
    observedBasis(userSubject(user.address), `present as ${shown.identifier}`, shown.by),
  ];
  return blockUser(user, { code: "vanished", message, restsOn: bases });
}

/** Whether another user has the address now, whom a person takes for the one who is meant. */
export function isAcceptedReplacement(user: RosterUser, shown: ObservedUser, context: PlanContext): boolean {
  if (!context.policy.recreate.includes(user.address)) return false;
  return classifyReplacedUser(user, shown, withoutRecreate(user.address, context)) !== undefined;
}

function formatPast({ email }: RosterUser, { createdAt, seenAt }: RecordedUser): string {
  return createdAt === undefined
    ? `${email} was there at ${seenAt ?? "an earlier run"}`
    : `${email} was created at ${createdAt}`;
}

function recordBases(user: RosterUser, record: RecordedUser, moved: ObservedUser | undefined): readonly Basis[] {
  const when = record.createdAt ?? record.seenAt;
  return [
    ...(when === undefined ? [] : [recordedBasis(userSubject(user.address), "present", when)]),
    ...(moved === undefined
      ? []
      : [observedBasis(userSubject(moved.address), `present as ${record.identifier}`, moved.by)]),
  ];
}

/** That nobody is shown at the address, where that was proven. */
function absenceBases({ address }: RosterUser, { snapshot }: PlanContext): readonly Basis[] {
  const absence = snapshot.absences.get(address);
  return absence?.proven === true ? [observedBasis(userSubject(address), "absent", absence.by)] : [];
}
