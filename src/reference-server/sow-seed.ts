import { active, foldEmail, type Team, type User } from "./entities.ts";
import { builtInRoles, essentialRoles, teamRole } from "./known-roles.ts";
import type { Seed, SeedKey, SeedMember, SeedTeam, SeedUser } from "./seed-shape.ts";
import { type SeedFault, type SeedPath, Sowing } from "./sowing.ts";
import type { World } from "./world.ts";

/** Puts a seed into an empty world. Returns what cannot be as it says; such a part is left out. */
export function sowSeed(seed: Seed, world: World): readonly SeedFault[] {
  const sowing = new Sowing(world);
  sowAccounts(sowing, seed);
  sowRoles(sowing, seed);
  sowUsers(sowing, seed);
  for (const [index, team] of (seed.teams ?? []).entries()) sowTeam(sowing, team, ["teams", index]);
  for (const [index, key] of (seed.keys ?? []).entries()) sowKey(sowing, key, ["keys", index]);
  return sowing.faults;
}

function sowAccounts(sowing: Sowing, seed: Seed): void {
  const { world, faults } = sowing;
  const accounts = seed.accounts ?? [{ identifier: "acc-1", name: "Acme" }];
  if (accounts.length === 0) faults.push({ path: ["accounts"], code: "seed-empty", message: "There is no account" });
  for (const [index, { identifier, name = identifier, status = active }] of accounts.entries()) {
    if (!world.accounts.has(identifier)) world.addAccount(identifier, name, status);
    else sowing.duplicate("account", identifier, ["accounts", index, "identifier"]);
  }
}

function sowRoles(sowing: Sowing, seed: Seed): void {
  const { roles } = sowing.world;
  for (const role of seed.roles === undefined ? builtInRoles : essentialRoles) roles.set(role.identifier, role);
  const named = new Set<string>();
  for (const [index, { identifier, name = identifier, description = "", type = "user" }] of (
    seed.roles ?? []
  ).entries()) {
    if (named.has(identifier)) sowing.duplicate("role", identifier, ["roles", index, "identifier"]);
    named.add(identifier);
    roles.set(identifier, { identifier, name, description, type });
  }
}

function sowUsers(sowing: Sowing, seed: Seed): void {
  const seeded = new Set((seed.keys ?? []).filter((key) => key.kind === "user").map((key) => foldEmail(key.owner)));
  for (const [index, wish] of (seed.users ?? []).entries()) {
    const user = sowUser(sowing, wish, ["users", index]);
    if (user === undefined || seeded.has(foldEmail(user.email)) || seeded.has(foldEmail(user.identifier))) continue;
    sowing.world.addKey({ kind: "user", owner: user, roles: [teamRole] });
  }
}

function sowUser(sowing: Sowing, wish: SeedUser, path: SeedPath): User | undefined {
  const { world } = sowing;
  const { identifier, email } = wish;
  const account = sowing.account(wish.account, [...path, "account"]);
  const taken = identifier !== undefined && world.users.has(identifier);
  if (taken) sowing.duplicate("user", identifier, [...path, "identifier"]);
  const known = world.userByAddress(email) !== undefined;
  if (known) sowing.duplicate("user", email, [...path, "email"]);
  return account === undefined || taken || known ? undefined : world.addUser({ ...wish, account });
}

function sowTeam(sowing: Sowing, wish: SeedTeam, path: SeedPath): void {
  const { world } = sowing;
  const { identifier, name } = wish;
  const account = sowing.account(wish.account, [...path, "account"]);
  const admin = sowing.user(wish.admin, [...path, "admin"]);
  const taken = identifier !== undefined && world.teams.has(identifier);
  if (taken) sowing.duplicate("team", identifier, [...path, "identifier"]);
  if (account === undefined || admin === undefined || taken) return;
  const team = world.addTeam({ identifier, account, name, admin });
  for (const [index, member] of (wish.members ?? []).entries()) {
    sowMember(sowing, team, member, [...path, "members", index]);
  }
}

function sowMember(sowing: Sowing, team: Team, wish: SeedMember, path: SeedPath): void {
  const { user: who, roles = [teamRole], ...key } = wish;
  const owner = sowing.user(who, [...path, "user"]);
  const twice = owner !== undefined && team.members.has(owner);
  if (twice) sowing.duplicate("member", who, [...path, "user"]);
  if (!sowing.keyFits(wish, path) || owner === undefined || twice) return;
  sowing.world.addKey({ ...key, kind: "team", owner, team, roles });
}

function sowKey(sowing: Sowing, wish: SeedKey, path: SeedPath): void {
  const owner = sowing.user(wish.owner, [...path, "owner"]);
  if (!sowing.keyFits(wish, path) || owner === undefined) return;
  sowing.world.addKey({ ...wish, kind: wish.kind ?? "project", owner, team: undefined });
}
