import type { FoldedAddress } from "../model/address.ts";
import { declared, recorded } from "../model/fact.ts";
import type { WantedRoles } from "../model/roster.ts";
import { shownOwnKey } from "../model/shown-keys.ts";
import type { Draft } from "./draft.ts";
import type { Wished } from "./key-wishes.ts";
import { aboutUser, type Person, type Present } from "./person.ts";
import { takenBasis } from "./recreations.ts";
import { createUserId } from "./references.ts";
import { type KnownKey, keyWithPrefix, knownKey } from "./shown-keys.ts";
import { notKnown, userSubject, yamlScalar } from "./subjects.ts";

/** The roles that the roster wants on the key that was, or will be, created with a user. */
export function wishOwnKey(person: Person, creations: ReadonlySet<FoldedAddress>): Wished {
  const wanted = person.user.ownKeyRoles;
  if (wanted === undefined || person.is === "withheld") return undefined;
  const { address } = person.user;
  const common = {
    roles: wanted.value,
    owner: person,
    because: [...wanted.because, ...person.user.because.slice(0, 1)],
    concern: { address },
  };
  if (person.is === "new") {
    if (!creations.has(address)) return undefined;
    const key = { of: "own-key", address, givenBy: createUserId(person.user) } as const;
    return { is: "given", id: `replace-roles:own:${address}`, key, ...common };
  }
  const key = ownKeyOf(person);
  if (key === undefined) return { is: "troubled", finding: ownKeyUnknown(person, wanted) };
  return { is: "known", asks: "user", key, restsOn: takenBasis(person, userSubject(address)), ...common };
}

/** The key that was created with a user, where it is known which one that is. */
export function ownKeyOf({ user, observed, record }: Present): KnownKey | undefined {
  const shown = shownOwnKey(observed);
  if (shown !== undefined) return knownKey(shown, observed);
  if (record?.key !== undefined && record.founded === undefined && record.createdAt !== undefined) {
    return keyWithPrefix(record.key, recorded(record.key, record.createdAt), observed);
  }
  if (user.key === undefined) return undefined;
  return keyWithPrefix(user.key.value, declared(user.key.value, user.key.place), observed);
}

function ownKeyUnknown({ user, observed }: Present, wanted: WantedRoles): Draft {
  const why =
    observed.keys === undefined
      ? "the service does not show the keys of users"
      : "none of the keys shown is clearly the one that was created with the user";
  const suggestedYaml = `users:\n  - email: ${yamlScalar(user.email)}\n    key: PREFIX\n`;
  const finding = aboutUser(user, {
    code: "own-key-unknown",
    message:
      `The roster asks for roles on the own key of ${user.email}, but it is not known which key that is: ${why}. ` +
      "Look the prefix up in the service and write it into the roster.",
    restsOn: [notKnown(`own key of ${userSubject(user.address)}`, why)],
  });
  return { ...finding, because: [...wanted.because, ...user.because.slice(0, 1)], suggestedYaml };
}
