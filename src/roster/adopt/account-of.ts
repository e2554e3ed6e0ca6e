import type { FoldedAddress } from "../../model/address.ts";
import { accountStatus, type ObservedUser, type Snapshot } from "../../model/snapshot.ts";
import type { ImportInput } from "./adoption.ts";

/** Where everybody belongs, as far as the service says. */
export interface AccountResolver {
  of(user: ObservedUser): string | undefined;
  /** One sentence for each reason why people belong to none of the accounts that are adopted. */
  readonly remarks: readonly string[];
}

/**
 * The account that the service shows for a user; else the only one whose details list them; else, since details may leave
 * somebody out, the only one that is left.
 */
export function accountResolver(
  { users, accounts: read }: Snapshot,
  { accounts: adopted, areAll }: Pick<ImportInput, "accounts" | "areAll">,
): AccountResolver {
  const listing = new Map<FoldedAddress, string[]>();
  for (const { identifier, members } of read.values()) {
    for (const address of members ?? []) listing.set(address, [...(listing.get(address) ?? []), identifier]);
  }
  const possible = areAll ? adopted : adopted.filter((account) => read.get(account)?.members === undefined);
  const of = (user: ObservedUser): string | undefined => {
    if (user.account !== undefined) return user.account;
    const listed = listing.get(user.address) ?? [];
    return listed.length > 0 ? onlyOne(listed) : onlyOne(possible);
  };
  const unplaced = users.filter((user) => of(user) === undefined && accountStatus(user.status) !== "deleted");
  const several = unplaced.filter(({ address }) => listing.has(address));
  const unlisted = unplaced.filter(({ address }) => !listing.has(address));
  const hidden = possible.length > 1 ? unlisted : [];
  const elsewhere = possible.length > 1 ? 0 : unlisted.length;
  return {
    of,
    remarks: [
      ...unresolvedNote("The service lists in more than one account", several),
      ...unresolvedNote("The service does not show the account of", hidden),
      ...(elsewhere === 0 ? [] : [`The service shows ${elsewhere} more, whom it lists in none of these accounts.`]),
    ],
  };
}

function onlyOne(accounts: readonly string[]): string | undefined {
  return accounts.length === 1 ? accounts[0] : undefined;
}

function unresolvedNote(what: string, people: readonly ObservedUser[]): readonly string[] {
  if (people.length === 0) return [];
  const named = people.slice(0, 10).map(({ email }) => email);
  const more = people.length > named.length ? ` and ${people.length - named.length} more` : "";
  return [`${what} ${named.join(", ")}${more}.`];
}
