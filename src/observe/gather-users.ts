import type { FoldedAddress } from "../model/address.ts";
import { byCodeUnit } from "../model/role-set.ts";
import type { ObservedAccount, ObservedUser } from "../model/snapshot.ts";

/**
 * Every user once, in the order of addresses. Of two reads of one user the later wins, field by field: what it does not show
 * stays as it was. Two identifiers under one address are two users.
 */
export function mergeReadUsers(readings: readonly (readonly ObservedUser[])[]): readonly ObservedUser[] {
  const gathering = new UserMerge();
  for (const reading of readings) for (const user of reading) gathering.add(user);
  return gathering.users.sort(byAddress);
}

class UserMerge {
  readonly users: ObservedUser[] = [];
  readonly #byIdentifier = new Map<string, number>();
  readonly #byAddress = new Map<FoldedAddress, number[]>();

  add(user: ObservedUser): void {
    const place = this.#placeOf(user);
    const earlier = place === undefined ? undefined : this.users[place];
    const at = place ?? this.users.length;
    this.users[at] = earlier === undefined ? user : { ...earlier, ...user };
    if (user.identifier !== undefined) this.#byIdentifier.set(user.identifier, at);
    const namesakes = this.#byAddress.get(user.address);
    if (namesakes === undefined) this.#byAddress.set(user.address, [at]);
    else if (!namesakes.includes(at)) namesakes.push(at);
  }

  /** The same identifier is the same user; without one on either side, the same address is. */
  #placeOf({ identifier, address }: ObservedUser): number | undefined {
    const known = identifier === undefined ? undefined : this.#byIdentifier.get(identifier);
    if (known !== undefined) return known;
    const namesakes = this.#byAddress.get(address) ?? [];
    return namesakes.find((at) => identifier === undefined || this.users[at]?.identifier === undefined);
  }
}

function byAddress(a: ObservedUser, b: ObservedUser): number {
  return byCodeUnit(a.address, b.address) || byCodeUnit(a.identifier ?? "", b.identifier ?? "");
}

/** Adds the account of users who do not show it themselves, where the details of exactly one account show them. */
export function withAccounts(
  users: readonly ObservedUser[],
  accounts: Iterable<ObservedAccount>,
): readonly ObservedUser[] {
  const accountOf = new Map<FoldedAddress, string | undefined>();
  for (const { identifier, members } of accounts) {
    for (const address of members ?? []) {
      const other = accountOf.has(address) && accountOf.get(address) !== identifier;
      accountOf.set(address, other ? undefined : identifier);
    }
  }
  return users.map((user) => {
    const account = user.account ?? accountOf.get(user.address);
    return account === undefined || user.account !== undefined ? user : { ...user, account };
  });
}
