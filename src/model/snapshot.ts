import type { EmailKey } from "./address.ts";
import type { Capabilities, UnreadField } from "./capabilities.ts";
import type { Fact, ReadName } from "./fact.ts";
import { byCodeUnit, type Group, groupBy, type RoleSet } from "./role-set.ts";

/** What was read from the service in one run. A field that the service did not show is absent, never null. */
export interface Snapshot {
  /** The base address of the service. */
  readonly service: string;
  /** ISO 8601, when the oldest read of the snapshot began. */
  readonly readAt: string;
  /** The same by the clocks of servers that tell their time, at the earliest: ISO 8601. */
  readonly times?: { readonly service?: string; readonly store?: string };
  /** How many requests the snapshot took. */
  readonly reads: number;
  /** When each read began and what was asked, by its name. Not part of what a plan is made of. */
  readonly readings: ReadonlyMap<ReadName, ReadRecord>;
  readonly roles: Fact<readonly ObservedRole[]>;
  readonly accounts: ReadonlyMap<string, ObservedAccount>;
  /** Every user that any read showed, once. */
  readonly users: readonly ObservedUser[];
  /** For each address that was asked for and not found: whether its absence is proven. */
  readonly absences: ReadonlyMap<EmailKey, Absence>;
  readonly everyone: UserListStatus;
  readonly capabilities: Capabilities;
  /** Fields of users and keys that are not read, and look as if they should be. */
  readonly unread?: readonly UnreadField[];
}

/** One read of a run, which may have taken several requests. */
export interface ReadRecord {
  /** ISO 8601, when it began. */
  readonly at: string;
  /** The first request of it, such as `POST /api/accounting/users/search`, and how much was asked for. */
  readonly request: string;
}

export type Absence =
  | { readonly proven: true; readonly by: ReadName }
  | { readonly proven: false; readonly why: string };

/** Whether the users were read completely. Nothing is created or created on an incomplete list. */
export type UserListStatus =
  | { readonly read: "complete"; readonly by: ReadName }
  | { readonly read: "incomplete"; readonly why: string }
  | { readonly read: "not-read" };

export interface ObservedRole {
  readonly identifier: string;
  readonly name?: string;
  readonly type?: string;
}

export interface ObservedAccount {
  readonly identifier: string;
  readonly name?: string;
  readonly status?: string;
  /** Addresses of the account's users, where its details show them. */
  readonly members?: readonly EmailKey[];
  /** The status words of those members whose status is shown, verbatim. */
  readonly memberStatuses?: ReadonlyMap<EmailKey, string>;
  /** The details show fewer users than they count, or some without an address. */
  readonly membersCut?: true;
  readonly by: ReadName;
}

export interface ObservedUser {
  readonly identifier?: string;
  /** As the service writes it. */
  readonly email: string;
  readonly address: EmailKey;
  readonly firstName?: string;
  readonly lastName?: string;
  /** An empty value that the service showed as null is the empty string. */
  readonly title?: string;
  readonly externalIdentifier?: string;
  readonly source?: string;
  /** Verbatim; compared in any letter case by `userStanding`. */
  readonly status?: string;
  readonly account?: string;
  /** Absent where the service does not show the keys of users. */
  readonly keys?: readonly ObservedKey[];
  readonly by: ReadName;
}

export interface ObservedKey {
  readonly prefix: string;
  readonly status?: string;
  /** `team`, `project` or the service's own word; absent where that word does not tell whose key it is. */
  readonly kind?: string;
  /** `none` where the service says that the key belongs to no team; absent where it does not say. */
  readonly team?: ObservedTeam | "none";
  /** Absent where the service does not show the roles of keys. */
  readonly roles?: RoleSet;
  readonly isDefault?: boolean;
}

export interface ObservedTeam {
  readonly identifier?: string;
  readonly name?: string;
}

/** How a status word, in any letter case, bears on what can be done with its holder. */
export type AccountStatus = "active" | "pending" | "barred" | "deleted";

/** Unknown words are kept verbatim elsewhere and count as active: they are not ours to interpret. */
export function accountStatus(status: string | undefined): AccountStatus {
  switch (status?.trim().toLowerCase()) {
    case "invited":
    case "pending":
      return "pending";
    case "inactive":
    case "rejected":
    case "disabled":
      return "barred";
    case "deleted":
      return "deleted";
    default:
      return "active";
  }
}

/** The members that an account's details show, without those whom they show as deleted. */
export function presentMembers({ members = [], memberStatuses }: ObservedAccount): readonly EmailKey[] {
  if (memberStatuses === undefined) return members;
  // Thousands of members carry a few words.
  const deleted = new Set([...new Set(memberStatuses.values())].filter((status) => isDeleted({ status })));
  return deleted.size === 0 ? members : members.filter((address) => !deleted.has(memberStatuses.get(address) ?? ""));
}

/** Each address that the details of an account list, with that account. */
export function listedMembers(accounts: Iterable<ObservedAccount>): readonly (readonly [EmailKey, string])[] {
  return [...accounts].flatMap(({ identifier, members = [] }) => members.map((one) => [one, identifier] as const));
}

/** Users by address, without addresses that two of them share. */
export function uniqueUsers(users: readonly ObservedUser[]): ReadonlyMap<EmailKey, ObservedUser> {
  const byAddress = groupBy(users, ({ address }) => address);
  return new Map(
    [...byAddress].flatMap(([address, [user, another]]) => (another === undefined ? [[address, user]] : [])),
  );
}

/** Whether somebody is in the service, as far as the reads can tell. A deleted user is gone. */
export type Presence =
  | { readonly is: "present"; readonly users: Group<ObservedUser> }
  | { readonly is: "absent"; readonly by: ReadName }
  | { readonly is: "unknown"; readonly why: string };

/** Looks people up by address, in a snapshot that is arranged once. */
export function presenceLookup({ users, absences }: Snapshot): (address: EmailKey) => Presence {
  const living = groupBy(users, (user) => (isDeleted(user) ? undefined : user.address));
  const deleted = new Map(users.filter(isDeleted).map(({ address, by }) => [address, by]));
  return (address) => {
    const found = living.get(address);
    if (found !== undefined) return { is: "present", users: found };
    const by = deleted.get(address);
    if (by !== undefined) return { is: "absent", by };
    const absence = absences.get(address);
    if (absence === undefined) return { is: "unknown", why: "this run did not search for the address" };
    return absence.proven ? { is: "absent", by: absence.by } : { is: "unknown", why: absence.why };
  };
}

/** Whether the service shows a user or a key as deleted. */
export function isDeleted({ status }: Pick<ObservedKey, "status">): boolean {
  return accountStatus(status) === "deleted";
}

/** By address, then by identifier. */
export function byUserAddress(a: ObservedUser, b: ObservedUser): number {
  return byCodeUnit(a.address, b.address) || byCodeUnit(a.identifier ?? "", b.identifier ?? "");
}

/** How the service was read. */
export interface ReadSummary extends Pick<Snapshot, "service" | "readAt" | "everyone" | "capabilities" | "readings"> {
  /** Every key that was shown with a privileged role; absent of a plan that was saved. */
  readonly privileges?: readonly PrivilegedKey[];
  /** Where an earlier run has read it and kept it. */
  readonly kept?: { readonly madeAt: string };
}

/** A key with privileged roles, as the service shows it. */
export interface PrivilegedKey {
  readonly address: EmailKey;
  readonly prefix: string;
  /** The name of its team, where that is shown. */
  readonly team?: string;
  /** The privileged ones alone; never empty. */
  readonly roles: RoleSet;
}

/** Every key that was shown with a privileged role, before anything is done. */
export function privilegedKeys(users: readonly ObservedUser[], privileged: RoleSet): readonly PrivilegedKey[] {
  return users.flatMap(({ address, keys = [] }) =>
    keys.flatMap(({ prefix, roles = [], team, status }): readonly PrivilegedKey[] => {
      const carried = roles.filter((role) => privileged.includes(role));
      if (carried.length === 0 || accountStatus(status) === "deleted") return [];
      const name = team === undefined || team === "none" ? undefined : team.name;
      return [{ address, prefix, roles: carried, ...(name === undefined ? {} : { team: name }) }];
    }),
  );
}
