import type { Intent } from "../../../src/model/recorded.ts";
import type { TeamThere } from "./records.ts";
import { foldTeamName } from "./service-log.ts";

/** Which teams of the service the keys of teams in events stand for. */
export interface TeamNames {
  learn(said: Intent | { readonly team: string; readonly identifier?: string | undefined }): void;
  isNamed(team: string): (one: TeamThere) => boolean;
}

export function teamNames(): TeamNames {
  const identifiers = new Map<string, Set<string>>();
  return {
    learn(said) {
      if (!("identifier" in said) || said.identifier === undefined) return;
      identifiers.set(said.team, (identifiers.get(said.team) ?? new Set()).add(said.identifier));
    },
    isNamed: (team) => (one) => {
      const key = `${one.account}/${foldTeamName(one.name)}`;
      const isNamed = team === key || team === `${key} ID ${one.identifier}`;
      return isNamed || identifiers.get(team)?.has(one.identifier) === true;
    },
  };
}
