import type { KeyLearned, RunEvent } from "../model/event.ts";
import type { Roster, RosterTeam } from "../model/roster.ts";
import { accountStatus, type ObservedUser, type Snapshot } from "../model/snapshot.ts";
import { emptyState, type State } from "../model/state.ts";
import { shownOwnKey, shownTeamKey } from "../model/team.ts";
import { applyEvents } from "./fold.ts";
import { peopleSeen, serviceLearned } from "./observed-events.ts";

/** What reading shows of the people and teams of a roster, as the events that a state begins with where the former one was lost. */
export function rebuildState(roster: Roster, snapshot: Snapshot, at: string): readonly RunEvent[] {
  const nothing = emptyState("");
  const seen = peopleSeen(roster, snapshot, nothing, { at, recreate: [] });
  const learned = serviceLearned(snapshot, nothing, at);
  const known = seen === undefined ? nothing : applyEvents(nothing, [seen]);
  return [...[seen, learned].filter((event) => event !== undefined), ...shownKeyEvents(roster, snapshot, known, at)];
}

/** The keys of those who are known for certain: of each team that the roster gives them, and their own where it can be told. */
function shownKeyEvents(roster: Roster, snapshot: Snapshot, known: State, at: string): readonly KeyLearned[] {
  const users = new Map(snapshot.users.filter(isNotDeleted).map((user) => [user.address, user]));
  const inTeams = roster.teams.flatMap((team) =>
    team.members.flatMap(({ address }) => {
      const user = known.users.has(address) ? users.get(address) : undefined;
      return user === undefined ? [] : keyInTeam(user, team, known, at);
    }),
  );
  const own = [...known.users.keys()].flatMap((address): readonly KeyLearned[] => {
    const prefix = shownOwnKey(users.get(address) ?? {})?.prefix;
    return prefix === undefined ? [] : [{ type: "key-learned", at, address, prefix }];
  });
  return [...inTeams, ...own];
}

function keyInTeam(
  user: ObservedUser,
  { key: team, name, identifier }: RosterTeam,
  known: State,
  at: string,
): readonly KeyLearned[] {
  const named = { team, name, identifier: identifier?.value ?? known.teams.get(team)?.identifier };
  const shown = shownTeamKey(user, named);
  if (shown.is !== "shown") return [];
  return [{ type: "key-learned", at, address: user.address, team, prefix: shown.key.prefix }];
}

function isNotDeleted({ status }: ObservedUser): boolean {
  return accountStatus(status) !== "deleted";
}
