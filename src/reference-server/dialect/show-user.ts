import type { Account, Key, Team, User } from "../entities.ts";
import { renderIdentifier } from "../knobs/identifiers.ts";
import { withOddities } from "../knobs/oddities.ts";
import { kindFields } from "../knobs/show-key-kinds.ts";
import { rolesField } from "../knobs/show-key-roles.ts";
import { keysField } from "../knobs/show-keys.ts";
import { type RenderedFor, teamField } from "../knobs/show-teams.ts";
import { renderStatus } from "../knobs/status-case.ts";
import { timeFields } from "../knobs/times.ts";
import { identityFields } from "../knobs/user-words.ts";
import type { Knobs } from "../knobs.ts";

/** A user as this service shows them, with these of their keys. */
export function renderUser(
  knobs: Knobs,
  user: User,
  shown: { readonly keys: Iterable<Key>; readonly on: RenderedFor },
): object {
  const keys = Array.from(shown.keys, (key) => renderKey(knobs, key, shown.on));
  return withOddities(knobs.oddities, { ...renderProfile(knobs, user), ...keysField(knobs.showKeys, keys) });
}

/** A user without keys. */
export function renderProfile(knobs: Knobs, user: User): object {
  const { firstName, lastName, title, externalIdentifier, source, createdAt } = user;
  return {
    ...renderUserReference(knobs, user),
    firstName,
    lastName,
    ...(knobs.showTitles === "yes" ? { title } : {}),
    externalIdentifier,
    source,
    ...timeFields(knobs.times, createdAt),
  };
}

/** A user by identifier, address and status alone. */
export function renderUserReference(knobs: Knobs, user: User): object {
  return identityFields(knobs.userWords, {
    identifier: renderIdentifier(knobs.identifiers, user.identifier),
    email: user.email,
    status: renderStatus(knobs.statusCase, user.status),
  });
}

export function renderKey(knobs: Knobs, key: Key, on: RenderedFor): object {
  return { ...renderMemberKey(knobs, key, on), ...kindFields(knobs.showKeyKinds, key) };
}

/** A key that does not say whether it is the user's own. */
export function renderMemberKey(knobs: Knobs, { prefix, status, kind, team, roles }: Key, on: RenderedFor): object {
  return {
    prefix,
    status: renderStatus(knobs.statusCase, status),
    ...kindFields(knobs.showKeyKinds, { kind }),
    ...teamField(knobs.showTeams, team === undefined ? null : renderTeam(knobs, team), on),
    ...rolesField(knobs.showKeyRoles, roles),
  };
}

/** The field of a team that was founded, where this service shows teams. */
export function foundedTeamField(knobs: Knobs, team: Team | undefined): object {
  return team === undefined ? {} : teamField(knobs.showTeams, renderTeam(knobs, team), "made");
}

export function renderTeam(knobs: Knobs, { identifier, name }: Team): { identifier: string | number; name: string } {
  return { identifier: renderIdentifier(knobs.identifiers, identifier), name };
}

export function renderAccount(knobs: Knobs, { identifier, name, status }: Account): object {
  return { identifier, name, status: renderStatus(knobs.statusCase, status) };
}
