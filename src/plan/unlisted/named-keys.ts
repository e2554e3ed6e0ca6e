import type { FoldedAddress } from "../../model/address.ts";
import {
  ownTeamKeys,
  type Roster,
  type RosterMember,
  type RosterTeam,
  type RosterUser,
  teamAliases,
} from "../../model/roster.ts";
import type { ObservedKey, ObservedUser } from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import { foldName, keyBelongsToTeam, membershipKeyOf, shownOwnKey, type TeamKey, teamKeyOf } from "../../model/team.ts";

/**
 * How the roster leads to a key. `managed`: it says which roles the key has. `named`: it names the key, or the place in which
 * somebody holds it, and leaves its roles alone. `unclear`: the service does not show what key it is.
 */
export type KeyCoverage = "managed" | "named" | "unclear" | "unlisted";

/** Leads from what the service shows to what the roster says of it. */
export interface RosterIndex {
  /** The user whom the roster means by the address, by a former one too. */
  userAt(address: FoldedAddress): RosterUser | undefined;
  isLeaver(address: FoldedAddress): boolean;
  coverage(key: ObservedKey, holder: ObservedUser): KeyCoverage;
  /** The team of the roster whose key it is. */
  teamOf(key: ObservedKey): RosterTeam | undefined;
}

interface IndexedTeam {
  readonly team: RosterTeam;
  readonly names: ReadonlySet<string>;
  readonly identifier: string | undefined;
  readonly isTwin: boolean;
  readonly recordKeys: readonly TeamKey[];
  readonly members: ReadonlyMap<FoldedAddress, RosterMember>;
}

interface RosterLookup {
  readonly state: State;
  readonly users: ReadonlyMap<FoldedAddress, RosterUser>;
  readonly teamsNamed: ReadonlyMap<string, readonly IndexedTeam[]>;
  readonly teams: readonly IndexedTeam[];
  readonly teamsIdentified: ReadonlyMap<string, IndexedTeam>;
  readonly listed: ReadonlySet<string>;
}

export function indexRoster(roster: Roster, state: State): RosterIndex {
  const lookup = buildRosterLookup(roster, state);
  return {
    userAt: (address) => lookup.users.get(address),
    isLeaver: (address) => roster.leavers.has(address),
    teamOf: (key) => teamsShownBy(key, lookup).find((known) => isKeyOfTeam(key, known))?.team,
    coverage(key, holder) {
      if (lookup.listed.has(key.prefix)) return "managed";
      if (roster.leavers.has(holder.address)) return "managed";
      const user = lookup.users.get(holder.address);
      return user === undefined ? "unlisted" : coverageOfKey(key, holder, user, lookup);
    },
  };
}

function buildRosterLookup(roster: Roster, state: State): RosterLookup {
  const own = ownTeamKeys(roster.teams);
  const teams = roster.teams.map((team): IndexedTeam => {
    const { names, recordKeys } = teamAliases(team, own);
    const recorded = recordKeys.flatMap((key) => state.teams.get(key)?.identifier ?? []);
    return {
      team,
      names,
      recordKeys,
      identifier: team.identifier?.value ?? recorded[0],
      isTwin: team.key !== teamKeyOf(team.account, team.name),
      members: new Map(team.members.map((member) => [member.address, member])),
    };
  });
  const teamsNamed = new Map<string, IndexedTeam[]>();
  for (const known of teams) {
    for (const name of known.names) teamsNamed.set(name, [...(teamsNamed.get(name) ?? []), known]);
  }
  const identified = teams.flatMap((known) =>
    known.identifier === undefined ? [] : [[known.identifier, known] as const],
  );
  const users = [...roster.users.values()];
  return {
    state,
    users: new Map([
      ...users.flatMap((user) => user.previously.map(({ value }) => [value, user] as const)),
      ...users.map((user) => [user.address, user] as const),
    ]),
    teams,
    teamsNamed,
    teamsIdentified: new Map(identified),
    listed: new Set(roster.keys.map(({ prefix }) => prefix)),
  };
}

function coverageOfKey(key: ObservedKey, holder: ObservedUser, user: RosterUser, lookup: RosterLookup): KeyCoverage {
  const place = membershipByKey(key, user, lookup);
  if (place !== undefined) return place.roles === undefined ? "named" : "managed";
  if (isOwnKey(key, holder, user, lookup)) return user.ownKeyRoles === undefined ? "named" : "managed";
  return key.team === undefined && key.kind === undefined ? "unclear" : "unlisted";
}

/** The place in a team that the person holds the key in, as the key shows it, a record knows it or the roster says it. */
function membershipByKey(
  key: ObservedKey,
  { address, account }: RosterUser,
  lookup: RosterLookup,
): RosterMember | undefined {
  const shown = teamsShownBy(key, lookup).filter((known) => isKeyOfTeam(key, known));
  const mine = shown.find(({ team }) => team.account === account) ?? shown[0];
  if (mine !== undefined) return mine.members.get(address);
  if (key.team !== undefined) return undefined;
  const { memberships } = lookup.state;
  const holdsIt = ({ recordKeys, members }: IndexedTeam) =>
    members.get(address)?.key?.value === key.prefix ||
    recordKeys.some((team) => memberships.get(membershipKeyOf(team, address))?.prefix === key.prefix);
  return lookup.teams.find((known) => known.members.has(address) && holdsIt(known))?.members.get(address);
}

function teamsShownBy({ team }: ObservedKey, { teamsIdentified, teamsNamed }: RosterLookup): readonly IndexedTeam[] {
  if (team === undefined || team === "none") return [];
  const identified = team.identifier === undefined ? undefined : teamsIdentified.get(team.identifier);
  const named = team.name === undefined ? [] : (teamsNamed.get(foldName(team.name)) ?? []);
  return identified === undefined ? named : [identified, ...named];
}

function isKeyOfTeam(key: ObservedKey, { names, identifier, isTwin }: IndexedTeam): boolean {
  return keyBelongsToTeam(key, { names, identifier, isTwin }) === "yes";
}

function isOwnKey({ prefix }: ObservedKey, holder: ObservedUser, user: RosterUser, { state }: RosterLookup): boolean {
  const record = state.users.get(user.address);
  const recorded = record?.founded === undefined ? record?.key : undefined;
  return [shownOwnKey(holder)?.prefix, user.key?.value, recorded].includes(prefix);
}
