import type { Profile } from "../../model/action.ts";
import { foldAddress } from "../../model/address.ts";
import { observedBasis, partOf, userSubject } from "../../model/subject.ts";
import { type FindingDraft, joinList } from "../finding-draft.ts";
import { type PresentUser, type UserIdentities, userFinding } from "../identities.ts";

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
  const findings: FindingDraft[] = [];
  for (const person of people.values()) {
    if (person.is === "present" && fields.some((field) => differs(field, person))) findings.push(...compare(person));
  }
  return findings;
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
    ...(adapted.length === 0 ? [] : [profileFinding(person, "profile-adapted", adapted)]),
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
  code: "profile-differs" | "profile-adapted",
  differences: readonly ProfileDifference[],
): FindingDraft {
  const told = joinList(differences.map(({ field, wanted, shown }) => `${field} "${shown}" instead of "${wanted}"`));
  const restsOn = differences.map(({ field, shown }) =>
    observedBasis(partOf(field, userSubject(user.address)), shown, observed.by),
  );
  const finding = { code, message: `The service shows ${user.email} with ${told}. ${advice[code]}`, restsOn };
  const isBySource = differences.some(({ field }) => field === "source");
  const defaults = isBySource ? user.because.filter(({ as }) => as === "defaults") : [];
  const draft = userFinding(user, finding);
  return { ...draft, because: [...draft.because, ...defaults] };
}

const advice = {
  "profile-differs":
    "No call changes a user: correct it in the service by hand, or write in the roster what the service shows.",
  "profile-adapted": "The service keeps it that way by itself; write it so in the roster to silence this notice.",
};
