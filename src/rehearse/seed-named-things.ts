import type { ReplaceRoles } from "../model/action.ts";
import { factValue } from "../model/fact.ts";
import type { Account, Team, User } from "../reference-server/entities.ts";
import type { World } from "../reference-server/world.ts";
import type { KnownService } from "./ground.ts";
import { namedTeams } from "./named-teams.ts";
import { defaultKeyRoles, rememberedRoles } from "./seed-keys.ts";
import type { SeededTeams } from "./seed-teams.ts";

interface NamedSeedContext {
  readonly world: World;
  readonly teams: SeededTeams;
  /** Whoever holds what nobody is known to hold. */
  readonly somebody: User;
}

/** Teams and keys that the plan names, because the state or the roster knows them, and that no read shows. */
export function seedNamedResources(ground: KnownService, naming: NamedSeedContext): void {
  const { world, teams, somebody } = naming;
  for (const { identifier, name, account } of namedTeams(ground.plan)) {
    const known = factValue(identifier);
    const home = accountOrDefault(account, naming);
    if (known !== undefined) teams.identified(known, name, { account: home, admin: somebody });
  }
  for (const action of ground.plan.actions) {
    if (action.kind !== "replace-roles" || action.key.of !== "prefix") continue;
    const prefix = factValue(action.key.prefix);
    if (prefix === undefined || world.keys.has(prefix)) continue;
    const team = teamOfNamedKey(action, world);
    const owner = world.userByAddress(action.owner?.email ?? "") ?? somebody;
    const roles = rememberedRoles(prefix, ground.state) ?? factValue(action.before) ?? defaultKeyRoles(ground);
    world.addKey({ prefix, owner, team, roles, kind: team === undefined ? "project" : "team" });
  }
}

function teamOfNamedKey({ key }: ReplaceRoles, { teams }: World): Team | undefined {
  if (key.of === "own-key" || key.team === undefined) return undefined;
  return teams.get(factValue(key.team.identifier) ?? "");
}

function accountOrDefault(identifier: string, { world, somebody }: NamedSeedContext): Account {
  return world.accounts.get(identifier) ?? somebody.account;
}
