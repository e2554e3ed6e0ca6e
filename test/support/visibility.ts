import { foldAddress } from "../../src/model/address.ts";
import type { ObservedKey } from "../../src/model/key.ts";
import type { ObservedTeam } from "../../src/model/team.ts";
import type { ObservedUser } from "../../src/model/user.ts";
import { roleSet } from "../../src/model/values.ts";
import type { World, WorldKey, WorldUser } from "./simulated-world.ts";

/** What a simulated service does not show. The first group bears on reads and answers, the second on answers alone. */
export type Hidden =
  | "keys"
  | "roles"
  | "key-kinds"
  | "teams"
  | "team-identifiers"
  | "user-identifiers"
  | "user-accounts"
  | "user-profiles"
  | "account-members"
  | "created-key"
  | "created-team"
  | "created-identifier"
  | "created-profile"
  | "added-members"
  | "added-keys"
  | "replaced-roles";

export type Hides = ReadonlySet<Hidden>;

export function showUser(world: World, user: WorldUser, hides: Hides, by: string): ObservedUser {
  return {
    email: user.email,
    address: foldAddress(user.email),
    status: user.status,
    by,
    ...(hides.has("user-identifiers") ? {} : { identifier: user.identifier }),
    ...(hides.has("user-accounts") ? {} : { account: user.account }),
    ...(hides.has("user-profiles") ? {} : showProfile(user)),
    ...(hides.has("keys") ? {} : { keys: user.keys.map((key) => showKey(world, key, hides)) }),
  };
}

export function showProfile(user: WorldUser) {
  return {
    firstName: user.firstName,
    lastName: user.lastName,
    title: user.title ?? "",
    externalIdentifier: user.externalIdentifier ?? "",
    source: user.source ?? "",
  };
}

export function showKey(world: World, key: WorldKey, hides: Hides): ObservedKey {
  return {
    prefix: key.prefix,
    status: key.status,
    ...(hides.has("key-kinds") ? {} : { kind: key.kind }),
    isDefault: key.isDefault,
    ...(hides.has("teams") ? {} : { team: showTeam(world, key, hides) }),
    ...(hides.has("roles") ? {} : { roles: roleSet(key.roles) }),
  };
}

function showTeam(world: World, key: WorldKey, hides: Hides): ObservedTeam | "none" {
  if (key.team === undefined) return "none";
  const name = world.teams.get(key.team)?.name;
  return {
    ...(hides.has("team-identifiers") ? {} : { identifier: key.team }),
    ...(name === undefined ? {} : { name }),
  };
}
