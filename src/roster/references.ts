import type { FoldedAddress } from "../model/address.ts";
import type { Complaints } from "./complaints.ts";
import type { Draft, DraftGroup, DraftUser, Written, WrittenAddress } from "./draft.ts";
import type { References, ResolvedGroup } from "./resolution.ts";

/** What names refer to, with an error for everybody in a group who is no user of the roster or is in it twice. */
export function referencesOf(draft: Draft, log: Complaints): References {
  const users = new Map<FoldedAddress, DraftUser>();
  for (const user of draft.users) if (!users.has(user.email.address)) users.set(user.email.address, user);
  const groups = new Map<string, ResolvedGroup>();
  for (const group of draft.groups) {
    const resolved = { name: group.name, people: peopleOf(group, users, log) };
    if (!groups.has(group.name.value)) groups.set(group.name.value, resolved);
  }
  return { users, groups, roleSets: byName(draft.roleSets) };
}

function byName<T extends { readonly name: Written<string> }>(named: readonly T[]): ReadonlyMap<string, T> {
  const found = new Map<string, T>();
  for (const one of named) if (!found.has(one.name.value)) found.set(one.name.value, one);
  return found;
}

function peopleOf(
  group: DraftGroup,
  users: ReadonlyMap<FoldedAddress, DraftUser>,
  log: Complaints,
): readonly WrittenAddress[] {
  const people = new Map<FoldedAddress, WrittenAddress>();
  for (const person of group.members) {
    const first = people.get(person.address);
    if (first !== undefined) {
      const message = `\`${person.value}\` is in the group \`${group.name.value}\` twice; the first time in line ${first.at.place.line}.`;
      log.error(person.at, "duplicate-member", message, "Remove one of the two.");
    } else if (isKnown(person, users, "group", log)) {
      people.set(person.address, person);
    }
  }
  return [...people.values()];
}

/** Tells where a person who is named is no user of the roster. */
export function isKnown(
  person: WrittenAddress,
  users: ReadonlyMap<FoldedAddress, DraftUser>,
  where: "group" | "member" | "admin" | "founder",
  log: Complaints,
): boolean {
  if (users.has(person.address)) return true;
  const message = `The ${roles[where]} \`${person.value}\` is not a user of this roster.`;
  const hint = log.didYouMean(person.value, addressesOf(users)) ?? "Add them under `users`, or remove them here.";
  log.error(person.at, "unknown-user", message, hint);
  return false;
}

const roles = { group: "group member", member: "member", admin: "administrator", founder: "founder" };

function* addressesOf(users: ReadonlyMap<FoldedAddress, DraftUser>): Iterable<string> {
  for (const user of users.values()) yield user.email.value;
}
