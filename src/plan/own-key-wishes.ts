import type { FoldedAddress } from "../model/address.ts";
import { declared, recorded } from "../model/fact.ts";
import type { Located } from "../model/place.ts";
import type { RoleSet } from "../model/role-set.ts";
import { shownOwnKey } from "../model/shown-keys.ts";
import type { Draft } from "./draft.ts";
import { type KeyWishes, together } from "./key-wishes.ts";
import { aboutUser, type People, type Person, type Present } from "./person.ts";
import { createdRef, createUserId, presentRef } from "./references.ts";
import { type KnownKey, keyWithPrefix, knownKey } from "./shown-keys.ts";
import { notKnown, userSubject, yamlScalar } from "./subjects.ts";

/** The roles that the roster wants on the keys that were, or will be, created with users. */
export function wishOwnKeys(people: People, creations: ReadonlySet<FoldedAddress>): KeyWishes {
  return together([...people.values()].map((person) => wishesOf(person, creations)));
}

function wishesOf(person: Person, creations: ReadonlySet<FoldedAddress>): KeyWishes {
  const wanted = person.user.ownKeyRoles;
  if (wanted === undefined || person.is === "withheld") return { wishes: [], findings: [] };
  if (person.is === "present") return wishOfPresent(person, wanted);
  const { user } = person;
  if (!creations.has(user.address)) return { wishes: [], findings: [] };
  const key = { of: "own-key", address: user.address, givenBy: createUserId(user) } as const;
  const id = `replace-roles:own:${user.address}`;
  const common = { roles: wanted.value, owner: createdRef(user), because: [wanted.place] };
  return { wishes: [{ is: "given", id, key, concern: { address: user.address }, ...common }], findings: [] };
}

function wishOfPresent(person: Present, wanted: Located<RoleSet>): KeyWishes {
  const { address } = person.user;
  const key = ownKeyOf(person);
  if (key === undefined) return { wishes: [], findings: [ownKeyUnknown(person, wanted)] };
  const common = { roles: wanted.value, owner: presentRef(person), because: [wanted.place], concern: { address } };
  return { wishes: [{ is: "known", key, asker: `ownKeyRoles of ${address}`, ...common }], findings: [] };
}

function ownKeyOf({ user, observed, record }: Present): KnownKey | undefined {
  const shown = shownOwnKey(observed);
  if (shown !== undefined) return knownKey(shown, observed);
  if (record?.key !== undefined && record.founded === undefined && record.createdAt !== undefined) {
    return keyWithPrefix(record.key, recorded(record.key, record.createdAt), observed);
  }
  if (user.key === undefined) return undefined;
  return keyWithPrefix(user.key.value, declared(user.key.value, user.key.place), observed);
}

function ownKeyUnknown({ user, observed }: Present, wanted: Located<RoleSet>): Draft {
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
  return { ...finding, because: [wanted.place], suggestedYaml };
}
