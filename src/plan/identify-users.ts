import { say } from "../codes/message.ts";
import {
  type EmailKey,
  foldAddress,
  hasLocalPartBeyondAscii,
  hasSingleLabelDomain,
  unsafeAddressReason,
} from "../model/address.ts";
import { byCodeUnit } from "../model/collections.ts";
import { unshownUntil } from "../model/consistency-window.ts";
import { type Basis, declared, type Located, partOf, reasonAt, type Subject, userSubject } from "../model/fact.ts";
import { accountStatus, isDeleted } from "../model/key.ts";
import { formatAllowanceCode, type Objection } from "../model/policy.ts";
import { daysBetween, droppedUsers, knownAddresses } from "../model/roster.ts";
import type { State } from "../model/state.ts";
import { membershipKeyOf } from "../model/team.ts";
import type { AddressedUser, DesiredUser, ObservedUser, RecordedUser } from "../model/user.ts";
import { type Profile, profileFieldNames, type RoleSet, sameRoles } from "../model/values.ts";
import { creationRequest, refusalOf, refusedFinding } from "./actions.ts";
import { formatDecisionTime, formatResolveCommands, shownFrom } from "./consistency-window.ts";
import { dateBases, type FindingDraft, type PlanContext, removalOf } from "./context.ts";
import { observedAccount, observedBasis, recordedBasis, unknownBasis } from "./snapshot-index.ts";

export type UserIdentity =
  | PresentUser
  | AbsentUser
  /** Nothing is done for them, nor for what needs them; a finding says why. */
  | { readonly is: "blocked"; readonly user: DesiredUser };

export interface PresentUser {
  readonly is: "present";
  readonly user: DesiredUser;
  readonly observed: ObservedUser;
  readonly record: RecordedUser | undefined;
  /** False for people that the service bars: they are not invited to anything. */
  readonly invitable: boolean;
  /** Our records know another user at the address, and a person allowed that this one is meant. */
  readonly isReplacement: boolean;
}

/** Proven to be absent: to be created. */
export interface AbsentUser {
  readonly is: "absent";
  readonly user: DesiredUser;
  /** Of the address, then of the former ones; never empty. */
  readonly absences: readonly Basis[];
}

export type UserIdentities = ReadonlyMap<EmailKey, UserIdentity>;

interface ClassifiedUser {
  readonly person: UserIdentity;
  readonly findings: readonly FindingDraft[];
}

type UserFinding = Omit<FindingDraft, "subject" | "because" | "concerns" | "roles"> &
  Partial<Pick<FindingDraft, "because">>;

export function userFinding(user: DesiredUser, finding: UserFinding): FindingDraft {
  const concerns = [{ address: user.address }];
  return { subject: userSubject(user.address), because: user.because.slice(0, 1), concerns, ...finding };
}

function blockUser(user: DesiredUser, finding: UserFinding): ClassifiedUser {
  return { person: { is: "blocked", user }, findings: [userFinding(user, finding)] };
}

export function identifyUsers(context: PlanContext) {
  const classified = [...context.roster.users.values()].map((user) => classifyUser(user, context));
  return {
    people: new Map(classified.map(({ person }) => [person.user.address, person])),
    findings: classified.flatMap(({ findings }) => findings),
  };
}

function classifyUser(user: DesiredUser, context: PlanContext): ClassifiedUser {
  if (context.closedAccounts.has(user.account)) return { person: { is: "blocked", user }, findings: [] };
  const shown = context.facts.people.get(user.address) ?? [];
  if (user.from !== undefined) return userToStart(user, user.from, shown, context);
  if (shown.length > 1) return ambiguousUser(user, shown);
  const [one] = shown;
  if (one !== undefined) return classifyShownUser(user, one, context);
  return (
    knownByFormerAddress(user, context) ??
    creationInDoubt(user, context) ??
    classifyVanishedUser(user, context) ??
    unprovenUser(user, context) ??
    unsafeAddress(user) ??
    refusedUser(user, context) ??
    userToCreate(user, context)
  );
}

/** Nothing is done for a user before their first day, also where the service knows them already. */
function userToStart(
  user: DesiredUser,
  from: Located<string>,
  shown: readonly ObservedUser[],
  { policy: { today } }: PlanContext,
): ClassifiedUser {
  const one = shown.find((observed) => !isDeleted(observed));
  const parts = { email: user.email, from: from.value };
  const texts =
    one === undefined
      ? say("date-ahead/user-starts", parts)
      : say("date-ahead/shown-user-starts", { ...parts, shown: one.email });
  return blockUser(user, {
    ...texts,
    aspect: "from",
    because: [reasonAt(from.place, "from", { name: from.value }), ...user.because.slice(0, 1)],
    restsOn: [
      ...dateBases(partOf("from", userSubject(user.address)), [from], today),
      ...(one === undefined ? [] : [presenceBasis(one)]),
    ],
  });
}

function ambiguousUser(user: DesiredUser, shown: readonly ObservedUser[]): ClassifiedUser {
  const names = shown.map((one) => (one.identifier === undefined ? one.email : `${one.identifier} (${one.email})`));
  const texts = say("ambiguous-user", { count: shown.length, email: user.email, shown: names });
  const about = userSubject(user.address);
  const restsOn = shown.map((one) => observedBasis(about, `present as ${one.identifier ?? one.email}`, one.by));
  return blockUser(user, { ...texts, restsOn });
}

function classifyShownUser(user: DesiredUser, observed: ObservedUser, context: PlanContext): ClassifiedUser {
  const status = accountStatus(observed.status);
  const { email } = user;
  const restsOn = () => [presenceBasis(observed)];
  if (status === "deleted")
    return blockUser(user, { ...say("inactive-user/deleted", { email }), aspect: "deleted", restsOn: restsOn() });
  const shown = observedAccount(observed, context.facts);
  if (shown !== undefined && shown !== user.account)
    return blockUser(user, {
      ...say("user-in-other-account", { email, shown, account: user.account }),
      restsOn: restsOn(),
    });
  const replaced = classifyReplacedUser(user, observed, context);
  if (typeof replaced === "object") return replaced;
  const isReplacement = replaced === "accepted";
  const record = isReplacement ? undefined : context.state.users.get(observed.address);
  const invitable = status !== "barred";
  const person: PresentUser = { is: "present", user, observed, record, invitable, isReplacement };
  if (status === "pending")
    return { person, findings: [userFinding(user, pendingInvitation(user, observed, context))] };
  if (status !== "barred") return { person, findings: [] };
  const texts = say("inactive-user/disabled", { email, status: observed.status ?? "" });
  return { person, findings: [userFinding(user, { ...texts, restsOn: restsOn() })] };
}

const invitationDays = 14;

/** Somebody who has not accepted an invitation yet: a notice, until it is older than they commonly last. */
function pendingInvitation(user: DesiredUser, observed: ObservedUser, { state, policy }: PlanContext): UserFinding {
  const shown = { email: user.email, status: observed.status ?? "" };
  const at = lastInvited(user.address, state);
  const age = at === undefined ? 0 : daysBetween(at.slice(0, 10), policy.today);
  if (at === undefined || age <= invitationDays)
    return { ...say("invitation-pending/recent", shown), restsOn: [presenceBasis(observed)] };
  const restsOn = [
    presenceBasis(observed),
    recordedBasis(userSubject(user.address), "invited", at),
    observedBasis({ kind: "other", name: "today" }, policy.today, "clock"),
  ];
  return {
    ...say("invitation-pending/expired", { ...shown, days: age, at }),
    kind: "task",
    aspect: "expired",
    restsOn,
  };
}

/** When somebody was last invited by our record, ISO 8601: put into a team, which is mailed, or else created. */
function lastInvited(address: EmailKey, { memberships, users }: State): string | undefined {
  const mails = [...memberships.values()].filter((held) => held.address === address && held.how === "added");
  const [latest] = mails.map(({ at }) => at).sort((a, b) => byCodeUnit(b, a));
  return latest ?? users.get(address)?.createdAt;
}

function knownByFormerAddress(user: DesiredUser, { facts }: PlanContext): ClassifiedUser | undefined {
  const former = user.previously.find(({ value }) => facts.people.has(value));
  const [shown] = former === undefined ? [] : (facts.people.get(former.value) ?? []);
  if (former === undefined || shown === undefined) return undefined;
  return blockUser(user, {
    ...say("former-address", { shown: shown.email, email: user.email }),
    restsOn: [observedBasis(userSubject(former.value), "present", shown.by)],
    because: [...user.because.slice(0, 1), reasonAt(former.place, "former-address", { name: former.value })],
  });
}

function creationInDoubt(user: DesiredUser, context: PlanContext): ClassifiedUser | undefined {
  const open = context.state.open.find(
    ({ intent }) => intent.kind === "create-user" && intent.address === user.address,
  );
  if (open === undefined) return undefined;
  const [when, resolve] = [formatDecisionTime([open], context), formatResolveCommands([open], context)];
  const texts = say("unknown-outcome/user", { email: user.email, at: open.at, when, resolve });
  const restsOn = [recordedBasis(userSubject(user.address), `call announced by run ${open.run}`, open.at)];
  return blockUser(user, { ...texts, restsOn });
}

/** A person who may be there, if only under a former address, is not created. */
function unprovenUser(
  user: DesiredUser,
  { snapshot: { everyone, absences }, roster }: PlanContext,
): ClassifiedUser | undefined {
  const unproven = (email: string, why: string) => {
    const restsOn = [unknownBasis(userSubject(user.address), why)];
    return blockUser(user, { ...say("incomplete-read/user", { email, why }), restsOn });
  };
  if (everyone.read === "incomplete") return unproven(user.email, `the list of users is incomplete (${everyone.why})`);
  for (const address of knownAddresses(user.address, roster)) {
    const absence = absences.get(address);
    if (absence?.proven === true) continue;
    const name = address === user.address ? user.email : `${address}, a former address of ${user.email},`;
    return unproven(name, absence?.why ?? "this run did not search for the address");
  }
  return undefined;
}

/** Last of all: a user who may exist need not change an address that the service lets them have. */
function unsafeAddress(user: DesiredUser): ClassifiedUser | undefined {
  const fault = unsafeAddressReason(user.email);
  if (fault === undefined && !hasSingleLabelDomain(user.email)) return undefined;
  const { email } = user;
  const texts =
    fault === undefined ? say("unsafe-address/domain", { email }) : say("unsafe-address/fault", { email, fault });
  return blockUser(user, texts);
}

function refusedUser(user: DesiredUser, context: PlanContext): ClassifiedUser | undefined {
  const refusal = refusalOf(creationRequest(user, context), context);
  if (refusal === undefined) return undefined;
  const about = partOf("creation", userSubject(user.address));
  return blockUser(user, refusedFinding(about, refusal, "correct the user in the roster"));
}

function userToCreate(user: DesiredUser, { snapshot, roster }: PlanContext): ClassifiedUser {
  const absences = knownAddresses(user.address, roster).flatMap((address): readonly Basis[] => {
    const absence = snapshot.absences.get(address);
    return absence?.proven === true ? [observedBasis(userSubject(address), "absent", absence.by)] : [];
  });
  const texts = say("unsafe-address/letters", { email: user.email });
  const findings = hasLocalPartBeyondAscii(user.email) ? [userFinding(user, { ...texts, kind: "notice" })] : [];
  return { person: { is: "absent", user, absences }, findings };
}

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
  const past =
    createdAt === undefined ? `was in the service at ${seenAt ?? "an earlier run"}` : `was created at ${createdAt}`;
  return { record, at: at ?? record.goneAt, moved, restsOn, parts: { email, past } };
}

/** A person that the state knows at the address, and who is gone or has another address now: nobody is created in their place. */
function classifyVanishedUser(user: DesiredUser, context: PlanContext): ClassifiedUser | undefined {
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
function classifyReplacedUser(
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
  const allowed = unknownBasis(userSubject(user.address), "you allowed roster to create this user again");
  return restsOn.length === 0 ? [] : [...restsOn, allowed];
}

/** A user that we created a moment ago, and that no read has ever shown. */
function recentlyCreatedUser(user: DesiredUser, record: RecordedUser, context: PlanContext) {
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

export function presenceBasis({ address, status, by }: ObservedUser): Basis {
  return observedBasis(userSubject(address), `present as ${status ?? "a user without a status"}`, by);
}

/** Differences between what the roster says of people and what the service shows. No call can correct them. */
export function compareProfiles(people: UserIdentities): readonly FindingDraft[] {
  return [...people.values()].flatMap((person) => {
    if (person.is !== "present") return [];
    const differences = profileFieldNames.flatMap((field) => difference(field, person));
    if (differences.length === 0) return [];
    return [false, true].flatMap((adapted) => {
      const some = differences.filter((one) => one.adapted === adapted);
      return some.length === 0 ? [] : [profileFinding(person, some, adapted)];
    });
  });
}

/** `adapted`: the service made the one from the other by itself, so that nobody needs to do anything. */
function difference(field: keyof Profile, { user, observed, record }: PresentUser) {
  const [wanted, shown] = [user[field], observed[field]];
  if (wanted === undefined || shown === undefined || wanted === shown) return [];
  if (field === "externalIdentifier" && foldAddress(shown) === user.address) return [];
  const adapted =
    field === "externalIdentifier" ||
    field === "source" ||
    plainText(wanted) === plainText(shown) ||
    (record?.profile?.sent[field] === wanted && record.profile.answered[field] === shown);
  return [{ field, wanted, shown, adapted }];
}

function plainText(text: string): string {
  return text.normalize("NFC").trim().replace(/\s+/gu, " ");
}

function profileFinding(
  { user, observed }: PresentUser,
  differences: ReturnType<typeof difference>,
  adapted: boolean,
): FindingDraft {
  const texts = say(adapted ? "profile-differs/adapted" : "profile-differs/changed", {
    email: user.email,
    differences: differences.map(({ field, wanted, shown }) => `${field} "${shown}" instead of "${wanted}"`),
  });
  const [entry] = adapted ? [] : user.because;
  const defaults = differences.some(({ field }) => field === "source")
    ? user.because.filter(({ as }) => as === "defaults")
    : [];
  const finding = userFinding(user, {
    ...texts,
    because: [...user.because.slice(0, 1), ...defaults],
    restsOn: differences.flatMap(({ field, shown, wanted }) => {
      const about = partOf(field, userSubject(user.address));
      const is = observedBasis(about, shown, observed.by);
      if (entry === undefined) return [is];
      const { file, line, column } = entry;
      return [is, { about, ...declared(wanted, { file, line, column }) }];
    }),
  });
  return adapted ? { ...finding, kind: "notice" } : finding;
}

/** With more people than these, one finding more names all at once: a file was perhaps lost. */
const maxReportedSingly = 3;

/** People of the last applied roster that nobody names any more, and who are not known to be gone: nobody disappears in silence. */
export function findDroppedUsers(context: PlanContext): readonly FindingDraft[] {
  const { roster, facts, state, policy } = context;
  const people = unreleasedUsers(context);
  if (people.length === 0) return [];
  const removal = removalOf(roster);
  const dropped = people.flatMap((person) => {
    const { address, email } = person;
    const presence = facts.presenceOf(address);
    if (presence.is === "absent") return [];
    const subject = userSubject(address);
    const [there, basis] =
      presence.is === "present"
        ? [`The service still shows ${email}`, presence.users.map(({ by }) => observedBasis(subject, "present", by))]
        : [`roster cannot prove that ${email} is gone: ${presence.why}`, [unknownBasis(subject, presence.why)]];
    const texts = say("user-removed/one", { email, presence: there, removal, today: policy.today });
    const finding: FindingDraft = {
      ...texts,
      subject,
      because: [],
      restsOn: [recordedBasis(subject, "in the applied roster", state.applied?.at ?? ""), ...basis],
      allow: [release(person, state)],
      concerns: [{ address }],
    };
    return [{ email, address, finding }];
  });
  const each = dropped.map(({ finding }) => finding);
  if (dropped.length <= maxReportedSingly) return each;
  const texts = say("user-removed/many", { count: dropped.length, emails: dropped.map(({ email }) => email) });
  const concerns = dropped.map(({ address }) => ({ address }));
  const subject = { kind: "other", name: "roster" } as const;
  return [{ ...texts, subject, because: [], concerns }, ...each];
}

/** Users whom the roster has dropped, and of whom nobody has said that they are not managed any more. */
export function unreleasedUsers({ roster, state, facts, allowances }: PlanContext): readonly AddressedUser[] {
  return droppedUsers(roster, state).filter(
    (person) => facts.presenceOf(person.address).is === "absent" || !allowances.ask(release(person, state)).isAllowed,
  );
}

/** No call releases them: what counts as done is the last that was allowed. */
function release({ address }: AddressedUser, { users, allowances }: State): Objection {
  const record = users.get(address);
  const since = record?.createdAt ?? record?.seenAt ?? "an earlier run";
  const before = allowances?.get(formatAllowanceCode({ of: "user-removed", about: address, digits: "" }));
  const again = before === undefined ? "" : `, allowed at ${before.at}`;
  return {
    of: "user-removed",
    subject: userSubject(address),
    facts: [`in an applied roster, known since ${since}${again}`],
  };
}
