import { say } from "../codes/message.ts";
import type { Objection } from "../model/allowance.ts";
import { isDeleted } from "../model/key.ts";
import { membershipKeyOf } from "../model/membership.ts";
import { type RoleSet, sameRoles } from "../model/role-set.ts";
import { type Basis, observedBasis, recordedBasis, type Subject, unknownBasis, userSubject } from "../model/subject.ts";
import { type DesiredUser, type ObservedUser, type RecordedUser, unshownUntil } from "../model/user.ts";
import { type PlanContext, shownFrom } from "./context.ts";
import { blockUser, type ClassifiedUser, type PresentUser } from "./identities.ts";

/** `now`: what reads show of the recorded user, or who has the address. */
function recreation({ address }: DesiredUser, record: RecordedUser, now: string): Objection {
  const { createdAt, seenAt, identifier } = record;
  const was = createdAt === undefined ? `seen at ${seenAt ?? "an earlier run"}` : `created at ${createdAt}`;
  const facts = [`${was}${identifier === undefined ? "" : ` as ${identifier}`}, now ${now}`];
  return { of: "user-missing", subject: userSubject(address), facts };
}

/** What our records tie to the address of a user, when they were here where the record says so, and where the service shows that user now. */
function pastOf({ address, email }: DesiredUser, { state, facts }: PlanContext) {
  const record = state.users.get(address);
  if (record === undefined) return undefined;
  const { identifier, createdAt, seenAt } = record;
  const moved = identifier === undefined ? undefined : facts.userIdentifiedBy(identifier);
  const at = createdAt ?? seenAt;
  const restsOn = [
    ...(at === undefined ? [] : [recordedBasis(userSubject(address), "present", at)]),
    ...(moved === undefined ? [] : [observedBasis(userSubject(moved.address), `present as ${identifier}`, moved.by)]),
  ];
  const past = createdAt === undefined ? `existed at ${seenAt ?? "an earlier run"}` : `was created at ${createdAt}`;
  return { record, at: at ?? record.goneAt, moved, restsOn, parts: { email, past } };
}

/** A person that the state knows at the address, and who is gone or has another address now: nobody is created in their place. */
export function classifyVanishedUser(user: DesiredUser, context: PlanContext): ClassifiedUser | undefined {
  const past = pastOf(user, context);
  if (past === undefined) return undefined;
  const { record, at, moved, parts } = past;
  const pending = moved === undefined ? recentlyCreatedUser(user, record, context) : undefined;
  if (pending !== undefined) return pending;
  if (at === undefined && moved === undefined) return undefined;
  // Somebody may be there whom searches do not show: no allowance is offered that would create them again.
  const absence = context.snapshot.absences.get(user.address);
  const isAbsent = absence?.proven === true;
  if (moved === undefined && !isAbsent) return undefined;
  const again = recreation(user, record, moved === undefined ? "absent" : `shown as ${moved.address}`);
  if (context.allowances.ask(again).isAllowed) return undefined;
  const finding = {
    restsOn: [...past.restsOn, ...(isAbsent ? [observedBasis(userSubject(user.address), "absent", absence.by)] : [])],
    allow: [again],
  } as const;
  if (moved === undefined) return blockUser(user, { ...finding, ...say("user-missing/gone", parts) });
  // The roster can be given the address of somebody who is there, and nobody else's.
  const { users, leavers } = context.roster;
  const isUnclaimed = !isDeleted(moved) && !users.has(moved.address) && !leavers.has(moved.address);
  const texts = say(isUnclaimed ? "user-missing/moved" : "user-missing/claimed", { ...parts, shown: moved.email });
  return blockUser(user, { ...finding, ...texts });
}

/** Another user has the address now: what is recorded of the former one is not theirs. `accepted`: a person takes them for the one who is meant. */
export function classifyReplacedUser(
  user: DesiredUser,
  shown: ObservedUser,
  context: PlanContext,
): ClassifiedUser | "accepted" | undefined {
  const past = pastOf(user, context);
  const { identifier } = shown;
  const former = past?.record.identifier;
  if (past === undefined || former === undefined || identifier === undefined || identifier === former) return undefined;
  const replacement = recreation(user, past.record, `the address of ${identifier}`);
  if (context.allowances.ask(replacement).isAllowed) return "accepted";
  const now = observedBasis(userSubject(user.address), `present as ${identifier}`, shown.by);
  return blockUser(user, {
    ...say("user-missing/replaced", { ...past.parts, former, identifier, shown: past.moved?.email }),
    restsOn: [...past.restsOn, now],
    allow: [replacement],
  });
}

/** The allowance by which a user that the state does not know is taken for the right one, where one was needed. `about`: what rests on it. */
export function acceptedReplacementBasis({ isReplacement }: PresentUser, about: Subject): readonly Basis[] {
  return isReplacement ? [unknownBasis(about, "you allowed roster to use the user who has the address now")] : [];
}

/**
 * What a creation rests on besides the absence, where only an allowance lets it pass: what is recorded of the user who was
 * here, and the allowance. Empty where none was needed.
 */
export function recreationBases(user: DesiredUser, context: PlanContext): readonly Basis[] {
  const { restsOn = [] } = pastOf(user, context) ?? {};
  const allowed = unknownBasis(userSubject(user.address), "you allowed a second creation");
  return restsOn.length === 0 ? [] : [...restsOn, allowed];
}

/** A user that we created a moment ago, and that no read has ever shown. */
function recentlyCreatedUser(
  user: DesiredUser,
  record: RecordedUser,
  context: PlanContext,
): ClassifiedUser | undefined {
  const { createdAt } = record;
  const { policy, snapshot } = context;
  const isUnshown = Date.parse(snapshot.readAt) < unshownUntil(record, policy.consistency);
  if (createdAt === undefined || !isUnshown) return undefined;
  return blockUser(user, {
    ...say("write-pending/user", { email: user.email, at: createdAt, until: shownFrom(createdAt, context) }),
    restsOn: [recordedBasis(userSubject(user.address), "created", createdAt)],
    kind: hasPendingWork(user, record, context) ? "task" : undefined,
  });
}

/** Whether the roster asks for something about this user that our records do not show as done. */
function hasPendingWork(user: DesiredUser, record: RecordedUser, { roster, state }: PlanContext): boolean {
  const isPut = (prefix: string | undefined, roles: RoleSet) => {
    const setRoles = prefix === undefined ? undefined : state.keys.get(prefix)?.setRoles;
    return setRoles !== undefined && sameRoles(setRoles, roles);
  };
  const { ownKeyRoles } = user;
  if (ownKeyRoles !== undefined && record.createdTeam === undefined && !isPut(record.key, ownKeyRoles.value))
    return true;
  return roster.teams.some(({ key, members }) =>
    members.some(({ address, roles }) => {
      if (address !== user.address) return false;
      const place = state.memberships.get(membershipKeyOf(key, address));
      return place === undefined || (roles !== undefined && !isPut(place.prefix, roles));
    }),
  );
}
