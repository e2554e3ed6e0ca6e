import { factValue } from "../model/fact.ts";
import type { ObservedTeam } from "../model/snapshot.ts";
import { foldName, type TeamKey, teamKeyOf } from "../model/team.ts";
import type { Account, Team, User } from "../reference-server/entities.ts";
import type { World } from "../reference-server/world.ts";
import type { KnownService } from "./ground.ts";
import { namedTeams } from "./named-teams.ts";

/** The teams of a world, as far as keys, the state and the plan name them. */
export interface SeededTeams {
  /** The team that a key of this owner shows. */
  of(shown: ObservedTeam, owner: User): Team;
  identified(identifier: string, name: string, at: { readonly account: Account; readonly admin: User }): Team;
}

/** A team is told by its identifier where one is known, else by its name in its owner's account. */
export function seedTeams(ground: KnownService, world: World): SeededTeams {
  const known = knownTeams(ground);
  const byName = new Map<TeamKey, Team>();

  function identified(identifier: string, name: string, at: { account: Account; admin: User }): Team {
    return world.teams.get(identifier) ?? noted(world.addTeam({ identifier, name, ...at }));
  }

  function noted(team: Team): Team {
    byName.set(teamKeyOf(team.account.identifier, team.name), team);
    return team;
  }

  return {
    identified,
    of({ identifier, name }, owner) {
      const at = { account: owner.account, admin: owner };
      if (identifier !== undefined) {
        const record = known.byIdentifier.get(identifier);
        const account = world.accounts.get(record?.account ?? "") ?? owner.account;
        return identified(identifier, name ?? record?.name ?? identifier, { account, admin: owner });
      }
      const key = teamKeyOf(owner.account.identifier, name ?? "");
      const learned = known.byKey.get(key);
      if (learned !== undefined) return identified(learned, name ?? "", at);
      return byName.get(key) ?? noted(world.addTeam({ name: name ?? "", ...at }));
    },
  };
}

interface KnownTeams {
  readonly byIdentifier: ReadonlyMap<string, { readonly name: string; readonly account: string }>;
  readonly byKey: ReadonlyMap<TeamKey, string>;
}

/** What the plan says of a team counts more than what the state remembers. */
function knownTeams({ state, plan }: KnownService): KnownTeams {
  const byIdentifier = new Map<string, { name: string; account: string }>();
  const byKey = new Map<TeamKey, string>();
  const named = namedTeams(plan).map((team) => ({ ...team, identifier: factValue(team.identifier) }));
  for (const { identifier, name, account } of [...state.teams.values(), ...named]) {
    if (identifier === undefined) continue;
    byIdentifier.set(identifier, { name, account });
    byKey.set(teamKeyOf(account, foldName(name)), identifier);
  }
  return { byIdentifier, byKey };
}
