import type { FoldedAddress } from "../model/address.ts";
import type { Roster, RosterUser } from "../model/roster.ts";
import { isWithinOneEdit, localPartOf, oneEditSignatures } from "../model/similarity.ts";
import { type ObservedAccount, type ObservedUser, presentMembers } from "../model/snapshot.ts";
import type { AddressQuery } from "./asked-addresses.ts";

/**
 * Who is to be read so that nobody is created who is there under a near address: the people of the roster's accounts who
 * have one and whom the roster does not name. `everyone` where the details of an account do not show all its users.
 */
export function namesakesToRead(
  roster: Roster,
  users: readonly ObservedUser[],
  accounts: ReadonlyMap<string, ObservedAccount>,
): readonly AddressQuery[] | "everyone" {
  const there = new Set(users.map(({ address }) => address));
  const absent = [...roster.users.values()].filter(
    ({ address, account }) => accounts.has(account) && !there.has(address),
  );
  if (absent.length === 0) return [];
  const details = [...accounts.values()];
  if (details.some(({ members, membersCut }) => members === undefined || membersCut === true)) return "everyone";
  const named = new Set([...roster.users.values()].flatMap(allAddressesOf));
  const strangers = details.flatMap(presentMembers).filter((address) => !there.has(address) && !named.has(address));
  return similarAddresses(absent, strangers).map((address) => ({ address, sent: address }));
}

function allAddressesOf({ address, previously }: RosterUser): readonly FoldedAddress[] {
  return [address, ...previously.map(({ value }) => value)];
}

/** In the order of the addresses, each once. */
function similarAddresses(
  absent: readonly RosterUser[],
  strangers: readonly FoldedAddress[],
): readonly FoldedAddress[] {
  const byText = new Map<string, FoldedAddress[]>();
  for (const stranger of strangers) {
    for (const text of oneEditSignatures(localPartOf(stranger))) {
      const alike = byText.get(text);
      if (alike === undefined) byText.set(text, [stranger]);
      else alike.push(stranger);
    }
  }
  const near = absent.flatMap(({ address, distinctFrom }) => {
    const local = localPartOf(address);
    const apart = new Set(distinctFrom.map(({ value }) => value));
    const alike = [...oneEditSignatures(local)].flatMap((text) => byText.get(text) ?? []);
    return alike.filter((one) => !apart.has(one) && isWithinOneEdit(local, localPartOf(one)));
  });
  return [...new Set(near)].sort();
}
