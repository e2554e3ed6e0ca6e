import type { EmailKey } from "../model/address.ts";
import type { Roster } from "../model/roster.ts";
import {
  type Absence,
  accountStatus,
  type ObservedAccount,
  type ObservedUser,
  presentMembers,
  type Snapshot,
  type UserListStatus,
} from "../model/snapshot.ts";
import type { State } from "../model/state.ts";
import type { UserList } from "../ports/account-service.ts";
import { type AddressQuery, addressesToRead } from "./users-to-read.ts";

/** What was read besides the list. */
interface OtherReads {
  readonly found: readonly ObservedUser[];
  readonly accounts: Iterable<ObservedAccount>;
  readonly known: AddressQuery | undefined;
}

/**
 * Whether the users were read completely. A list that lacks somebody that a search or the details of an account show is
 * not, nor is an empty one where somebody is known to be there.
 */
export function assessUserList(list: UserList | undefined, others: OtherReads): UserListStatus {
  if (list === undefined) return { read: "not-read" };
  if (!list.complete.yes) return { read: "incomplete", why: list.complete.why };
  const why =
    foundButUnlisted(list, others.found) ?? unlistedMember(list, others) ?? emptyDespiteKnown(list, others.known);
  return why === undefined ? { read: "complete", by: "list" } : { read: "incomplete", why };
}

function foundButUnlisted(list: UserList, found: readonly ObservedUser[]): string | undefined {
  if (found.length === 0) return undefined;
  const identifiers = new Set(list.users.map(({ identifier }) => identifier));
  const addresses = new Set(list.users.map(({ address }) => address));
  const lacking = found.find(
    ({ identifier, address, status }) =>
      !addresses.has(address) &&
      !(identifier !== undefined && identifiers.has(identifier)) &&
      accountStatus(status) !== "deleted",
  );
  return lacking === undefined ? undefined : `a search found ${lacking.email}, but the list does not have them`;
}

/** People that a search found as well are left to the answer of the search, which shows more. */
function unlistedMember(list: UserList, { found, accounts }: OtherReads): string | undefined {
  const judged = new Set([...list.users, ...found].map(({ address }) => address));
  for (const account of accounts) {
    const lacking = presentMembers(account).find((address) => !judged.has(address));
    if (lacking !== undefined) return `the read "${account.by}" shows ${lacking}, but the list does not have them`;
  }
  return undefined;
}

function emptyDespiteKnown(list: UserList, known: AddressQuery | undefined): string | undefined {
  if (list.users.length > 0 || known === undefined) return undefined;
  return `it is empty, but ${known.sent} is known to exist`;
}

/** For each address that was asked for and is nobody's, whether that is proven: by its search, and by no read that says otherwise. */
export function proveAbsences(
  asked: readonly AddressQuery[],
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
