import type { EmailKey } from "./address.ts";
import { capabilities, unreadField } from "./capabilities.ts";
import { type Group, groupBy } from "./collections.ts";
import * as t from "./declare.ts";
import type { Fact, ReadName } from "./fact.ts";
import { isDeleted } from "./key.ts";
import { type ObservedUser, observedUser, type PrivilegedKey } from "./user.ts";
import { address, name, text, time } from "./values.ts";

export type ReadRecord = t.Static<typeof readRecord>;
export const readRecord = t.object({
  at: t.described(time, "When it began."),
  request: t.described(text, "Its first request, with the number of addresses or rows in it."),
});

export type Absence = t.Static<typeof absence>;
export const absence = t.anyOf(
  t.object({ proven: t.literal(true), by: name }),
  t.object({ proven: t.literal(false), why: text }),
);

export const completeList = t.object({
  read: t.literal("complete"),
  by: t.described(name, "The read that showed them."),
});

/** Nothing is created on an incomplete list. */
export type UserListStatus = t.Static<typeof userList>;
export const userList = t.described(
  t.anyOf(
    completeList,
    t.object({ read: t.literal("incomplete"), why: text }),
    t.object("Only people of the roster were read.", { read: t.literal("not-read") }),
  ),
  "Whether the users were read completely.",
);

/** What a search for a user who is known to exist finds. */
export type SearchCheck = "found" | "found-among-others" | "not-found";

export type ObservedRole = t.Static<typeof observedRole>;
export const observedRole = t.object({ identifier: name, name: t.optional(text), type: t.optional(text) });

export type ObservedAccount = t.Static<typeof observedAccount>;
const observedAccount = t.object("An account, as its details show it.", {
  identifier: name,
  name: t.optional(text),
  status: t.optional(text),
  members: t.optional(t.list(address, { description: "Addresses of the account's users, if its details show them." })),
  deletedMembers: t.optional(t.list(address, { description: "Those that the details show as deleted." })),
  membersCut: t.optional(t.literal(true), "The details show fewer users than their total."),
  by: name,
});

export const reading = {
  service: t.described(name, "The address of the service."),
  readAt: t.described(time, "When the oldest read began."),
  times: t.optional(
    t.object("The same, at the earliest, by the clocks of servers that show their time.", {
      service: t.optional(time),
      store: t.optional(time),
    }),
  ),
  reads: t.integer({ minimum: 0, maximum: 9007199254740991, description: "The number of requests of the reading." }),
  capabilities: t.verbatim(capabilities),
  unread: t.optional(
    t.list(unreadField, { minItems: 1, maxItems: 32 }),
    "Fields of users and keys that roster does not read, but that look like keys, prefixes, roles or teams. Their JSON Pointers, never their values.",
  ),
  readings: t.named(
    "read",
    name,
    readRecord,
    "When each read began and what it asked, by the name of the read. A plan does not depend on it.",
  ),
  accounts: t.named("asked", t.described(name, "The identifier in the request."), observedAccount, "The accounts."),
  users: t.list(observedUser, "Every user, once."),
  absences: t.named(
    "address",
    address,
    absence,
    "Addresses that a search did not find, and if their absence is proven.",
  ),
};

/** What was read from the service in one run. A field that the service did not show is absent, never null. */
export interface Snapshot extends t.ObjectOf<typeof reading> {
  readonly roles: Fact<readonly ObservedRole[]>;
  readonly everyone: UserListStatus;
}

export function presentMembers({ members = [], deletedMembers }: ObservedAccount): readonly EmailKey[] {
  const deleted = new Set(deletedMembers);
  return deleted.size === 0 ? members : members.filter((address) => !deleted.has(address));
}

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
  readonly privileges?: readonly PrivilegedKey[] | undefined;
  readonly kept?: { readonly madeAt: string };
}
