import type { FoldedAddress } from "../../model/address.ts";
import { type ObservedUser, type Snapshot, standing } from "../../model/snapshot.ts";

/** Where everybody belongs, as far as the service says. */
export interface Accounts {
  of(user: ObservedUser): string | undefined;
  /** One sentence for each reason why people belong to none of the accounts that are adopted. */
  readonly remarks: readonly string[];
}

/**
 * The account that the service shows for a user; else the only one whose details list them; else the only adopted one,
 * where its details list nobody.
 */
export function accountsOf({ users, accounts: read }: Snapshot, adopted: readonly string[]): Accounts {
  const listing = new Map<FoldedAddress, string[]>();
  for (const { identifier, members } of read.values()) {
    for (const address of members ?? []) listing.set(address, [...(listing.get(address) ?? []), identifier]);
  }
  const silent = adopted.filter((account) => read.get(account)?.members === undefined);
  const of = (user: ObservedUser): string | undefined => {
    if (user.account !== undefined) return user.account;
    const listed = listing.get(user.address) ?? [];
    return listed.length > 0 ? onlyOne(listed) : onlyOne(silent);
  };
  const unplaced = users.filter((user) => of(user) === undefined && standing(user.status) !== "deleted");
  const several = unplaced.filter(({ address }) => (listing.get(address) ?? []).length > 1);
  const hidden = silent.length > 1 ? unplaced.filter(({ address }) => !listing.has(address)) : [];
  return {
    of,
    remarks: [
      ...remark("The service lists these people in more than one account", several),
      ...remark("The service does not show the account of these people", hidden),
    ],
  };
}

function onlyOne(accounts: readonly string[]): string | undefined {
  return accounts.length === 1 ? accounts[0] : undefined;
}

function remark(why: string, people: readonly ObservedUser[]): readonly string[] {
  return people.length === 0 ? [] : [`${why}: ${people.map(({ email }) => email).join(", ")}.`];
}
