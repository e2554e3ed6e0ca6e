import type { Account, Key, Role, Team, User } from "./entities.ts";

export interface RoleReference {
  readonly identifier: string;
}

export interface TeamReference {
  readonly identifier: string;
  readonly name: string;
}

/** A key without its secret, as an added member shows it. */
export interface TeamKeyView {
  readonly prefix: string;
  readonly status: string;
  readonly kind: Key["kind"];
  readonly team: TeamReference | null;
  readonly roles: readonly RoleReference[];
}

interface KeyView extends TeamKeyView {
  readonly isDefault: boolean;
}

export interface UserView {
  readonly identifier: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly title: string | null;
  readonly externalIdentifier: string | null;
  readonly source: string | null;
  readonly status: string;
  readonly accessKeys: readonly KeyView[];
}

export function showUser(user: User): UserView {
  return {
    identifier: user.identifier,
    email: user.email,
    firstName: user.firstName,
    lastName: user.lastName,
    title: user.title,
    externalIdentifier: user.externalIdentifier,
    source: user.source,
    status: user.status,
    accessKeys: Array.from(user.keys, (key) => ({ ...showTeamKey(key), isDefault: key.isDefault })),
  };
}

export function showTeamKey(key: Key): TeamKeyView {
  return {
    prefix: key.prefix,
    status: key.status,
    kind: key.kind,
    team: key.team === undefined ? null : showTeam(key.team),
    roles: showRoleReferences(key.roles),
  };
}

export function showTeam(team: Team): TeamReference {
  return { identifier: team.identifier, name: team.name };
}

export function showRoleReferences(roles: readonly string[]): readonly RoleReference[] {
  return roles.map((identifier) => ({ identifier }));
}

export function showAccount(account: Account): object {
  return { identifier: account.identifier, name: account.name, status: account.status };
}

export function showAccountDetails(account: Account): object {
  const users = account.users.map(({ identifier, email, status }) => ({ identifier, email, status }));
  return { ...showAccount(account), users };
}

export function showRole({ identifier, name, description, type }: Role): object {
  return { identifier, name, description, type };
}
