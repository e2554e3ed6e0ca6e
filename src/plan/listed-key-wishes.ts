import { declared } from "../model/fact.ts";
import { reasonAt } from "../model/reason.ts";
import type { RosterKey } from "../model/roster.ts";
import type { Draft } from "./draft.ts";
import type { HeldKey } from "./facts.ts";
import type { Wished } from "./key-wishes.ts";
import type { People, Person } from "./person.ts";
import type { Question } from "./question.ts";
import { shownRef } from "./references.ts";
import { knownKey } from "./shown-keys.ts";
import { keySubject, notKnown, seen } from "./subjects.ts";

/** The roles that the roster wants on a key that it names by its prefix. */
export function wishListedKey(entry: RosterKey, question: Question, people: People): Wished {
  const owner = entry.owner === undefined ? undefined : people.get(entry.owner.value);
  const held = question.facts.keyPrefixed(entry.prefix);
  const finding = keyFinding(entry, owner, held, question);
  if (finding !== undefined) return { is: "troubled", finding };
  if (owner?.is === "withheld") return undefined;
  const key =
    held === undefined
      ? { prefix: declared(entry.prefix, entry.place), value: entry.prefix }
      : knownKey(held.key, held.holder);
  const common = { roles: entry.roles, because: entry.because, concern: concernOf(entry) };
  const wish = { is: "known", asks: "list", key, ...common } as const;
  if (owner !== undefined) return { ...wish, owner };
  return held === undefined ? wish : { ...wish, holder: shownRef(held.holder) };
}

function concernOf({ owner }: RosterKey): Draft["concerns"][number] {
  return owner === undefined ? {} : { address: owner.value };
}

function keyFinding(
  entry: RosterKey,
  owner: Person | undefined,
  held: HeldKey | undefined,
  question: Question,
): Draft | undefined {
  if (held !== undefined && entry.owner !== undefined && held.holder.address !== entry.owner.value) {
    return ownerDiffers(entry, held);
  }
  if (held !== undefined) return undefined;
  const why = whyNotThere(owner, question);
  return why === undefined ? undefined : unknownKey(entry, why);
}

/** Why the key cannot be there, or nothing where it may be. */
function whyNotThere(owner: Person | undefined, { snapshot }: Question): string | undefined {
  switch (owner?.is) {
    case "withheld":
      return undefined;
    case "new":
      return `${owner.user.email} is not there yet`;
    case "present":
      return owner.observed.keys === undefined ? undefined : `it is not among the keys of ${owner.user.email}`;
    case undefined: {
      const allShown = snapshot.everyone.read === "complete" && snapshot.capabilities.keysOnUsers === "shown";
      return allShown ? "it is not among the keys of any user" : undefined;
    }
  }
}

function unknownKey(entry: RosterKey, why: string): Draft {
  const subject = keySubject(entry.prefix);
  return {
    code: "unknown-key",
    subject,
    message: `The service does not know the key ${entry.prefix}: ${why}. Correct the prefix, which is compared exactly, or take the key out of the roster.`,
    because: entry.because.slice(0, 1),
    restsOn: [notKnown(subject, why)],
    concerns: [concernOf(entry)],
  };
}

function ownerDiffers(entry: RosterKey, { holder }: HeldKey): Draft {
  const subject = keySubject(entry.prefix);
  return {
    code: "key-owner-differs",
    subject,
    message:
      `The service shows the key ${entry.prefix} as a key of ${holder.email}, the roster gives it to ${entry.owner?.value}. ` +
      "No call moves a key, and its roles are left alone: correct the owner or the prefix in the roster.",
    because: [
      ...entry.because.slice(0, 1),
      ...(entry.owner === undefined ? [] : [reasonAt(entry.owner.place, "key-owner", { name: entry.owner.value })]),
    ],
    restsOn: [seen(subject, `key of ${holder.address}`, holder.by)],
    concerns: [concernOf(entry)],
  };
}
