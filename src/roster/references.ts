import type { FoldedAddress } from "../model/address.ts";
import { formatPlace } from "../model/place.ts";
import type { DiagnosticsCollector } from "./complaints.ts";
import type { GroupEntry, RosterDocument, SourceAddress, SourceValue, TeamEntry, UserEntry } from "./draft.ts";
import type { ResolvedGroup, RosterReferences } from "./resolution.ts";

type PeopleIndex = Pick<RosterReferences, "users" | "leavers">;

/** What names refer to, with an error for everybody in a group who is no user of the roster or is in it twice. */
export function indexReferences(draft: RosterDocument, log: DiagnosticsCollector): RosterReferences {
  const people = { users: byAddress(draft.users), leavers: byAddress(draft.leavers) };
  const groups = new Map<string, ResolvedGroup>();
  for (const group of draft.groups) {
    const resolved = { name: group.name, people: groupMembers(group, people, log) };
    if (!groups.has(group.name.value)) groups.set(group.name.value, resolved);
  }
  return { ...people, groups, roleSets: byName(draft.roleSets) };
}

function byAddress<T extends { readonly email: SourceAddress }>(people: readonly T[]): ReadonlyMap<FoldedAddress, T> {
  const found = new Map<FoldedAddress, T>();
  for (const one of people) if (!found.has(one.email.address)) found.set(one.email.address, one);
  return found;
}

function byName<T extends { readonly name: SourceValue<string> }>(named: readonly T[]): ReadonlyMap<string, T> {
  const found = new Map<string, T>();
  for (const one of named) if (!found.has(one.name.value)) found.set(one.name.value, one);
  return found;
}

function groupMembers(group: GroupEntry, known: PeopleIndex, log: DiagnosticsCollector): readonly SourceAddress[] {
  const people = new Map<FoldedAddress, SourceAddress>();
  for (const person of group.members) {
    const first = people.get(person.address);
    if (first !== undefined) {
      const message = `\`${person.value}\` is in the group \`${group.name.value}\` twice; the first time in line ${first.at.place.line}.`;
      log.error(person.at, "duplicate-member", message, "Remove one of the two.");
    } else if (isRosterUser(person, known, "group", log)) {
      people.set(person.address, person);
    }
  }
  return [...people.values()];
}

/** Tells where a person who is named is no user of the roster: a leaver, or nobody. */
export function isRosterUser(
  person: SourceAddress,
  { users, leavers }: PeopleIndex,
  where: "group" | "member" | "admin" | "founder",
  log: DiagnosticsCollector,
): boolean {
  if (users.has(person.address)) return true;
  const leaver = leavers.get(person.address);
  const who = `The ${positionNames[where]} \`${person.value}\``;
  if (leaver !== undefined) {
    const message = `${who} is a leaver (${formatPlace(leaver.email.at.place)}), and a leaver holds nothing.`;
    log.error(person.at, "leaver-in-use", message, "Remove them here; somebody who came back belongs under `users`.");
    return false;
  }
  const hint = log.didYouMean(person.value, writtenAddresses(users)) ?? "Add them under `users`, or remove them here.";
  log.error(person.at, "unknown-user", `${who} is not a user of this roster.`, hint);
  return false;
}

const positionNames = { group: "group member", member: "member", admin: "administrator", founder: "founder" };

function* writtenAddresses(users: ReadonlyMap<FoldedAddress, UserEntry>): Iterable<string> {
  for (const user of users.values()) yield user.email.value;
}

/** Whether a user and a team are of different accounts; a file that names none is told of by itself. */
export function differInAccount(user: Pick<UserEntry, "account">, team: Pick<TeamEntry, "account">): boolean {
  return user.account !== team.account && user.account !== "" && team.account !== "";
}
