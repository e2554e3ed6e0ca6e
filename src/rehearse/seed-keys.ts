import { factValue } from "../model/fact.ts";
import type { RoleSet } from "../model/role-set.ts";
import type { ObservedKey, ObservedUser } from "../model/snapshot.ts";
import type { State } from "../model/state.ts";
import type { Key, Team, User } from "../reference-server/entities.ts";
import { teamRole } from "../reference-server/known-roles.ts";
import type { World } from "../reference-server/world.ts";
import type { KnownService } from "./ground.ts";
import type { SeededTeams } from "./seed-teams.ts";

export interface SeedContext {
  readonly ground: KnownService;
  readonly world: World;
  readonly teams: SeededTeams;
}

/** The keys that a user shows: those that are not deleted make members. */
export function seedKeys({ keys = [] }: ObservedUser, owner: User, seeding: SeedContext): void {
  for (const key of keys) seedKey(key, owner, seeding);
}

function seedKey(key: ObservedKey, owner: User, { ground, world, teams }: SeedContext): void {
  const { prefix, status, isDefault } = key;
  const team = key.team === undefined || key.team === "none" ? undefined : teams.of(key.team, owner);
  const roles = key.roles ?? rememberedRoles(prefix, ground.state) ?? defaultKeyRoles(ground);
  world.addKey({ prefix, status, isDefault, owner, team, roles, kind: keyKind(key, team) });
}

/** A kind that is not told, or told in the service's own words, is that of a user's own key. */
function keyKind({ kind }: ObservedKey, team: Team | undefined): Key["kind"] {
  if (team !== undefined || kind === "team") return "team";
  return kind === "project" ? "project" : "user";
}

/** What our last replacement left on a key. */
export function rememberedRoles(prefix: string, { keys }: State): RoleSet | undefined {
  const record = keys.get(prefix);
  return record?.readAs ?? record?.put;
}

export function defaultKeyRoles({ snapshot }: KnownService): RoleSet {
  const listed = factValue(snapshot.roles);
  return listed === undefined || listed.some(({ identifier }) => identifier === teamRole) ? [teamRole] : [];
}
