import { quoted } from "./responses/reply.ts";
import type { Seed, SeedAccount, SeedKey, SeedMember, SeedTeam, SeedUser } from "./seed.ts";
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

/** The roles that the service itself speaks of; they are there whatever a seed says. */
const essentialRoles: readonly Role[] = [
  role(systemOwner, "System Owner", "Platform Administrator: manages every account.", "system"),
  role(accountAdmin, "Account Administrator", "Manages the users, teams and keys of one account.", "user"),
  role(teamRole, "Team Role", "Takes part in the work of a team.", "user"),
];

/** The roles of a service whose seed names none. */
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

/** Where in a seed: `["teams", 0, "admin"]`. */
export type SeedPath = readonly (string | number)[];

export interface SeedFault {
  readonly path: SeedPath;
  readonly code: "duplicate" | "unknown-name";
  /** One sentence. */
  readonly message: string;
}

/** Puts a seed into an empty world. Returns what cannot be as it says; such a part is left out. */
export function loadSeed(seed: Seed, world: World): readonly SeedFault[] {
  const { accounts = [{ identifier: "acc-1", name: "Acme" }], users = [], teams = [], keys = [] } = seed;
  const loader = new SeedLoader(world);
  for (const [index, account] of accounts.entries()) loader.addAccount(account, ["accounts", index]);
  loader.addRoles(seed.roles);
  const ownKeys = keys.filter(({ kind }) => kind === "user").map(({ owner }) => foldEmail(owner));
  for (const [index, user] of users.entries()) loader.addUser(user, new Set(ownKeys), ["users", index]);
  for (const [index, team] of teams.entries()) loader.addTeam(team, ["teams", index]);
  for (const [index, key] of keys.entries()) loader.addKey(key, ["keys", index]);
  return loader.faults;
}

class SeedLoader {
  readonly faults: SeedFault[] = [];
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  addAccount({ identifier, name = identifier, status = active }: SeedAccount, path: SeedPath): void {
    if (!this.#world.accounts.has(identifier)) this.#world.addAccount(identifier, name, status);
    else this.#duplicate("account", identifier, [...path, "identifier"]);
  }

  addRoles(named: Seed["roles"]): void {
    const { roles } = this.#world;
    for (const role of named === undefined ? builtInRoles : essentialRoles) roles.set(role.identifier, role);
    const before = new Set<string>();
    for (const [index, { identifier, name = identifier, description = "", type = "user" }] of (named ?? []).entries()) {
      if (before.has(identifier)) this.#duplicate("role", identifier, ["roles", index, "identifier"]);
      before.add(identifier);
      roles.set(identifier, { identifier, name, description, type });
    }
  }

  /** With a key of their own, unless the seed has one for them. */
  addUser(entry: SeedUser, ownersOfOwnKeys: ReadonlySet<string>, path: SeedPath): void {
    const { identifier, email } = entry;
    const account = this.#account(entry.account, [...path, "account"]);
    const taken = identifier !== undefined && this.#world.users.has(identifier);
    if (taken) this.#duplicate("user", identifier, [...path, "identifier"]);
    const known = this.#world.usersByAddress(email).length > 0;
    if (known) this.#duplicate("user", email, [...path, "email"]);
    if (account === undefined || taken || known) return;
    const owner = this.#world.addUser({ ...entry, account });
    const hasKey = ownersOfOwnKeys.has(foldEmail(email)) || ownersOfOwnKeys.has(foldEmail(owner.identifier));
    if (!hasKey) this.#world.addKey({ kind: "user", owner, roles: [teamRole] });
  }

  addTeam({ identifier, name, members = [], ...entry }: SeedTeam, path: SeedPath): void {
    const account = this.#account(entry.account, [...path, "account"]);
    const admin = this.#user(entry.admin, [...path, "admin"]);
    const taken = identifier !== undefined && this.#world.teams.has(identifier);
    if (taken) this.#duplicate("team", identifier, [...path, "identifier"]);
    if (account === undefined || admin === undefined || taken) return;
    const team = this.#world.addTeam({ identifier, account, name, admin });
    for (const [index, member] of members.entries()) this.#addMember(team, member, [...path, "members", index]);
  }

  #addMember(team: Team, entry: SeedMember, path: SeedPath): void {
    const { user, roles = [teamRole], ...key } = entry;
    const owner = this.#user(user, [...path, "user"]);
    const twice = owner !== undefined && team.members.has(owner);
    if (twice) this.#duplicate("member", user, [...path, "user"]);
    const isFree = this.#isKeyFree(entry, path);
    if (isFree && owner !== undefined && !twice) this.#world.addKey({ ...key, kind: "team", owner, team, roles });
  }

  addKey(entry: SeedKey, path: SeedPath): void {
    const owner = this.#user(entry.owner, [...path, "owner"]);
    const isFree = this.#isKeyFree(entry, path);
    if (isFree && owner !== undefined) this.#world.addKey({ ...entry, kind: entry.kind ?? "project", owner });
  }

  /** The first one where none is named. */
  #account(identifier: string | undefined, path: SeedPath): Account | undefined {
    const [first] = this.#world.accounts.values();
    if (identifier === undefined) return first;
    return this.#known("account", identifier, this.#world.accounts.get(identifier), path);
  }

  #user(who: string, path: SeedPath): User | undefined {
    return this.#known("user", who, this.#world.user(who), path);
  }

  /** False, with a fault for each reason, where the prefix is taken or a role is not there. */
  #isKeyFree({ prefix, roles = [] }: Pick<SeedMember, "prefix" | "roles">, path: SeedPath): boolean {
    const before = this.faults.length;
    if (prefix !== undefined && this.#world.keys.has(prefix)) this.#duplicate("key", prefix, [...path, "prefix"]);
    for (const [index, role] of roles.entries()) {
      this.#known("role", role, this.#world.roles.get(role), [...path, "roles", index]);
    }
    return this.faults.length === before;
  }

  #known<T>(what: string, value: string, found: T | undefined, path: SeedPath): T | undefined {
    const message = `There is no ${what} ${quoted(value)}`;
    if (found === undefined) this.faults.push({ path, code: "unknown-name", message });
    return found;
  }

  #duplicate(what: string, value: string, path: SeedPath): void {
    this.faults.push({ path, code: "duplicate", message: `The ${what} ${quoted(value)} is named twice` });
  }
}

/** The key of the administrator that a server has where its seed gives no administrator's secret. */
const fallbackKey = { prefix: "reference0admin0key0", secret: "dIm9rSnW3yEo7BtKuX2aQz5LcVh8PfGj" } as const;

const fallbackEmail = "root@reference.example";

/**
 * A key with which everything can be asked: the first Platform Administrator's of the seed whose secret is given,
 * else the first Account Administrator's, else that of a Platform Administrator who is added.
 */
export function administratorKey({ keys = [], teams = [] }: Seed, world: World): Key {
  const working = [...keys, ...teams.flatMap(({ members = [] }) => members)].flatMap(({ prefix, secret }) => {
    const key = prefix === undefined || secret === undefined ? undefined : world.keys.get(prefix);
    return key !== undefined && [key, key.owner, key.owner.account, accountOfKey(key)].every(isActive) ? [key] : [];
  });
  return (
    working.find(({ roles }) => roles.includes(systemOwner)) ??
    working.find(({ roles }) => roles.includes(accountAdmin)) ??
    addAdministrator(world)
  );
}

/** In the first account that is active, for in another no key works. */
function addAdministrator(world: World): Key {
  const accounts = [...world.accounts.values()];
  const account = accounts.find(isActive) ?? accounts[0];
  if (account === undefined) throw new Error("an administrator needs an account first");
  const owner =
    world.usersByAddress(fallbackEmail)[0] ??
    world.addUser({ account, email: fallbackEmail, firstName: "Platform", lastName: "Administrator" });
  const taken = world.keys.has(fallbackKey.prefix);
  return world.addKey({ ...(taken ? {} : fallbackKey), kind: "user", owner, roles: [systemOwner] });
}
