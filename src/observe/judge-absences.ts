import type { FoldedAddress } from "../model/address.ts";
import {
  type Absence,
  accountStatus,
  type ObservedAccount,
  type ObservedUser,
  presentMembers,
  type UserListStatus,
} from "../model/snapshot.ts";
import type { UserList } from "../ports/account-service.ts";
import type { AddressQuery } from "./asked-addresses.ts";

/** What else was read beside the list. */
interface OtherReads {
  readonly found: readonly ObservedUser[];
  readonly accounts: Iterable<ObservedAccount>;
  readonly known: AddressQuery | undefined;
}

/**
 * Whether the users were read completely. A list that lacks somebody whom a search or the details of an account show is
 * not, nor is an empty one beside somebody who is known to be there.
 */
export function assessUserList(list: UserList | undefined, beside: OtherReads): UserListStatus {
  if (list === undefined) return { read: "not-read" };
  if (!list.complete.yes) return { read: "incomplete", why: list.complete.why };
  const why =
    foundButUnlisted(list, beside.found) ?? unlistedMember(list, beside) ?? emptyDespiteKnown(list, beside.known);
  return why === undefined ? { read: "complete", by: "list" } : { read: "incomplete", why };
}

function foundButUnlisted(list: UserList, found: readonly ObservedUser[]): string | undefined {
  const identifiers = new Set(list.users.map(({ identifier }) => identifier));
  const addresses = new Set(list.users.map(({ address }) => address));
  const lacking = found.find(
    ({ identifier, address, status }) =>
      !addresses.has(address) &&
      !(identifier !== undefined && identifiers.has(identifier)) &&
      accountStatus(status) !== "deleted",
  );
  return lacking === undefined ? undefined : `it lacks ${lacking.email}, whom a search found`;
}

/** Whom a search has found as well was judged by its more telling answer. */
function unlistedMember(list: UserList, { found, accounts }: OtherReads): string | undefined {
  const judged = new Set([...list.users, ...found].map(({ address }) => address));
  for (const account of accounts) {
    const lacking = presentMembers(account).find((address) => !judged.has(address));
    if (lacking !== undefined) return `it lacks ${lacking}, whom the read "${account.by}" shows`;
  }
  return undefined;
}

function emptyDespiteKnown(list: UserList, known: AddressQuery | undefined): string | undefined {
  if (list.users.length > 0 || known === undefined) return undefined;
  return `it is empty, and ${known.sent} is known to be there`;
}

/** For each address that was asked for and is nobody's, whether that is proven: by its search, and by no read that says otherwise. */
export function proveAbsences(
  asked: readonly AddressQuery[],
  read: {
    readonly users: readonly ObservedUser[];
    readonly misses: ReadonlyMap<FoldedAddress, Absence>;
    readonly everyone: UserListStatus;
    readonly accounts: Iterable<ObservedAccount>;
  },
): ReadonlyMap<FoldedAddress, Absence> {
  const present = new Set(read.users.map(({ address }) => address));
  const listedBy = new Map<FoldedAddress, string>();
  for (const { members, by } of read.accounts) for (const address of members ?? []) listedBy.set(address, by);
  const absences = new Map<FoldedAddress, Absence>();
  for (const { address } of asked) {
    if (present.has(address)) continue;
    absences.set(address, absenceOf(read.misses.get(address), listedBy.get(address), read.everyone));
  }
  return absences;
}

function absenceOf(miss: Absence | undefined, listedBy: string | undefined, everyone: UserListStatus): Absence {
  if (everyone.read === "incomplete") return { proven: false, why: `the list of users is incomplete: ${everyone.why}` };
  if (listedBy !== undefined)
    return { proven: false, why: `the read "${listedBy}" shows this address, and a search does not` };
  return miss ?? { proven: false, why: "it was not searched for" };
}
