import type { EmailKey } from "../model/address.ts";
import { isDeleted } from "../model/key.ts";
import type { Roster } from "../model/roster.ts";
import {
  type Absence,
  type ObservedAccount,
  presentMembers,
  type Snapshot,
  type UserListStatus,
} from "../model/snapshot.ts";
import type { State } from "../model/state.ts";
import type { AddressedUser, ObservedUser } from "../model/user.ts";
import type { UserList } from "../ports/account-service.ts";
import type { KnownUsers } from "./search.ts";
import { addressesToRead } from "./users-to-read.ts";

/**
 * Whether the users were read completely (trap 14). A list that lacks somebody that a search or the details of an account show is
 * not, nor is an empty one where somebody is known to be there.
 */
export function assessUserList(
  list: UserList | undefined,
  others: {
    readonly found: readonly ObservedUser[];
    readonly accounts: Iterable<ObservedAccount>;
    readonly known: KnownUsers;
  },
): UserListStatus {
  if (list === undefined) return { read: "not-read" };
  const why = list.complete.yes ? lackingIn(list, others) : list.complete.why;
  return why === undefined ? { read: "complete", by: "list" } : { read: "incomplete", why };
}

function lackingIn(
  { users }: UserList,
  { found, accounts, known }: Parameters<typeof assessUserList>[1],
): string | undefined {
  const identifiers = new Set(users.map(({ identifier }) => identifier));
  const addresses = new Set(users.map(({ address }) => address));
  const isListed = ({ identifier, address }: ObservedUser) =>
    addresses.has(address) || (identifier !== undefined && identifiers.has(identifier));
  const lacking = found.find((user) => !isListed(user) && !isDeleted(user));
  if (lacking !== undefined) return `a search found ${lacking.email}, but the list does not have them`;
  // Of people that a search found as well its answer shows more.
  for (const { address } of found) addresses.add(address);
  for (const account of accounts) {
    const member = presentMembers(account).find((address) => !addresses.has(address));
    if (member !== undefined) return `the read "${account.by}" shows ${member}, but the list does not have them`;
  }
  const [somebody] = known.values();
  if (users.length > 0 || somebody === undefined) return undefined;
  return `it is empty, but ${somebody.email} is known to exist`;
}

/** For each address that was asked for and is nobody's, whether that is proven: by its search, and by no read that says otherwise. */
export function proveAbsences(
  asked: readonly AddressedUser[],
  read: {
    readonly users: readonly ObservedUser[];
    readonly misses: ReadonlyMap<EmailKey, Absence>;
    readonly everyone: UserListStatus;
    readonly accounts: Iterable<ObservedAccount>;
  },
): ReadonlyMap<EmailKey, Absence> {
  const present = new Set(read.users.map(({ address }) => address));
  const unfound = new Set<EmailKey>();
  for (const { address } of asked) if (!present.has(address)) unfound.add(address);
  const absences = new Map<EmailKey, Absence>();
  if (unfound.size === 0) return absences;
  const listedBy = new Map<EmailKey, string>();
  for (const { members, by } of read.accounts)
    for (const address of members ?? []) if (unfound.has(address)) listedBy.set(address, by);
  for (const address of unfound) {
    absences.set(address, absenceOf(read.misses.get(address), listedBy.get(address), read.everyone));
  }
  return absences;
}

function absenceOf(miss: Absence | undefined, listedBy: string | undefined, everyone: UserListStatus): Absence {
  if (everyone.read === "incomplete") return { proven: false, why: `the list of users is incomplete: ${everyone.why}` };
  if (listedBy !== undefined)
    return { proven: false, why: `the read "${listedBy}" shows this address, but a search does not` };
  return miss ?? { proven: false, why: "this run did not search for it" };
}

/** A snapshot that says of everybody in question whether they are there. */
interface CompletedSnapshot {
  readonly snapshot: Snapshot;
  /** Whose absence the complete list of users alone shows. */
  readonly unsearched: ReadonlySet<EmailKey>;
}

/**
 * What a snapshot that was read without this roster says of its people. Nobody can be searched for any more. A user who was not
 * searched for then counts as absent if the complete list lacks them and no other read shows them. That is enough to foresee a
 * creation, and not to do it.
 */
export function withListedAbsences(snapshot: Snapshot, roster: Roster, state: State): CompletedSnapshot {
  const there = new Set(snapshot.users.map(({ address }) => address));
  const shownBy = accountMembers(snapshot);
  const absences = new Map(snapshot.absences);
  const unsearched = new Set<EmailKey>();
  for (const { address } of addressesToRead(roster, state)) {
    if (there.has(address) || absences.has(address)) continue;
    const absence = listedAbsence(snapshot, shownBy.get(address));
    absences.set(address, absence);
    if (absence.proven) unsearched.add(address);
  }
  return { snapshot: { ...snapshot, absences }, unsearched };
}

function accountMembers({ accounts }: Snapshot): ReadonlyMap<EmailKey, string> {
  return new Map([...accounts.values()].flatMap(({ members = [], by }) => members.map((one) => [one, by] as const)));
}

function listedAbsence({ everyone }: Snapshot, shownBy: string | undefined): Absence {
  if (everyone.read !== "complete") return { proven: false, why: "this run did not read all users" };
  if (shownBy === undefined) return { proven: true, by: everyone.by };
  return { proven: false, why: `the read "${shownBy}" shows this address, but the list of users does not` };
}
