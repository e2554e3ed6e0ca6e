import { say } from "../codes/message.ts";
import { foldAddress } from "../model/address.ts";
import { declared } from "../model/fact.ts";
import type { Profile } from "../model/recorded.ts";
import { observedBasis, partOf, userSubject } from "../model/subject.ts";
import { profileFieldNames } from "../model/user.ts";
import type { FindingDraft } from "./finding-draft.ts";
import { type PresentUser, type UserIdentities, userFinding } from "./identities.ts";

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
      return [is, { about, fact: declared(wanted, { file, line, column }) }];
    }),
  });
  return adapted ? { ...finding, kind: "notice" } : finding;
}
