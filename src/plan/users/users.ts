import type { Profile } from "../../model/action.ts";
import {
  type FoldedAddress,
  foldAddress,
  hasLocalPartBeyondAscii,
  hasSingleLabelDomain,
  unsafeAddressReason,
} from "../../model/address.ts";
import { reasonAt } from "../../model/fact.ts";
import { retryOf } from "../../model/refusal.ts";
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
import { formatRefusal, formatRefusalRemedies, refusalBasis, refusedCreation } from "../known-refusals.ts";
import { observedAccount } from "../snapshot-index.ts";
import { invitationFinding } from "./invitations.ts";
import { classifyReplacedUser, classifyVanishedUser, isAcceptedReplacement } from "./missing-users.ts";

export function identifyUsers(context: PlanContext): {
  readonly people: UserIdentities;
  readonly findings: readonly FindingDraft[];
} {
  const people = new Map<FoldedAddress, UserIdentity>();
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
  const [one, ...others] = shown;
  if (one === undefined) return classifyAbsentUser(user, context);
  return others.length > 0 ? ambiguousUser(user, shown) : classifyObservedUser(user, one, context);
}

function ambiguousUser(user: RosterUser, shown: readonly ObservedUser[]): ClassifiedUser {
  const names = shown.map((one) => (one.identifier === undefined ? one.email : `${one.identifier} (${one.email})`));
  const message =
    `The service shows ${shown.length} users with the address ${user.email}: ${joinList(names)}. They are never merged, ` +
    "and nothing is done for this person until all but one of them are gone or have another address.";
  const about = userSubject(user.address);
  const restsOn = shown.map((one) => observedBasis(about, `present as ${one.identifier ?? one.email}`, one.by));
  return blockUser(user, { code: "ambiguous-user", message, restsOn });
}

function classifyObservedUser(user: RosterUser, observed: ObservedUser, context: PlanContext): ClassifiedUser {
  const word = accountStatus(observed.status);
  if (word === "deleted")
    return blockUser(user, observedUserFinding(user, observed, "deleted-user", deletedMessage(user)));
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
    `The service shows ${user.email} as deleted. A deleted user blocks the address and no call brings one back: ` +
    "give the person another address, have the service's owner free this one, or take the person out of the roster."
  );
}

function otherAccountMessage(user: RosterUser, account: string): string {
  return (
    `The service shows ${user.email} in the account ${account}, the roster asks for ${user.account}. No call moves a user: ` +
    "correct the account in the roster, or have the person moved by hand."
  );
}

function barredUserFinding(user: RosterUser, observed: ObservedUser): ObservedUserFinding {
  const message =
    `The service shows ${user.email} as ${observed.status}, and no call activates a user. The person is added to no team ` +
    "until somebody activates the account by hand; the roles of keys that are there are still kept as the roster says.";
  return observedUserFinding(user, observed, "user-disabled", message);
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
    `The service knows this person as ${shown.email}, a former address of ${user.email}, and no call changes an address. ` +
    `No second user is created: either have the address changed by hand, or write ${shown.email} as the email in the roster.`;
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
    `roster sent the creation of ${user.email} at ${open.at} and does not know whether it was done. Reads do not show it yet. ` +
    `It is not sent again before that is known. ${formatDecisionTime([open], context)}; or look in the service and ${formatResolveCommands([open], context)}.`;
  return blockUser(user, {
    code: "unknown-outcome",
    message,
    restsOn: [recordedBasis(userSubject(user.address), `creation announced by run ${open.run}`, open.at)],
  });
}

/** Last of all: whoever may be there is not asked to change an address that the service lets them have. */
function unsafeAddress(user: RosterUser, { policy }: PlanContext): ClassifiedUser | undefined {
  const fault = unsafeAddressReason(user.email);
  const isRefused = !policy.singleLabelDomains && hasSingleLabelDomain(user.email);
  if (fault === undefined && !isRefused) return undefined;
  const next =
    fault === undefined ? "Write the whole domain, or set `singleLabelDomains: true` in the settings." : "Correct it.";
  const message =
    `${user.email} is not created: the address ${fault ?? "has a domain without a dot"}. The service does not show this user, ` +
    `and a call could reach somebody else. ${next}`;
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
    unsafeAddress(user, context) ??
    refusedUser(user, context) ?? { person: { is: "new", user, absences }, findings: nonAsciiFinding(user) }
  );
}

function nonAsciiFinding(user: RosterUser): readonly FindingDraft[] {
  if (!hasLocalPartBeyondAscii(user.email)) return [];
  const message =
    `${user.email} has letters beyond ASCII before the \`@\`. Many mail servers do not deliver to such an address, and some letters ` +
    "look like others. Check it letter by letter.";
  return [userFinding(user, { code: "non-ascii-address", message })];
}

const notSearched: Absence = { proven: false, why: "the service was not asked for the address" };

function unprovenUser(user: RosterUser, name: string, why: string): ClassifiedUser {
  const message =
    `It is not proven that ${name} is absent: ${why}. Nobody is created on a doubt; ` +
    "plan again, and if this stays, check what the key in use may see.";
  return blockUser(user, { code: "unproven-user", message, restsOn: [unknownBasis(userSubject(user.address), why)] });
}

/** Somebody whose creation the service refused, and that the roster still wants created in the very same words. */
function refusedUser(user: RosterUser, context: PlanContext): ClassifiedUser | undefined {
  const refusal = refusedCreation(user, context);
  if (refusal === undefined) return undefined;
  const refused = formatRefusal(`create ${user.email}`, refusal);
  return blockUser(user, {
    code: "refused",
    message: `${refused} ${formatRefusalRemedies("correct the person in the roster")}`,
    restsOn: [refusalBasis(partOf("creation", userSubject(user.address)), refusal)],
    allow: [retryOf(refusal)],
  });
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
    ...(differing.length === 0 ? [] : [profileFinding(person, "profile-differs", differing)]),
    ...(adapted.length === 0 ? [] : [profileFinding(person, "profile-normalized", adapted)]),
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

function profileFinding(
  { user, observed }: PresentUser,
  code: "profile-differs" | "profile-normalized",
  differences: readonly ProfileDifference[],
): FindingDraft {
  const list = joinList(differences.map(({ field, wanted, shown }) => `${field} "${shown}" instead of "${wanted}"`));
  const restsOn = differences.map(({ field, shown }) =>
    observedBasis(partOf(field, userSubject(user.address)), shown, observed.by),
  );
  const finding = { code, message: `The service shows ${user.email} with ${list}. ${advice[code]}`, restsOn };
  const isBySource = differences.some(({ field }) => field === "source");
  const defaults = isBySource ? user.because.filter(({ as }) => as === "defaults") : [];
  const draft = userFinding(user, finding);
  return { ...draft, because: [...draft.because, ...defaults] };
}

const advice = {
  "profile-differs":
    "No call changes a user: correct it in the service by hand, or write in the roster what the service shows.",
  "profile-normalized": "The service keeps it that way by itself; write it so in the roster to silence this notice.",
};
