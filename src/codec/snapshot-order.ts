import type { FoldedAddress } from "../model/address.ts";
import { byCodeUnit } from "../model/role-set.ts";
import type { ObservedAccount, ObservedUser, Snapshot } from "../model/snapshot.ts";
import { canonicalJson } from "./canonical-json.ts";

/** The same snapshot in the one order in which it is kept: how the service and the reads arranged it is of no matter. */
export function canonicalSnapshot(snapshot: Snapshot): Snapshot {
  const { roles, accounts, users, absences, readings } = snapshot;
  return {
    ...snapshot,
    ...(roles.known === "observed" ? { roles: { ...roles, value: sorted(roles.value) } } : {}),
    accounts: sortedMap(new Map([...accounts].map(([identifier, account]) => [identifier, canonicalAccount(account)]))),
    users: sorted(users.map(canonicalUser)),
    absences: sortedMap(absences),
    readings: sortedMap(readings),
  };
}

function canonicalAccount({ members, memberStatuses, ...account }: ObservedAccount): ObservedAccount {
  return {
    ...account,
    ...(members === undefined ? {} : { members: [...members].sort(byCodeUnit) }),
    ...(memberStatuses === undefined ? {} : { memberStatuses: sortedMap(memberStatuses) }),
  };
}

function canonicalUser({ keys, ...user }: ObservedUser): ObservedUser {
  return keys === undefined ? user : { ...user, keys: sorted(keys) };
}

interface Sortable {
  readonly address?: FoldedAddress;
  readonly identifier?: string;
  readonly prefix?: string;
}

/** By what names a thing, and only where that does not tell by all that it says. */
function sorted<T extends Sortable>(things: readonly T[]): readonly T[] {
  return [...things].sort(
    (a, b) => byCodeUnit(sortName(a), sortName(b)) || byCodeUnit(canonicalJson(a), canonicalJson(b)),
  );
}

function sortName({ address, identifier, prefix }: Sortable): string {
  return address ?? prefix ?? identifier ?? "";
}

function sortedMap<Key extends string, Value>(map: ReadonlyMap<Key, Value>): ReadonlyMap<Key, Value> {
  return new Map([...map].sort(([a], [b]) => byCodeUnit(a, b)));
}
