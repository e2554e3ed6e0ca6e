import type { PersonRef } from "../model/action.ts";
import { declared } from "../model/fact.ts";
import type { RosterKey } from "../model/roster.ts";
import type { Draft } from "./draft.ts";
import type { HeldKey } from "./facts.ts";
import { type KeyWishes, together } from "./key-wishes.ts";
import type { People, Person } from "./person.ts";
import type { Question } from "./question.ts";
import { presentRef } from "./references.ts";
import { knownKey } from "./shown-keys.ts";
import { keySubject, notKnown, seen } from "./subjects.ts";

/** The roles that the roster wants on keys that it names by their prefix. */
export function wishListedKeys(question: Question, people: People): KeyWishes {
  return together(question.roster.keys.map((entry) => wishesOf(entry, question, people)));
}

function wishesOf(entry: RosterKey, question: Question, people: People): KeyWishes {
  const owner = entry.owner === undefined ? undefined : people.get(entry.owner.value);
  const held = question.facts.byPrefix.get(entry.prefix);
  const finding = keyFinding(entry, owner, held, question);
  if (finding !== undefined) return { wishes: [], findings: [finding] };
  if (owner?.is === "withheld") return { wishes: [], findings: [] };
  const key =
    held === undefined
      ? { prefix: declared(entry.prefix, entry.place), value: entry.prefix }
      : knownKey(held.key, held.holder);
  const common = { roles: entry.roles, because: [entry.place], concern: concernOf(entry) };
  const ref = ownerRef(owner);
  const wish = { is: "known", key, asker: "the list of keys", ...common } as const;
  return { wishes: [ref === undefined ? wish : { ...wish, owner: ref }], findings: [] };
}

function concernOf({ owner }: RosterKey): Draft["concerns"][number] {
  return owner === undefined ? {} : { address: owner.value };
}

function ownerRef(owner: Person | undefined): PersonRef | undefined {
  return owner?.is === "present" ? presentRef(owner) : undefined;
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
    because: [entry.place],
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
    because: entry.owner === undefined ? [entry.place] : [entry.place, entry.owner.place],
    restsOn: [seen(subject, `key of ${holder.address}`, holder.by)],
    concerns: [concernOf(entry)],
  };
}
