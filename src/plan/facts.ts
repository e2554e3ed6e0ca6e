import type { FoldedAddress } from "../model/address.ts";
import type { ReadName } from "../model/fact.ts";
import { byCodeUnit } from "../model/role-set.ts";
import type { ObservedKey, ObservedUser, Snapshot } from "../model/snapshot.ts";
import { foldName } from "../model/team.ts";
import { type RolesByKind, rolesByKind } from "./role-kinds.ts";

/** The snapshot, looked up by what the plan asks for. Independent of the order in which users were read. */
export interface SnapshotIndex {
  readonly people: ReadonlyMap<FoldedAddress, readonly ObservedUser[]>;
  userIdentifiedBy(identifier: string): ObservedUser | undefined;
  keyPrefixed(prefix: string): UserKey | undefined;
  /** Keys by the folded name of their team. */
  readonly byTeamName: ReadonlyMap<string, readonly UserKey[]>;
  /** Keys by the identifier of their team. */
  readonly byTeamIdentifier: ReadonlyMap<string, readonly UserKey[]>;
  /** Accounts whose details list the address. */
  readonly accountsListing: ReadonlyMap<FoldedAddress, readonly string[]>;
  /** Role identifiers that the service knows, by the kind of key that may carry them; absent where it did not say. */
  readonly rolesFor?: RolesByKind;
  /** The read that showed them. */
  readonly rolesBy?: ReadName;
}

export interface UserKey {
  readonly holder: ObservedUser;
  readonly key: ObservedKey;
}

export function indexSnapshot(snapshot: Snapshot): SnapshotIndex {
  const users = [...snapshot.users].sort(byAddressAndIdentifier);
  const held = users.flatMap((holder) => (holder.keys ?? []).map((key) => ({ holder, key })));
  const fold = foldedOnce();
  return {
    people: grouped(users, (user) => user.address),
    userIdentifiedBy: lookup(users, (user) => user.identifier),
    keyPrefixed: lookup(held, ({ key }) => key.prefix),
    byTeamName: grouped(held, ({ key }) => foldedTeamName(key, fold)),
    byTeamIdentifier: grouped(held, ({ key }) => teamIdentifier(key)),
    accountsListing: accountsListing(snapshot),
    ...(snapshot.roles.known === "unknown" ? {} : { rolesFor: rolesByKind(snapshot.roles.value, snapshot.users) }),
    ...(snapshot.roles.known === "observed" ? { rolesBy: snapshot.roles.by } : {}),
  };
}

/** The account that the service shows for a user, where it shows one. */
export function observedAccount(user: ObservedUser, facts: SnapshotIndex): string | undefined {
  if (user.account !== undefined) return user.account;
  const listing = facts.accountsListing.get(user.address) ?? [];
  return listing.length === 1 ? listing[0] : undefined;
}

function byAddressAndIdentifier(a: ObservedUser, b: ObservedUser): number {
  return (
    byCodeUnit(a.address, b.address) ||
    byCodeUnit(a.identifier ?? "", b.identifier ?? "") ||
    byCodeUnit(a.email, b.email)
  );
}

function foldedTeamName(key: ObservedKey, fold: (name: string) => string): string | undefined {
  if (key.team === undefined || key.team === "none" || key.team.name === undefined) return undefined;
  return fold(key.team.name);
}

function teamIdentifier(key: ObservedKey): string | undefined {
  return key.team === undefined || key.team === "none" ? undefined : key.team.identifier;
}

/** Thousands of keys carry a few names. */
function foldedOnce(): (name: string) => string {
  const folded = new Map<string, string>();
  return (name) => {
    const known = folded.get(name) ?? foldName(name);
    folded.set(name, known);
    return known;
  };
}

function accountsListing(snapshot: Snapshot): ReadonlyMap<FoldedAddress, readonly string[]> {
  const listings = [...snapshot.accounts.values()].flatMap((account) =>
    (account.members ?? []).map((address) => ({ address, account: account.identifier })),
  );
  const byAddress = new Map<FoldedAddress, string[]>();
  for (const { address, account } of listings) pushTo(byAddress, address, account);
  return byAddress;
}

function grouped<T, K>(items: readonly T[], keyOf: (item: T) => K | undefined): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key !== undefined) pushTo(groups, key, item);
  }
  return groups;
}

/** Indexed when it is first asked: most plans never ask. */
function lookup<T>(items: readonly T[], keyOf: (item: T) => string | undefined): (key: string) => T | undefined {
  let index: ReadonlyMap<string | undefined, T> | undefined;
  return (key) => {
    index ??= new Map(items.map((item) => [keyOf(item), item]));
    return index.get(key);
  };
}

function pushTo<K, V>(groups: Map<K, V[]>, key: K, value: V): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [value]);
  else group.push(value);
}
