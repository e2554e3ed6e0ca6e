import { accountOfKey, isActive, type Key } from "./entities.ts";
import { accountAdmin, systemOwner } from "./known-roles.ts";
import type { Seed } from "./seed-shape.ts";
import type { World } from "./world.ts";

/** The key of the administrator whom a server gets where its seed gives no administrator's secret. */
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
  if (account === undefined) throw new Error("an administrator was asked for before there was an account");
  const owner =
    world.userByAddress(fallbackEmail) ??
    world.addUser({ account, email: fallbackEmail, firstName: "Platform", lastName: "Administrator" });
  const taken = world.keys.has(fallbackKey.prefix);
  return world.addKey({ ...(taken ? {} : fallbackKey), kind: "user", owner, roles: [systemOwner] });
}
