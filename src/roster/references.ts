import type { FoldedAddress } from "../model/address.ts";
import { showPlace } from "../model/place.ts";
import type { Complaints } from "./complaints.ts";
import type { Draft, DraftGroup, DraftTeam, DraftUser, Written, WrittenAddress } from "./draft.ts";
import type { References, ResolvedGroup } from "./resolution.ts";

type People = Pick<References, "users" | "leavers">;

/** What names refer to, with an error for everybody in a group who is no user of the roster or is in it twice. */
export function referencesOf(draft: Draft, log: Complaints): References {
  const people = { users: byAddress(draft.users), leavers: byAddress(draft.leavers) };
  const groups = new Map<string, ResolvedGroup>();
  for (const group of draft.groups) {
    const resolved = { name: group.name, people: peopleOf(group, people, log) };
    if (!groups.has(group.name.value)) groups.set(group.name.value, resolved);
  }
  return { ...people, groups, roleSets: byName(draft.roleSets) };
}

function byAddress<T extends { readonly email: WrittenAddress }>(people: readonly T[]): ReadonlyMap<FoldedAddress, T> {
  const found = new Map<FoldedAddress, T>();
  for (const one of people) if (!found.has(one.email.address)) found.set(one.email.address, one);
  return found;
}

function byName<T extends { readonly name: Written<string> }>(named: readonly T[]): ReadonlyMap<string, T> {
  const found = new Map<string, T>();
  for (const one of named) if (!found.has(one.name.value)) found.set(one.name.value, one);
  return found;
}

function peopleOf(group: DraftGroup, known: People, log: Complaints): readonly WrittenAddress[] {
  const people = new Map<FoldedAddress, WrittenAddress>();
  for (const person of group.members) {
    const first = people.get(person.address);
    if (first !== undefined) {
      const message = `\`${person.value}\` is in the group \`${group.name.value}\` twice; the first time in line ${first.at.place.line}.`;
      log.error(person.at, "duplicate-member", message, "Remove one of the two.");
    } else if (isKnown(person, known, "group", log)) {
      people.set(person.address, person);
    }
  }
  return [...people.values()];
}

/** Tells where a person who is named is no user of the roster: a leaver, or nobody. */
export function isKnown(
  person: WrittenAddress,
  { users, leavers }: People,
  where: "group" | "member" | "admin" | "founder",
  log: Complaints,
): boolean {
  if (users.has(person.address)) return true;
  const leaver = leavers.get(person.address);
  const who = `The ${roles[where]} \`${person.value}\``;
  if (leaver !== undefined) {
    const message = `${who} is a leaver (${showPlace(leaver.email.at.place)}), and a leaver holds nothing.`;
    log.error(person.at, "leaver-in-use", message, "Remove them here; somebody who came back belongs under `users`.");
    return false;
  }
  const hint = log.didYouMean(person.value, addressesOf(users)) ?? "Add them under `users`, or remove them here.";
  log.error(person.at, "unknown-user", `${who} is not a user of this roster.`, hint);
  return false;
}

const roles = { group: "group member", member: "member", admin: "administrator", founder: "founder" };

function* addressesOf(users: ReadonlyMap<FoldedAddress, DraftUser>): Iterable<string> {
  for (const user of users.values()) yield user.email.value;
}

/** Whether a user and a team are of different accounts; a file that names none is told of by itself. */
export function areOfOtherAccounts(user: Pick<DraftUser, "account">, team: Pick<DraftTeam, "account">): boolean {
  return user.account !== team.account && user.account !== "" && team.account !== "";
}
