import type { Account, Key, Team, User } from "../entities.ts";
import { shownIdentifier } from "../knobs/identifiers.ts";
import { odd } from "../knobs/oddities.ts";
import { kindFields } from "../knobs/show-key-kinds.ts";
import { rolesField } from "../knobs/show-key-roles.ts";
import { keysField } from "../knobs/show-keys.ts";
import { type Occasion, teamField } from "../knobs/show-teams.ts";
import { statusWord } from "../knobs/status-case.ts";
import { timeFields } from "../knobs/times.ts";
import { userFields } from "../knobs/user-words.ts";
import type { Knobs } from "../knobs.ts";

/** A user as this service shows them, with these of their keys. */
export function tellUser(
  knobs: Knobs,
  user: User,
  shown: { readonly keys: Iterable<Key>; readonly on: Occasion },
): object {
  const keys = Array.from(shown.keys, (key) => tellKey(knobs, key, shown.on));
  return odd(knobs.oddities, { ...tellPerson(knobs, user), ...keysField(knobs.showKeys, keys) });
}

/** A user without keys. */
export function tellPerson(knobs: Knobs, user: User): object {
  const { firstName, lastName, title, externalIdentifier, source, createdAt } = user;
  return {
    ...tellReference(knobs, user),
    firstName,
    lastName,
    ...(knobs.showTitles === "yes" ? { title } : {}),
    externalIdentifier,
    source,
    ...timeFields(knobs.times, createdAt),
  };
}

/** A user by identifier, address and status alone. */
export function tellReference(knobs: Knobs, user: User): object {
  return userFields(knobs.userWords, {
    identifier: shownIdentifier(knobs.identifiers, user.identifier),
    email: user.email,
    status: statusWord(knobs.statusCase, user.status),
  });
}

export function tellKey(knobs: Knobs, key: Key, on: Occasion): object {
  return { ...tellMemberKey(knobs, key, on), ...kindFields(knobs.showKeyKinds, key) };
}

/** A key that does not say whether it is the user's own. */
export function tellMemberKey(knobs: Knobs, { prefix, status, kind, team, roles }: Key, on: Occasion): object {
  return {
    prefix,
    status: statusWord(knobs.statusCase, status),
    ...kindFields(knobs.showKeyKinds, { kind }),
    ...teamField(knobs.showTeams, team === undefined ? null : tellTeam(knobs, team), on),
    ...rolesField(knobs.showKeyRoles, roles),
  };
}

/** The field of a team that was founded, where this service shows teams. */
export function foundedTeamField(knobs: Knobs, team: Team | undefined): object {
  return team === undefined ? {} : teamField(knobs.showTeams, tellTeam(knobs, team), "made");
}

export function tellTeam(knobs: Knobs, { identifier, name }: Team): { identifier: string | number; name: string } {
  return { identifier: shownIdentifier(knobs.identifiers, identifier), name };
}

export function tellAccount(knobs: Knobs, { identifier, name, status }: Account): object {
  return { identifier, name, status: statusWord(knobs.statusCase, status) };
}
