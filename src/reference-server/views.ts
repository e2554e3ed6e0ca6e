import type { Key, Team, User } from "./entities.ts";

interface RoleReference {
  readonly identifier: string;
}

interface TeamReference {
  readonly identifier: string;
  readonly name: string;
}

/** A key without its secret, as an added member shows it. */
interface TeamKeyView {
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

export function viewUser(user: User): UserView {
  return {
    identifier: user.identifier,
    email: user.email,
    firstName: user.firstName,
    lastName: user.lastName,
    title: user.title,
    externalIdentifier: user.externalIdentifier,
    source: user.source,
    status: user.status,
    accessKeys: Array.from(user.keys, (key) => ({ ...viewTeamKey(key), isDefault: key.isDefault })),
  };
}

function viewTeamKey(key: Key): TeamKeyView {
  return {
    prefix: key.prefix,
    status: key.status,
    kind: key.kind,
    team: key.team === undefined ? null : viewTeam(key.team),
    roles: viewRoles(key.roles),
  };
}

function viewTeam(team: Team): TeamReference {
  return { identifier: team.identifier, name: team.name };
}

function viewRoles(roles: readonly string[]): readonly RoleReference[] {
  return roles.map((identifier) => ({ identifier }));
}
