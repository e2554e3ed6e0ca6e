import { active, foldEmail, type Team, type User } from "./entities.ts";
import { builtInRoles, essentialRoles, teamRole } from "./known-roles.ts";
import type { Seed, SeedKey, SeedMember, SeedTeam, SeedUser } from "./seed-shape.ts";
import { type SeedFault, SeedLoader, type SeedPath } from "./sowing.ts";
import type { World } from "./world.ts";

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
  if (accounts.length === 0) faults.push({ path: ["accounts"], code: "seed-empty", message: "There is no account" });
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
