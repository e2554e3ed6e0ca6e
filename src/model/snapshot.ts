import type { EmailKey } from "./address.ts";
import type { UnreadField } from "./capabilities.ts";
import { type Group, groupBy } from "./collections.ts";
import type { Static } from "./declare.ts";
import type { Fact, ReadName } from "./fact.ts";
import { isDeleted, type PrivilegedKey } from "./key.ts";
import type { absence, completeList, observedAccount, observedRole, readRecord } from "./observed.ts";
import type { Capabilities } from "./recorded.ts";
import type { ObservedUser } from "./user.ts";

/** What was read from the service in one run. A field that the service did not show is absent, never null. */
export interface Snapshot {
  readonly service: string;
  /** ISO 8601, when the oldest read of the snapshot began. */
  readonly readAt: string;
  /** The same by the clocks of servers that tell their time, at the earliest: ISO 8601. */
  readonly times?: { readonly service?: string; readonly store?: string };
  readonly reads: number;
  /** When each read began and what was asked, by its name. Not part of what a plan is made of. */
  readonly readings: ReadonlyMap<ReadName, ReadRecord>;
  readonly roles: Fact<readonly ObservedRole[]>;
  readonly accounts: ReadonlyMap<string, ObservedAccount>;
  readonly users: readonly ObservedUser[];
  /** For each address that was asked for and not found: whether its absence is proven. */
  readonly absences: ReadonlyMap<EmailKey, Absence>;
  readonly everyone: UserListStatus;
  readonly capabilities: Capabilities;
  /** Fields of users and keys that are not read, and look as if they should be. */
  readonly unread?: readonly UnreadField[];
}

export type ReadRecord = Static<typeof readRecord>;

export type Absence = Static<typeof absence>;

/** Whether the users were read completely. Nothing is created or created on an incomplete list. */
export type UserListStatus =
  | Static<typeof completeList>
  | { readonly read: "incomplete"; readonly why: string }
  | { readonly read: "not-read" };

export type ObservedRole = Static<typeof observedRole>;

export interface ObservedAccount extends Static<typeof observedAccount> {
  /** The status words of those members whose status is shown, verbatim. */
  readonly memberStatuses?: ReadonlyMap<EmailKey, string>;
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

/** Whether somebody is in the service, as far as the reads can tell. A deleted user is gone. */
export type Presence =
  | { readonly is: "present"; readonly users: Group<ObservedUser> }
  | { readonly is: "absent"; readonly by: ReadName }
  | { readonly is: "unknown"; readonly why: string };

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

export interface ReadSummary extends Pick<Snapshot, "service" | "readAt" | "everyone" | "capabilities" | "readings"> {
  /** Every key that was shown with a privileged role; absent of a plan that was saved. */
  readonly privileges?: readonly PrivilegedKey[];
  /** Where an earlier run has read it and kept it. */
  readonly kept?: { readonly madeAt: string };
}
