import type { Knobs } from "../knobs/registry.ts";
import type { Account, Key, Team, User } from "../world.ts";

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

interface RenderedIdentity {
  readonly identifier: unknown;
  readonly email: string;
  readonly status: string;
}

function identityFields(how: Knobs["userWords"], { identifier, email, status }: RenderedIdentity): object {
  switch (how) {
    case "plain":
      return { identifier, email, status };
    case "short":
      return { id: identifier, emailAddress: email, state: status };
    case "long":
      return { userIdentifier: identifier, username: email, active: status.toLowerCase() === "active" };
  }
}

/** An identifier as an answer shows it. */
function renderIdentifier(how: Knobs["identifiers"], identifier: string): string | number {
  return how === "numbers" && /^\d{1,15}$/u.test(identifier) ? Number(identifier) : identifier;
}

function renderStatus(how: Knobs["statusCase"], status: string): string {
  switch (how) {
    case "capitalised":
      return status;
    case "lower":
      return status.toLowerCase();
    case "upper":
      return status.toUpperCase();
  }
}

/** `at` is in milliseconds since the epoch. */
function timeFields(how: Knobs["times"], at: number): object {
  const iso = new Date(at).toISOString();
  const offset = iso.replace("Z", "+00:00");
  const basic = iso.replace("Z", "+0000");
  switch (how) {
    case "hidden":
      return {};
    case "z":
      return { createdAt: iso, updatedAt: iso, lastActiveDateTime: iso };
    case "offset":
      return { createdAt: offset, updatedAt: offset, lastActiveDateTime: offset };
    case "basic-offset":
      return { createdAt: basic, updatedAt: basic, lastActiveDateTime: basic };
    case "mixed":
      return { createdAt: basic, updatedAt: offset, lastActiveDateTime: null };
    case "epoch":
      return { createdAt: at, updatedAt: at, lastActiveDateTime: at };
  }
}

/** Changes how a user is shown, never who is meant. */
function withOddities(how: Knobs["oddities"], user: Readonly<Record<string, unknown>>): object {
  switch (how) {
    case "none":
      return user;
    case "extra-fields":
      return { ...user, ...unknownFields, visited: true, pictureURL: null, submittedJobs: 7 };
    case "nulls":
      return { ...user, status: null, title: null, source: null };
    case "missing-keys":
      return Object.fromEntries(Object.entries(user).filter(([, value]) => !Array.isArray(value) || value.length > 0));
  }
}

const unknownFields: object = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 7}');

function keysField(how: Knobs["showKeys"], keys: readonly object[]): object {
  return how === "none" ? {} : { [how]: keys };
}

function kindFields(how: Knobs["showKeyKinds"], key: { readonly kind: string; readonly isDefault?: boolean }): object {
  if (how === "none") return {};
  const { kind, isDefault } = key;
  return { [how]: kind, ...(isDefault === undefined ? {} : { isDefault }) };
}

function rolesField(how: Knobs["showKeyRoles"], roles: readonly string[]): object {
  switch (how) {
    case "objects":
      return { roles: roles.map((identifier) => ({ identifier })) };
    case "names":
      return { roles };
    case "null":
      return { roles: null };
    case "none":
      return {};
  }
}

interface RenderedTeam {
  readonly identifier: string | number;
  readonly name: string;
}

/** On what occasion something is shown: by a list or a search, or by the call that made it. */
type RenderedFor = "listed" | "made";

function teamField(how: Knobs["showTeams"], team: RenderedTeam | null, on: RenderedFor): object {
  switch (how) {
    case "full":
      return { team };
    case "identifier":
      return { team: team && { identifier: team.identifier } };
    case "name":
      return { team: team && { name: team.name } };
    case "text":
      return { team: team?.identifier ?? null };
    case "flat":
      return { teamIdentifier: team?.identifier ?? null, teamName: team?.name ?? null };
    case "teamId":
      return { teamId: team?.identifier ?? null };
    case "teamName":
      return { teamName: team?.name ?? null };
    case "created-only":
      return on === "made" ? { team } : {};
    case "none":
      return {};
  }
}
