import type { FoldedAddress } from "../model/address.ts";
import type { ObservedAccount } from "../model/snapshot.ts";
import type { AddressQuery } from "./asked-addresses.ts";

/** Requests for a list beside its pages: the first page may have two numbers, and the last is followed by an empty one. */
const extraListRequests = 2;
const usersPerRequest = 100;

/**
 * Whether to read the list of users before anybody is searched for, where it may be needed for a team in any case. It then
 * spares the searches for all whom it shows, and costs its pages where the searches would have shown the team: it comes
 * first where it spares more than that. Without account details that show their users nobody knows how long it is.
 */
export function isListCheaper(asked: readonly AddressQuery[], accounts: ReadonlyMap<string, ObservedAccount>): boolean {
  const members = new Set<FoldedAddress>();
  for (const account of accounts.values()) {
    if (account.members === undefined) return false;
    for (const address of account.members) members.add(address);
  }
  const searches = Math.ceil(asked.filter(({ address }) => members.has(address)).length / usersPerRequest);
  const pages = Math.ceil(members.size / usersPerRequest) + extraListRequests;
  return searches > pages - searches;
}
