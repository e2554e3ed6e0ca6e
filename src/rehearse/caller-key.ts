import { type Account, active, isActive, type Key, type User } from "../reference-server/entities.ts";
import { accountAdmin, systemOwner } from "../reference-server/known-roles.ts";
import type { World } from "../reference-server/world.ts";
import type { KnownService } from "./ground.ts";

/**
 * The key by which a rehearsal asks: the one in use where it is shown as an administrator's, so that what takes that from it is
 * felt; else one that no read shows and that may ask anything.
 */
export function callerKey({ keyInUse }: KnownService, world: World): Key {
  const own = keyInUse === undefined ? undefined : world.keys.get(keyInUse);
  if (own !== undefined && administers(own, world)) return own;
  const account = unlistedAccount("rehearsal");
  const owner: User = {
    identifier: "rehearsal",
    account,
    createdAt: 0,
    email: "rehearsal",
    firstName: "",
    lastName: "",
    title: null,
    externalIdentifier: null,
    source: null,
    status: active,
    keys: new Set(),
  };
  const key: Key = {
    prefix: world.keys.has("rehearsal") ? "rehearsal-caller" : "rehearsal",
    secret: "rehearsal",
    kind: "user",
    owner,
    team: undefined,
    isDefault: true,
    createdAt: 0,
    status: active,
    roles: [systemOwner],
    formerRoles: [],
  };
  world.keys.set(key.prefix, key);
  return key;
}

/** One in which people may be, and that no list of accounts shows. */
export function unlistedAccount(identifier: string): Account {
  return { identifier, name: identifier, status: active, users: [] };
}

/** An Account Administrator may ask everything only where everybody is in their account. */
function administers(key: Key, { userList }: World): boolean {
  if (!isActive(key) || !isActive(key.owner) || !isActive(key.owner.account)) return false;
  if (key.roles.includes(systemOwner)) return true;
  const own = key.team?.account ?? key.owner.account;
  return key.roles.includes(accountAdmin) && userList.every(({ account }) => account === own);
}
