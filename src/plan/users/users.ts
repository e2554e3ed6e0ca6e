import type { Profile } from "../../model/action.ts";
import {
  type EmailKey,
  foldAddress,
  hasLocalPartBeyondAscii,
  hasSingleLabelDomain,
  unsafeAddressReason,
} from "../../model/address.ts";
import { declared, type Located, type Place, reasonAt } from "../../model/fact.ts";
import type { RosterUser } from "../../model/roster.ts";
import { type Absence, accountStatus, type ObservedUser } from "../../model/snapshot.ts";
import type { RecordedUser } from "../../model/state.ts";
import { type Basis, observedBasis, partOf, recordedBasis, unknownBasis, userSubject } from "../../model/subject.ts";
import { formatDecisionTime, formatResolveCommands, type PlanContext } from "../context.ts";
import { type FindingDraft, joinList } from "../finding-draft.ts";
import {
  blockUser,
  type ClassifiedUser,
  type PresentUser,
  type UserIdentities,
  type UserIdentity,
  userFinding,
} from "../identities.ts";
import { creationRequest, refusalOf, refusedFinding } from "../remembered-refusals.ts";
import { observedAccount } from "../snapshot-index.ts";
import { classifyReplacedUser, classifyVanishedUser, isAcceptedReplacement } from "./creations.ts";
import { invitationFinding } from "./invitations.ts";

export function identifyUsers(context: PlanContext): {
  readonly people: UserIdentities;
  readonly findings: readonly FindingDraft[];
} {
  const people = new Map<EmailKey, UserIdentity>();
  const findings: FindingDraft[] = [];
  for (const user of context.roster.users.values()) {
    const judged = classifyUser(user, context);
    people.set(user.address, judged.person);
    findings.push(...judged.findings);
  }
  return { people, findings };
}

/** Who one user of the roster is to the service, and what stands in the way of what is asked for them. */
function classifyUser(user: RosterUser, context: PlanContext): ClassifiedUser {
  if (context.closedAccounts.has(user.account)) return { person: { is: "withheld", user }, findings: [] };
  const shown = context.facts.people.get(user.address) ?? [];
  if (user.from !== undefined) return userToStart(user, user.from, shown, context);
  const [one, ...others] = shown;
  if (one === undefined) return classifyAbsentUser(user, context);
  return others.length > 0 ? ambiguousUser(user, shown) : classifyObservedUser(user, one, context);
}

/** Nothing is done for a user before their first day, also where the service knows them already. */
function userToStart(
  user: RosterUser,
  from: Located<string>,
  shown: readonly ObservedUser[],
  { policy: { today } }: PlanContext,
): ClassifiedUser {
  const [one] = shown.filter(({ status }) => accountStatus(status) !== "deleted");
  const until =
    one === undefined
      ? "Until then, roster does not create the user."
      : `The service already shows ${one.email}. Until then, roster does not change this user.`;
  const about = userSubject(user.address);
  const restsOn = [
    { about: partOf("from", about), fact: declared(from.value, from.place) },
    observedBasis({ kind: "other", name: "today" }, today, "clock"),
    ...(one === undefined
      ? []
      : [observedBasis(about, `present as ${one.status ?? "a user without a status"}`, one.by)]),
  ];
  const { person, findings } = blockUser(user, {
    code: "date-ahead",
    aspect: "from",
    message: `${user.email} starts on ${from.value}. ${until}`,
    restsOn,
  });
  const because = [reasonAt(from.place, "from", { name: from.value }), ...user.because.slice(0, 1)];
  return { person, findings: findings.map((finding) => ({ ...finding, because })) };
}

function ambiguousUser(user: RosterUser, shown: readonly ObservedUser[]): ClassifiedUser {
  const names = shown.map((one) => (one.identifier === undefined ? one.email : `${one.identifier} (${one.email})`));
  const message =
    `The service shows ${shown.length} users with the address ${user.email}: ${joinList(names)}. roster changes none of them. ` +
    "Delete or rename all but one in the service.";
  const about = userSubject(user.address);
  const restsOn = shown.map((one) => observedBasis(about, `present as ${one.identifier ?? one.email}`, one.by));
  return blockUser(user, { code: "ambiguous-user", message, restsOn });
}

function classifyObservedUser(user: RosterUser, observed: ObservedUser, context: PlanContext): ClassifiedUser {
  const word = accountStatus(observed.status);
  if (word === "deleted")
    return blockUser(user, {
      ...observedUserFinding(user, observed, "inactive-user", deletedMessage(user)),
      aspect: "deleted",
    });
  const account = observedAccount(observed, context.facts);
  if (account !== undefined && account !== user.account) {
    return blockUser(
      user,
      observedUserFinding(user, observed, "user-in-other-account", otherAccountMessage(user, account)),
    );
  }
  const replaced = classifyReplacedUser(user, observed, context);
  if (replaced !== undefined) return replaced;
  const record = recordedUserOf(observed, context);
  const meantBy = isAcceptedReplacement(user, observed, context) ? ({ meantBy: "word" } as const) : {};
  const known = { is: "present", user, observed, invitable: word !== "barred", ...meantBy } as const;
  const person: PresentUser = record === undefined ? known : { ...known, record };
  if (word === "barred") return { person, findings: [userFinding(user, barredUserFinding(user, observed))] };
  if (word === "pending") return { person, findings: [userFinding(user, invitationFinding(user, observed, context))] };
  return { person, findings: [] };
}

/** What is remembered of this very user; another one may have had the address before. */
function recordedUserOf({ address, identifier }: ObservedUser, { state }: PlanContext): RecordedUser | undefined {
  const record = state.users.get(address);
  const isAnother = record?.identifier !== undefined && identifier !== undefined && record.identifier !== identifier;
  return isAnother ? undefined : record;
}

type ObservedUserFinding = Pick<FindingDraft, "code" | "message" | "restsOn">;

function observedUserFinding(
  user: RosterUser,
  observed: ObservedUser,
  code: FindingDraft["code"],
  message: string,
): ObservedUserFinding {
  const shown = observed.status ?? "a user without a status";
  return { code, message, restsOn: [observedBasis(userSubject(user.address), `present as ${shown}`, observed.by)] };
}

function deletedMessage(user: RosterUser): string {
  return (
    `The service shows ${user.email} as deleted. A deleted user blocks the address, and the API cannot restore users. ` +
    "Restore or purge the user in the service. Or change the address, or remove the user from the roster."
  );
}

function otherAccountMessage(user: RosterUser, account: string): string {
  return (
    `The service shows ${user.email} in the account ${account}. The roster has ${user.account}. The API cannot move users. ` +
    "Correct the account in the roster, or move the user in the service."
  );
}

function barredUserFinding(user: RosterUser, observed: ObservedUser): ObservedUserFinding {
  const message =
    `The service shows ${user.email} as ${observed.status}. The API cannot activate users. roster does not add them to teams, ` +
    "but still manages the roles of their keys. Activate the user in the service.";
  return observedUserFinding(user, observed, "inactive-user", message);
}

/** Judges a person that the service did not show under the address: new, or withheld and why. */
function classifyAbsentUser(user: RosterUser, context: PlanContext): ClassifiedUser {
  return (
    knownByFormerAddress(user, context) ??
    creationInDoubt(user, context) ??
    classifyVanishedUser(user, context) ??
    unprovenOrToCreate(user, context)
  );
}

function knownByFormerAddress(user: RosterUser, { facts }: PlanContext): ClassifiedUser | undefined {
  const former = user.previously.find(({ value }) => facts.people.has(value));
  const [shown] = former === undefined ? [] : (facts.people.get(former.value) ?? []);
  if (former === undefined || shown === undefined) return undefined;
  const message =
    `The service has this user as ${shown.email}, a former address of ${user.email}. The API cannot change addresses. ` +
    `roster does not create a second user. Change the address in the service, or write ${shown.email} as the \`email\`.`;
  const judged = blockUser(user, {
    code: "former-address",
    message,
    restsOn: [observedBasis(userSubject(former.value), "present", shown.by)],
  });
  return {
    ...judged,
    findings: judged.findings.map((finding) => ({
      ...finding,
      because: [...user.because.slice(0, 1), reasonAt(former.place, "former-address", { name: former.value })],
    })),
  };
}

function creationInDoubt(user: RosterUser, context: PlanContext): ClassifiedUser | undefined {
  const open = context.state.open.find(
    ({ intent }) => intent.kind === "create-user" && intent.address === user.address,
  );
  if (open === undefined) return undefined;
  const message =
    `roster sent a call to create ${user.email} at ${open.at}. The outcome is unknown, and reads do not show the user yet. ` +
    `roster does not send it again. ${formatDecisionTime([open], context)}. Or look in the service and ${formatResolveCommands([open])}.`;
  return blockUser(user, {
    code: "unknown-outcome",
    message,
    restsOn: [recordedBasis(userSubject(user.address), `call announced by run ${open.run}`, open.at)],
  });
}

/** Last of all: a user who may exist need not change an address that the service lets them have. */
function unsafeAddress(user: RosterUser): ClassifiedUser | undefined {
  const fault = unsafeAddressReason(user.email);
  if (fault === undefined && !hasSingleLabelDomain(user.email)) return undefined;
  const next = fault === undefined ? "Write the full domain." : "Correct it.";
  const message =
    `${user.email} is not created: the address ${fault ?? "has a domain without a dot"}. The service does not show this user, ` +
    `and a mail could reach another person. ${next}`;
  return blockUser(user, { code: "unsafe-address", message });
}

/** A person who may be there under a former address is not created under the new one. */
function unprovenOrToCreate(user: RosterUser, context: PlanContext): ClassifiedUser {
  const { snapshot } = context;
  if (snapshot.everyone.read === "incomplete")
    return unprovenUser(user, user.email, `the list of users is incomplete (${snapshot.everyone.why})`);
  const absences: Basis[] = [];
  for (const address of [user.address, ...user.previously.map(({ value }) => value)]) {
    const absence = snapshot.absences.get(address) ?? notSearched;
    const name = address === user.address ? user.email : `${address}, a former address of ${user.email},`;
    if (!absence.proven) return unprovenUser(user, name, absence.why);
    absences.push(observedBasis(userSubject(address), "absent", absence.by));
  }
  return (
    unsafeAddress(user) ??
    refusedUser(user, context) ?? { person: { is: "new", user, absences }, findings: nonAsciiFinding(user) }
  );
}

function nonAsciiFinding(user: RosterUser): readonly FindingDraft[] {
  if (!hasLocalPartBeyondAscii(user.email)) return [];
  const message =
    `${user.email} has non-ASCII letters before the \`@\`. Many mail servers do not deliver to such an address. Some letters ` +
    "look like others. Check the address letter by letter.";
  return [userFinding(user, { code: "unsafe-address", notice: true, message })];
}

const notSearched: Absence = { proven: false, why: "this run did not search for the address" };

function unprovenUser(user: RosterUser, name: string, why: string): ClassifiedUser {
  const message =
    `roster cannot prove that ${name} is absent: ${why}. roster does not create a user in doubt. ` +
    "Plan again. If it stays, run `roster doctor` and check what your key can see.";
  return blockUser(user, { code: "incomplete-read", message, restsOn: [unknownBasis(userSubject(user.address), why)] });
}

/** Somebody whose creation the service refused, and that the roster still wants created in the very same words. */
function refusedUser(user: RosterUser, context: PlanContext): ClassifiedUser | undefined {
  const refusal = refusalOf(creationRequest(user, context), context);
  if (refusal === undefined) return undefined;
  const about = partOf("creation", userSubject(user.address));
  return blockUser(user, refusedFinding(about, refusal, "correct the user in the roster"));
}

type ProfileField = keyof Profile;

interface ProfileDifference {
  readonly field: ProfileField;
  readonly wanted: string;
  readonly shown: string;
  /** Whether the service made the one from the other by itself, so that nobody needs to do anything. */
  readonly adapted: boolean;
}

const fields: readonly ProfileField[] = ["firstName", "lastName", "title", "externalIdentifier", "source"];

/** Differences between what the roster says of people and what the service shows. No call can correct them. */
export function compareProfiles(people: UserIdentities): readonly FindingDraft[] {
  return [...people.values()].flatMap((person) =>
    person.is === "present" && fields.some((field) => differs(field, person)) ? compare(person) : [],
  );
}

function differs(field: ProfileField, { user, observed }: PresentUser): boolean {
  const wanted = user[field];
  const shown = observed[field];
  return wanted !== undefined && shown !== undefined && wanted !== shown;
}

function compare(person: PresentUser): readonly FindingDraft[] {
  const differences = fields.flatMap((field) => difference(field, person));
  const differing = differences.filter(({ adapted }) => !adapted);
  const adapted = differences.filter((one) => one.adapted);
  return [
    ...(differing.length === 0 ? [] : [profileFinding(person, differing)]),
    ...(adapted.length === 0 ? [] : [{ ...profileFinding(person, adapted), notice: true as const }]),
  ];
}

function difference(field: ProfileField, person: PresentUser): readonly ProfileDifference[] {
  const wanted = person.user[field];
  const shown = person.observed[field];
  if (wanted === undefined || shown === undefined || wanted === shown) return [];
  if (field === "externalIdentifier" && foldAddress(shown) === person.user.address) return [];
  return [{ field, wanted, shown, adapted: isAdapted(field, wanted, shown, person) }];
}

function isAdapted(field: ProfileField, wanted: string, shown: string, { record }: PresentUser): boolean {
  if (field === "externalIdentifier" || field === "source") return true;
  if (plainText(wanted) === plainText(shown)) return true;
  return record?.profile?.sent[field] === wanted && record.profile.answered[field] === shown;
}

function plainText(text: string): string {
  return text.normalize("NFC").trim().replace(/\s+/gu, " ");
}

function profileFinding({ user, observed }: PresentUser, differences: readonly ProfileDifference[]): FindingDraft {
  const list = joinList(differences.map(({ field, wanted, shown }) => `${field} "${shown}" instead of "${wanted}"`));
  const isAdapted = differences.every(({ adapted }) => adapted);
  const [entry] = isAdapted ? [] : user.because;
  const restsOn = differences.flatMap(({ field, shown, wanted }): readonly Basis[] => {
    const about = partOf(field, userSubject(user.address));
    const asked = entry === undefined ? [] : [{ about, fact: declared(wanted, placeOf(entry)) }];
    return [observedBasis(about, shown, observed.by), ...asked];
  });
  const next = isAdapted
    ? "The service stores it in this form. To hide this notice, write it like this in the roster."
    : "The API cannot change users. Correct it in the service, or write the value of the service into the roster.";
  const message = `The service shows ${user.email} with ${list}. ${next}`;
  const finding = { code: "profile-differs", message, restsOn } as const;
  const isBySource = differences.some(({ field }) => field === "source");
  const defaults = isBySource ? user.because.filter(({ as }) => as === "defaults") : [];
  const draft = userFinding(user, finding);
  return { ...draft, because: [...draft.because, ...defaults] };
}

function placeOf({ file, line, column }: Place): Place {
  return { file, line, column };
}
