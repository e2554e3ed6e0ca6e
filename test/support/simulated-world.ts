import { type EmailKey, foldAddress } from "../../src/model/address.ts";
import { roleSet } from "../../src/model/values.ts";
import { addressOf, emailOf, firstNameOf } from "./roster-builders.ts";

/** Everything that a simulated account service holds. Mutable: it is the world, not a value. */
export interface World {
  readonly accounts: Map<string, WorldAccount>;
  readonly users: WorldUser[];
  /** By team identifier. */
  readonly teams: Map<string, WorldTeam>;
  readonly roles: string[];
  /** Counts what was handed out, so that identifiers and prefixes are deterministic. */
  handedOut: number;
}

interface WorldAccount {
  readonly identifier: string;
  status?: string;
}

export interface WorldUser {
  readonly identifier: string;
  email: string;
  account: string;
  status: string;
  firstName: string;
  lastName: string;
  title?: string;
  externalIdentifier?: string;
  source?: string;
  readonly keys: WorldKey[];
}

export interface WorldKey {
  readonly prefix: string;
  status: string;
  readonly kind: "team" | "user" | "project";
  /** The identifier of the team that a team key belongs to. */
  readonly team?: string;
  roles: readonly string[];
  readonly isDefault: boolean;
}

export interface WorldTeam {
  readonly identifier: string;
  name: string;
  readonly account: string;
  readonly admin: string;
}

const worldRoles = ["TEAM_ROLE", "DEVELOPER", "DATA_SCIENTIST", "AUDITOR", "ACCOUNT_ADMIN", "PLATFORM_ADMIN"];

export function aWorld(parts: { accounts?: readonly string[]; roles?: readonly string[] } = {}): World {
  const accounts = (parts.accounts ?? ["acc-1"]).map((identifier) => [identifier, { identifier, status: "active" }]);
  return {
    accounts: new Map(accounts as [string, WorldAccount][]),
    users: [],
    teams: new Map(),
    roles: [...(parts.roles ?? worldRoles)],
    handedOut: 0,
  };
}

interface WorldParts extends NonNullable<Parameters<typeof aWorld>[0]> {
  readonly users?: Readonly<Record<string, Partial<Omit<WorldUser, "keys">>>>;
  /** By name, with members by name. Identified as t-NAME, unless it says otherwise. */
  readonly teams?: Readonly<
    Record<string, { identifier?: string; members?: readonly string[]; roles?: readonly string[] }>
  >;
}

/** A world of people who are called as `aUser` calls them, and of teams. */
export function aWorldOf({ users = {}, teams = {}, ...options }: WorldParts): World {
  const world = aWorld(options);
  for (const [name, parts] of Object.entries(users))
    putUser(world, { email: emailOf(name), firstName: firstNameOf(name), lastName: "Test", ...parts });
  for (const [name, { members = [], ...parts }] of Object.entries(teams)) {
    const known = members.map((member) => worldUser(world, member));
    putTeam(world, { name, identifier: `t-${name.toLowerCase()}`, members: known, ...parts });
  }
  return world;
}

export function worldUser(world: World, name: string): WorldUser {
  const user = userByAddress(world, addressOf(name));
  if (user === undefined) throw new Error(`${name} is not there`);
  return user;
}

/** Puts a user with an own key into the world, as a service would have had it before any run. */
export function putUser(world: World, user: Partial<Omit<WorldUser, "keys">> & { email: string }): WorldUser {
  const made: WorldUser = {
    account: "acc-1",
    status: "active",
    firstName: "Ada",
    lastName: "Lovelace",
    ...user,
    identifier: user.identifier ?? nextName(world, "u"),
    keys: [newKey(world, { kind: "user", roles: ["TEAM_ROLE"], isDefault: true })],
  };
  world.users.push(made);
  return made;
}

/** Puts a team into the world, with members who are there already. The first one is its administrator. */
export function putTeam(
  world: World,
  team: {
    name: string;
    identifier?: string;
    account?: string;
    members?: readonly WorldUser[];
    roles?: readonly string[];
  },
): WorldTeam {
  const identifier = team.identifier ?? nextName(world, "t");
  const admin = team.members?.[0]?.identifier ?? "somebody";
  const made: WorldTeam = { identifier, name: team.name, account: team.account ?? "acc-1", admin };
  world.teams.set(identifier, made);
  for (const member of team.members ?? []) giveTeamKey(world, member, identifier, team.roles ?? ["TEAM_ROLE"]);
  return made;
}

export function giveTeamKey(world: World, user: WorldUser, team: string, roles: readonly string[]): WorldKey {
  const key = newKey(world, { kind: "team", team, roles, isDefault: false });
  user.keys.push(key);
  return key;
}

export function newKey(world: World, key: Omit<WorldKey, "prefix" | "status">): WorldKey {
  return { ...key, prefix: nextName(world, "k"), status: "active", roles: roleSet(key.roles) };
}

export function nextName(world: World, letter: string): string {
  world.handedOut += 1;
  return `${letter}${world.handedOut}`;
}

export function userByAddress(world: World, address: EmailKey): WorldUser | undefined {
  return world.users.find((user) => foldAddress(user.email) === address);
}

/** A user named as a call names one: by identifier or by address. */
export function userNamed(world: World, name: string): WorldUser | undefined {
  return world.users.find((user) => user.identifier === name) ?? userByAddress(world, foldAddress(name));
}

export function keyByPrefix(world: World, prefix: string): WorldKey | undefined {
  for (const user of world.users) {
    const key = user.keys.find((held) => held.prefix === prefix);
    if (key !== undefined) return key;
  }
  return undefined;
}

export function teamKeyOfUser(user: WorldUser, team: string): WorldKey | undefined {
  return user.keys.find((key) => key.team === team && key.status !== "deleted");
}
