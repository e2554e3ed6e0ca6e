import type { EmailKey } from "./address.ts";
import { byCodeUnit, groupBy } from "./collections.ts";
import { described, list, object, optional, type Static } from "./declare.ts";
import type { DesiredRoles, Located, Place, Reason } from "./fact.ts";
import { isDeleted, observedKey, shownTeam } from "./key.ts";
import { address, name, type Ownership, profile, profileFields, type RoleSet, team, text, time } from "./values.ts";

export interface DesiredUser extends Static<typeof profile> {
  readonly ownership?: Ownership | undefined;
  readonly address: EmailKey;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly account: string;
  readonly previously: readonly Located<EmailKey>[];
  /** The exact roles of the key that is created with a user who creates no team. */
  readonly ownKeyRoles?: DesiredRoles | undefined;
  /** The prefix of the key that came with the user. */
  readonly key?: Located<string> | undefined;
  /** The first day on which this person is a user, as in `2027-01-31` (UTC); it has not come yet. */
  readonly from?: Located<string> | undefined;
  /** The date from which on this person is a leaver, as in `2027-01-31` (UTC); it has not come yet. */
  readonly until?: Located<string> | undefined;
  /** Addresses that are near this one and somebody else's all the same. */
  readonly distinctFrom: readonly Located<EmailKey>[];
  readonly place: Place;
  /** The entry, then the defaults and the account that it takes. */
  readonly because: readonly Reason[];
}

/** Somebody who must hold nothing. A person whose `until` has come is one leaver for each known address. */
export interface Leaver {
  readonly ownership?: Ownership | undefined;
  readonly address: EmailKey;
  readonly email: string;
  /** Where they were a user; for somebody listed under `leavers`, the account of the file, where it has one. */
  readonly account?: string | undefined;
  readonly since?: string | undefined;
  /** Listed under `leavers`, or a user whose `until` has come. */
  readonly by: "leavers" | "until";
  readonly key?: Located<string> | undefined;
  /** The prefixes of their team keys, where places in teams that no longer count name them. */
  readonly teamKeys: readonly Located<string>[];
  readonly place: Place;
  /** The entry under `leavers`, or the `until` and the user whose it is. */
  readonly because: readonly Reason[];
}

/** Folded for comparison, and as the address is sent. */
export type AddressedUser = Pick<DesiredUser, "address" | "email">;

export type ObservedUser = Static<typeof observedUser>;
export const observedUser = object("A user, as the service shows it.", {
  identifier: optional(name),
  email: name,
  address,
  ...profileFields,
  /** Verbatim: `accountStatus` reads it in any letter case. */
  status: optional(text),
  account: optional(text),
  keys: optional(list(observedKey, { description: "Absent if the service does not show them." })),
  by: name,
});

export type RecordedUser = Static<typeof recordedUser>;
export const recordedUser = object("A person that a run created or saw.", {
  address: described(address, "The e-mail address folded for comparison."),
  email: name,
  account: name,
  identifier: optional(name),
  /** When our creation was answered; absent for people who were met, not created. */
  createdAt: optional(time),
  /** When a run last met them in the service. For people whom a run created: when a read first showed them. */
  seenAt: optional(time),
  goneAt: optional(time, "When a run first proved that the service no longer has them."),
  /** So that what a person allowed for the former user is not allowed once more. */
  formerRolesAt: optional(time, "When a run last set roles on a key of which nothing else is recorded."),
  key: optional(name, "The prefix of the key that the creation returned; never its secret part."),
  /** Then `key` is the key of that team. */
  createdTeam: optional(team, "The team that was created together with this user."),
  /** What our creation asked for and what the service made of it, by field name. */
  profile: optional(object({ sent: profile, answered: profile })),
});

export function uniqueUsers(users: readonly ObservedUser[]): ReadonlyMap<EmailKey, ObservedUser> {
  const byAddress = groupBy(users, ({ address }) => address);
  return new Map(
    [...byAddress].flatMap(([address, [user, another]]) => (another === undefined ? [[address, user]] : [])),
  );
}

export function byUserAddress(a: ObservedUser, b: ObservedUser): number {
  return byCodeUnit(a.address, b.address) || byCodeUnit(a.identifier ?? "", b.identifier ?? "");
}

export type PrivilegedKey = ReturnType<typeof privilegedKeys>[number];

/** With the privileged ones of their roles. */
export function privilegedKeys(users: readonly ObservedUser[], privileged: RoleSet) {
  return users.flatMap(({ address, keys = [] }) =>
    keys.flatMap((key) => {
      const roles: RoleSet = (key.roles ?? []).filter((role) => privileged.includes(role));
      if (roles.length === 0 || isDeleted(key)) return [];
      return [{ address, prefix: key.prefix, roles, team: shownTeam(key)?.name }];
    }),
  );
}
