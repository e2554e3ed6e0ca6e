import type { Roster } from "../../model/roster.ts";
import type { State } from "../../model/state.ts";
import { foldName } from "../../model/team.ts";
import type { ExplainTarget } from "../../report/explain/explanation.ts";

/** Whether the roster or the state names a thing, so that a plan reads it anyway. Of what nobody names, only the whole list of users can tell. */
export function isNamed(thing: ExplainTarget, roster: Roster, state: State): boolean {
  switch (thing.is) {
    case "user":
      return namedPeople(roster, state).has(thing.address);
    case "team": {
      const inRoster = roster.teams.flatMap(({ name, previously, identifier }) => [
        { name, identifier: identifier?.value },
        ...previously.map(({ value }) => ({ name: value, identifier: undefined })),
      ]);
      return [...inRoster, ...state.teams.values()].some(
        ({ name, identifier }) => identifier === thing.written || foldName(name) === foldName(thing.written),
      );
    }
    case "key":
      return namedPrefixes(roster, state).has(thing.prefix);
    case "role":
      // Whoever asks who has a role asks about everybody.
      return false;
    case "action":
    case "finding":
      return true;
  }
}

function namedPeople({ users, leavers }: Roster, state: State): ReadonlySet<string> {
  const former = [...users.values()].flatMap(({ previously }) => previously.map(({ value }) => value));
  return new Set<string>([...users.keys(), ...leavers.keys(), ...former, ...state.users.keys()]);
}

function namedPrefixes({ users, teams, keys }: Roster, state: State): ReadonlySet<string | undefined> {
  return new Set([
    ...keys.map(({ prefix }) => prefix),
    ...[...users.values()].map(({ key }) => key?.value),
    ...teams.flatMap(({ members }) => members.map(({ key }) => key?.value)),
    ...state.keys.keys(),
    ...[...state.users.values()].map(({ key }) => key),
    ...[...state.memberships.values()].map(({ prefix }) => prefix),
  ]);
}
