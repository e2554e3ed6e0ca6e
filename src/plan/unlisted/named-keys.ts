import type { FoldedAddress } from "../../model/address.ts";
import { foldName, membershipKeyOf, type TeamKey, teamKeyOf } from "../../model/names.ts";
import type { Roster, RosterMember, RosterTeam, RosterUser } from "../../model/roster.ts";
import { keyBelongsToTeam, shownOwnKey } from "../../model/shown-keys.ts";
import type { ObservedKey, ObservedUser } from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import { ownTeamKeys, teamAliases } from "../../model/team-names.ts";

/**
 * How the roster leads to a key. `managed`: it says which roles the key has. `named`: it names the key, or the place in which
 * somebody holds it, and leaves its roles alone. `unclear`: the service does not show what key it is.
 */
export type KeyNaming = "managed" | "named" | "unclear" | "unlisted";

/** Leads from what the service shows to what the roster says of it. */
export interface RosterNames {
  /** The user whom the roster means by the address, by a former one too. */
  userAt(address: FoldedAddress): RosterUser | undefined;
  isLeaver(address: FoldedAddress): boolean;
  naming(key: ObservedKey, holder: ObservedUser): KeyNaming;
  /** The team of the roster whose key it is. */
  teamOf(key: ObservedKey): RosterTeam | undefined;
}

interface KnownTeam {
  readonly team: RosterTeam;
  readonly names: ReadonlySet<string>;
  readonly identifier: string | undefined;
  readonly isTwin: boolean;
  readonly recordKeys: readonly TeamKey[];
  readonly members: ReadonlyMap<FoldedAddress, RosterMember>;
}

interface Ground {
  readonly state: State;
  readonly users: ReadonlyMap<FoldedAddress, RosterUser>;
  readonly teamsNamed: ReadonlyMap<string, readonly KnownTeam[]>;
  readonly teams: readonly KnownTeam[];
  readonly teamsIdentified: ReadonlyMap<string, KnownTeam>;
  readonly listed: ReadonlySet<string>;
}

export function rosterNames(roster: Roster, state: State): RosterNames {
  const ground = groundOf(roster, state);
  return {
    userAt: (address) => ground.users.get(address),
    isLeaver: (address) => roster.leavers.has(address),
    teamOf: (key) => teamsOf(key, ground).find((known) => isOf(key, known))?.team,
    naming(key, holder) {
      if (ground.listed.has(key.prefix)) return "managed";
      if (roster.leavers.has(holder.address)) return "managed";
      const user = ground.users.get(holder.address);
      return user === undefined ? "unlisted" : namingOf(key, holder, user, ground);
    },
  };
}

function groundOf(roster: Roster, state: State): Ground {
  const own = ownTeamKeys(roster.teams);
  const teams = roster.teams.map((team): KnownTeam => {
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
  const teamsNamed = new Map<string, KnownTeam[]>();
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

function namingOf(key: ObservedKey, holder: ObservedUser, user: RosterUser, ground: Ground): KeyNaming {
  const place = placeOf(key, user, ground);
  if (place !== undefined) return place.roles === undefined ? "named" : "managed";
  if (isOwn(key, holder, user, ground)) return user.ownKeyRoles === undefined ? "named" : "managed";
  return key.team === undefined && key.kind === undefined ? "unclear" : "unlisted";
}

/** The place in a team that the person holds the key in, as the key shows it, a record knows it or the roster says it. */
function placeOf(key: ObservedKey, { address, account }: RosterUser, ground: Ground): RosterMember | undefined {
  const shown = teamsOf(key, ground).filter((known) => isOf(key, known));
  const mine = shown.find(({ team }) => team.account === account) ?? shown[0];
  if (mine !== undefined) return mine.members.get(address);
  if (key.team !== undefined) return undefined;
  const { memberships } = ground.state;
  const holdsIt = ({ recordKeys, members }: KnownTeam) =>
    members.get(address)?.key?.value === key.prefix ||
    recordKeys.some((team) => memberships.get(membershipKeyOf(team, address))?.prefix === key.prefix);
  return ground.teams.find((known) => known.members.has(address) && holdsIt(known))?.members.get(address);
}

function teamsOf({ team }: ObservedKey, { teamsIdentified, teamsNamed }: Ground): readonly KnownTeam[] {
  if (team === undefined || team === "none") return [];
  const identified = team.identifier === undefined ? undefined : teamsIdentified.get(team.identifier);
  const named = team.name === undefined ? [] : (teamsNamed.get(foldName(team.name)) ?? []);
  return identified === undefined ? named : [identified, ...named];
}

function isOf(key: ObservedKey, { names, identifier, isTwin }: KnownTeam): boolean {
  return keyBelongsToTeam(key, { names, identifier, isTwin }) === "yes";
}

function isOwn({ prefix }: ObservedKey, holder: ObservedUser, user: RosterUser, { state }: Ground): boolean {
  const record = state.users.get(user.address);
  const recorded = record?.founded === undefined ? record?.key : undefined;
  return [shownOwnKey(holder)?.prefix, user.key?.value, recorded].includes(prefix);
}
