import { foldAddress } from "./address.ts";
import { byCodeUnit } from "./collections.ts";
import * as t from "./declare.ts";

declare const teamKey: unique symbol;

/** A team's sameness within a roster: its account and its folded name; with its identifier where two have that name. */
export type TeamKey = string & { readonly [teamKey]: true };

export const text = t.string();

export const name = t.string({ minLength: 1 });
/** Whatever it was read from: no other address is a person's. */
export const address = t.converted(name, undefined, foldAddress);
export const team = t.typed<TeamKey>(name);

export const time = t.described(t.string({ pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z$" }), "ISO 8601, in UTC.");

export const roles = t.converted(t.list(name, "Role identifiers, sorted."), undefined, roleSet);

/** `source`: the pipeline's system, such as `github`, or `os` for the user of the machine. */
export type Actor = t.Static<typeof actor>;
export const actor = t.object({ name: text, source: name });

export const person = t.object({ address, email: name });
export const people = t.list(person);

export type Profile = t.Static<typeof profile>;
export const profileFields = {
  firstName: t.optional(text),
  lastName: t.optional(text),
  title: t.optional(text),
  externalIdentifier: t.optional(text),
  source: t.optional(text),
};
export const profile = t.object(
  "The fields of a user, as sent or answered. An empty text means that the service showed the field as empty.",
  profileFields,
);
export const profileFieldNames = ["firstName", "lastName", "title", "externalIdentifier", "source"] as const;

/** Whose a thing of the roster is, and how people find it again. It is shown and recorded, and never sent to the service. */
export type Ownership = t.Static<typeof ownership>;
export const ownership = t.nonEmpty(
  t.object("Whose it is, as the roster says.", { owner: t.optional(name), note: t.optional(name) }),
);

export const declaredOwnership = t.inPlace(
  t.described(
    ownership,
    "Whose it is, as the roster says: the membership or the key, else the team, else the user. Absent where the roster says nothing. The plan ID does not depend on it.",
  ),
);

/** Role identifiers, compared exactly; sorted and without repetition, so that equal sets are equal lists. */
export type RoleSet = readonly string[];

export function roleSet(roles: Iterable<string>): RoleSet {
  return [...new Set(roles)].sort(byCodeUnit);
}

export const roleList = t.converted(t.list(t.string()), undefined, roleSet);

export function sameRoles(a: RoleSet, b: RoleSet): boolean {
  return a.length === b.length && a.every((role, index) => role === b[index]);
}

export function rolesWithout(roles: RoleSet, taken: RoleSet): RoleSet {
  return roles.filter((role) => !taken.includes(role));
}

export function formatRoles(roles: RoleSet): string {
  return roles.length === 0 ? "no roles" : roles.join(", ");
}

/** Roles that let their holder administer others: never granted in passing without being shown. */
export const defaultPrivilegedRoles: RoleSet = roleSet(["ACCOUNT_ADMIN", "PLATFORM_ADMIN", "SYSTEM_OWNER"]);
