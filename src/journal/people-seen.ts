import type { FoldedAddress } from "../model/address.ts";
import type { PeopleSeen } from "../model/event.ts";
import type { Roster, RosterTeam } from "../model/roster.ts";
import { accountStatus, type ObservedUser, type Snapshot } from "../model/snapshot.ts";
import type { RecordedUser, State } from "../model/state.ts";
import { foldName, shownTeams } from "../model/team.ts";

/**
 * The people and teams of the roster, leavers among them, whom the snapshot shows and whom the state does not know as such yet:
 * once they are known, their absence is a finding and never a reason to create them.
 */
export function peopleSeen(
  roster: Roster,
  snapshot: Snapshot,
  state: State,
  said: { readonly at: string; readonly recreate: readonly FoldedAddress[] },
): PeopleSeen | undefined {
  const { at, recreate } = said;
  const people = newPeople(roster, snapshot, state, recreate);
  const teams = newTeams(roster, snapshot, state);
  if (people.length + teams.length === 0) return undefined;
  return { type: "people-seen", at, service: snapshot.service, people, teams };
}

function newPeople(
  roster: Roster,
  snapshot: Snapshot,
  state: State,
  recreate: readonly FoldedAddress[],
): PeopleSeen["people"] {
  const shown = uniqueByAddress(snapshot.users);
  return [...roster.users.values(), ...roster.leavers.values()].flatMap(({ address, email, account: wanted }) => {
    const user = shown.get(address);
    const account = wanted ?? user?.account;
    if (user === undefined || account === undefined || accountStatus(user.status) === "deleted") return [];
    const known = state.users.get(address);
    if (known !== undefined && isKnownUser(known, user, recreate)) return [];
    return [{ address, email, account, ...(user.identifier === undefined ? {} : { identifier: user.identifier }) }];
  });
}

/** Where another user has the address now, only a person's word makes them known in place of the former one. */
function isKnownUser(known: RecordedUser, user: ObservedUser, recreate: readonly FoldedAddress[]): boolean {
  if (user.identifier === undefined || known.identifier === user.identifier) return true;
  return known.identifier !== undefined && !recreate.includes(known.address);
}

/** Users by address, without addresses that two of them share. */
function uniqueByAddress(users: readonly ObservedUser[]): ReadonlyMap<FoldedAddress, ObservedUser> {
  const seen = new Map<FoldedAddress, ObservedUser>();
  const shared = new Set<FoldedAddress>();
  for (const user of users) {
    if (seen.has(user.address)) shared.add(user.address);
    seen.set(user.address, user);
  }
  for (const address of shared) seen.delete(address);
  return seen;
}

function newTeams(roster: Roster, snapshot: Snapshot, state: State): PeopleSeen["teams"] {
  const shown = uniqueByAddress(snapshot.users);
  const uses = new Map<string, number>();
  for (const name of roster.teams.flatMap(foldedTeamNames)) uses.set(name, (uses.get(name) ?? 0) + 1);
  return roster.teams.flatMap((team) => {
    if (team.identifier !== undefined || uses.get(foldName(team.name)) !== 1) return [];
    const names = foldedTeamNames(team).filter((name) => uses.get(name) === 1);
    const identifier = shownTeamIdentifier(team, names, shown);
    if (identifier === undefined || state.teams.get(team.key)?.identifier === identifier) return [];
    return [{ team: team.key, name: team.name, account: team.account, identifier }];
  });
}

/** The team's own name first, each folded and once. */
function foldedTeamNames({ name, previously }: RosterTeam): readonly string[] {
  return [...new Set([name, ...previously.map(({ value }) => value)].map(foldName))];
}

/** The identifier that the keys of the team's own members give to the first of its names that they show, if it is one. */
function shownTeamIdentifier(
  team: RosterTeam,
  names: readonly string[],
  shown: ReadonlyMap<FoldedAddress, ObservedUser>,
): string | undefined {
  const held = team.members.flatMap(({ address }) => shownTeams(shown.get(address)?.keys ?? []));
  const shownAs = names.map((wanted) => held.filter(({ name }) => name !== undefined && foldName(name) === wanted));
  const [namesakes = []] = shownAs.filter((some) => some.length > 0);
  const identifiers = new Set(namesakes.map(({ identifier }) => identifier));
  return identifiers.size === 1 ? namesakes[0]?.identifier : undefined;
}
