import { quoted } from "./responses/reply.ts";
import type { World } from "./world.ts";
import {
  type Account,
  accountAdmin,
  accountOfKey,
  active,
  foldEmail,
  isActive,
  type Key,
  type Role,
  systemOwner,
  type Team,
  teamRole,
  type User,
} from "./world.ts";

/**
 * What a server starts with. A list that is absent is as the default: one account `acc-1`, the built-in roles, nobody.
 * People are named by their address or identifier, accounts by their identifier.
 */
export interface Seed {
  readonly accounts?: readonly SeedAccount[];
  /** In place of the built-in ones; the roles that the service itself grants are always there. */
  readonly roles?: readonly SeedRole[];
  readonly users?: readonly SeedUser[];
  readonly teams?: readonly SeedTeam[];
  readonly keys?: readonly SeedKey[];
}

export interface SeedAccount {
  readonly identifier: string;
  /** The identifier where it is absent. */
  readonly name?: string;
  readonly status?: string;
}

export interface SeedRole {
  readonly identifier: string;
  readonly name?: string;
  readonly description?: string;
  readonly type?: Role["type"];
}

/** Gets a key of their own, as if created without a team, unless `keys` has one of the kind `user` for them. */
export interface SeedUser {
  readonly identifier?: string;
  /** The first account where it is absent. */
  readonly account?: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly title?: string;
  readonly externalIdentifier?: string;
  readonly source?: string;
  readonly status?: string;
}

export interface SeedTeam {
  readonly identifier?: string;
  /** The first account where it is absent. */
  readonly account?: string;
  readonly name: string;
  readonly admin: string;
  readonly members?: readonly SeedMember[];
}

/** A member with their team key. */
export interface SeedMember {
  readonly user: string;
  readonly prefix?: string;
  readonly secret?: string;
  /** TEAM_ROLE where it is absent. */
  readonly roles?: readonly string[];
  readonly status?: string;
}

export interface SeedKey {
  readonly prefix: string;
  readonly secret?: string;
  readonly owner: string;
  /** `project` where it is absent. */
  readonly kind?: "project" | "user";
  readonly roles: readonly string[];
  readonly status?: string;
}

/** The roles that the service itself speaks of; they are there whatever a seed says. */
const essentialRoles: readonly Role[] = [
  role(systemOwner, "System Owner", "Platform Administrator: manages every account.", "system"),
  role(accountAdmin, "Account Administrator", "Manages the users, teams and keys of one account.", "user"),
  role(teamRole, "Team Role", "Takes part in the work of a team.", "user"),
];

/** The roles of a service whose seed names none. @internal */
export const builtInRoles: readonly Role[] = [
  ...essentialRoles,
  role("DATA_SCIENTIST", "Data Scientist", "Trains and publishes models.", "user"),
  role("DEVELOPER", "Developer", "Runs jobs and reads their results.", "user"),
  role("AUDITOR", "Auditor", "Reads everything and changes nothing.", "user"),
  role("PROJECT", "Project", "Runs the jobs of one project.", "user"),
];

function role(identifier: string, name: string, description: string, type: Role["type"]): Role {
  return { identifier, name, description, type };
}

/** Puts a seed into an empty world. Returns what cannot be as it says; such a part is left out. */
export function loadSeed(seed: Seed, world: World): readonly SeedFault[] {
  const sowing = new SeedLoader(world);
  loadAccounts(sowing, seed);
  loadRoles(sowing, seed);
  loadUsers(sowing, seed);
  for (const [index, team] of (seed.teams ?? []).entries()) loadTeam(sowing, team, ["teams", index]);
  for (const [index, key] of (seed.keys ?? []).entries()) loadKey(sowing, key, ["keys", index]);
  return sowing.faults;
}

function loadAccounts(loader: SeedLoader, seed: Seed): void {
  const { world, faults } = loader;
  const accounts = seed.accounts ?? [{ identifier: "acc-1", name: "Acme" }];
  if (accounts.length === 0) faults.push({ path: ["accounts"], code: "bad-value", message: "There is no account" });
  for (const [index, { identifier, name = identifier, status = active }] of accounts.entries()) {
    if (!world.accounts.has(identifier)) world.addAccount(identifier, name, status);
    else loader.duplicate("account", identifier, ["accounts", index, "identifier"]);
  }
}

function loadRoles(loader: SeedLoader, seed: Seed): void {
  const { roles } = loader.world;
  for (const role of seed.roles === undefined ? builtInRoles : essentialRoles) roles.set(role.identifier, role);
  const named = new Set<string>();
  for (const [index, { identifier, name = identifier, description = "", type = "user" }] of (
    seed.roles ?? []
  ).entries()) {
    if (named.has(identifier)) loader.duplicate("role", identifier, ["roles", index, "identifier"]);
    named.add(identifier);
    roles.set(identifier, { identifier, name, description, type });
  }
}

function loadUsers(loader: SeedLoader, seed: Seed): void {
  const seeded = new Set((seed.keys ?? []).filter((key) => key.kind === "user").map((key) => foldEmail(key.owner)));
  for (const [index, wish] of (seed.users ?? []).entries()) {
    const user = loadUser(loader, wish, ["users", index]);
    if (user === undefined || seeded.has(foldEmail(user.email)) || seeded.has(foldEmail(user.identifier))) continue;
    loader.world.addKey({ kind: "user", owner: user, roles: [teamRole] });
  }
}

function loadUser(loader: SeedLoader, entry: SeedUser, path: SeedPath): User | undefined {
  const { world } = loader;
  const { identifier, email } = entry;
  const account = loader.account(entry.account, [...path, "account"]);
  const taken = identifier !== undefined && world.users.has(identifier);
  if (taken) loader.duplicate("user", identifier, [...path, "identifier"]);
  const known = world.userByAddress(email) !== undefined;
  if (known) loader.duplicate("user", email, [...path, "email"]);
  return account === undefined || taken || known ? undefined : world.addUser({ ...entry, account });
}

function loadTeam(loader: SeedLoader, entry: SeedTeam, path: SeedPath): void {
  const { world } = loader;
  const { identifier, name } = entry;
  const account = loader.account(entry.account, [...path, "account"]);
  const admin = loader.user(entry.admin, [...path, "admin"]);
  const taken = identifier !== undefined && world.teams.has(identifier);
  if (taken) loader.duplicate("team", identifier, [...path, "identifier"]);
  if (account === undefined || admin === undefined || taken) return;
  const team = world.addTeam({ identifier, account, name, admin });
  for (const [index, member] of (entry.members ?? []).entries()) {
    loadMember(loader, team, member, [...path, "members", index]);
  }
}

function loadMember(loader: SeedLoader, team: Team, entry: SeedMember, path: SeedPath): void {
  const { user: who, roles = [teamRole], ...key } = entry;
  const owner = loader.user(who, [...path, "user"]);
  const twice = owner !== undefined && team.members.has(owner);
  if (twice) loader.duplicate("member", who, [...path, "user"]);
  if (!loader.isKeyFree(entry, path) || owner === undefined || twice) return;
  loader.world.addKey({ ...key, kind: "team", owner, team, roles });
}

function loadKey(loader: SeedLoader, entry: SeedKey, path: SeedPath): void {
  const owner = loader.user(entry.owner, [...path, "owner"]);
  if (!loader.isKeyFree(entry, path) || owner === undefined) return;
  loader.world.addKey({ ...entry, kind: entry.kind ?? "project", owner, team: undefined });
}

/** Where in a seed: `["teams", 0, "admin"]`. */
export type SeedPath = readonly (string | number)[];

/** A part of a seed that cannot be as it says. */
export interface SeedFault {
  readonly path: SeedPath;
  readonly code: "bad-value" | "duplicate" | "unknown-name";
  /** One sentence. */
  readonly message: string;
}

/** A world that is being filled from a seed, and what was found wrong with the seed so far. */
class SeedLoader {
  readonly faults: SeedFault[] = [];
  readonly world: World;

  constructor(world: World) {
    this.world = world;
  }

  /** The account of that identifier; the first one where none is named. */
  account(identifier: string | undefined, path: SeedPath): Account | undefined {
    const [first] = this.world.accounts.values();
    const account = identifier === undefined ? first : this.world.accounts.get(identifier);
    if (account === undefined && identifier !== undefined) this.unknown("account", identifier, path);
    return account;
  }

  user(who: string, path: SeedPath): User | undefined {
    const user = this.world.user(who);
    if (user === undefined) this.unknown("user", who, path);
    return user;
  }

  /** False, with a fault for each reason, where the prefix is taken or a role is not there. */
  isKeyFree(wish: { readonly prefix?: string; readonly roles?: readonly string[] }, path: SeedPath): boolean {
    const before = this.faults.length;
    const { prefix, roles = [] } = wish;
    if (prefix !== undefined && this.world.keys.has(prefix)) this.duplicate("key", prefix, [...path, "prefix"]);
    for (const [index, role] of roles.entries()) {
      if (!this.world.roles.has(role)) this.unknown("role", role, [...path, "roles", index]);
    }
    return this.faults.length === before;
  }

  duplicate(what: string, value: string, path: SeedPath): void {
    this.faults.push({ path, code: "duplicate", message: `The ${what} ${quoted(value)} is named twice` });
  }

  unknown(what: string, value: string, path: SeedPath): void {
    this.faults.push({ path, code: "unknown-name", message: `There is no ${what} ${quoted(value)}` });
  }
}

/** The key of the administrator that a server has where its seed gives no administrator's secret. */
const fallbackKey = { prefix: "reference0admin0key0", secret: "dIm9rSnW3yEo7BtKuX2aQz5LcVh8PfGj" } as const;

const fallbackEmail = "root@reference.example";

/**
 * A key with which everything can be asked: the first Platform Administrator's of the seed whose secret is given,
 * else the first Account Administrator's, else that of a Platform Administrator who is added.
 */
export function administratorKey(seed: Seed, world: World): Key {
  const working = prefixesWithSecret(seed)
    .map((prefix) => world.keys.get(prefix))
    .filter((key) => key !== undefined && isUsableKey(key));
  return (
    working.find((candidate) => candidate?.roles.includes(systemOwner)) ??
    working.find((candidate) => candidate?.roles.includes(accountAdmin)) ??
    addAdministrator(world)
  );
}

function prefixesWithSecret(seed: Seed): readonly string[] {
  const members = (seed.teams ?? []).flatMap((team) => team.members ?? []);
  return [...(seed.keys ?? []), ...members].flatMap(({ prefix, secret }) =>
    prefix === undefined || secret === undefined ? [] : [prefix],
  );
}

function isUsableKey(key: Key): boolean {
  return isActive(key) && isActive(key.owner) && isActive(key.owner.account) && isActive(accountOfKey(key));
}

/** In the first account that is active, for in another no key works. */
function addAdministrator(world: World): Key {
  const accounts = [...world.accounts.values()];
  const account = accounts.find(isActive) ?? accounts[0];
  if (account === undefined) throw new Error("an administrator needs an account first");
  const owner =
    world.userByAddress(fallbackEmail) ??
    world.addUser({ account, email: fallbackEmail, firstName: "Platform", lastName: "Administrator" });
  const taken = world.keys.has(fallbackKey.prefix);
  return world.addKey({ ...(taken ? {} : fallbackKey), kind: "user", owner, roles: [systemOwner] });
}
