import type { EmailKey } from "../model/address.ts";
import { multimap } from "../model/collections.ts";
import { keyBelongsToTeam, type ObservedKey, shownOwnKey, shownTeam } from "../model/key.ts";
import { type DesiredMember, membershipKeyOf } from "../model/membership.ts";
import type { TeamKey } from "../model/recorded.ts";
import type { RoleSet } from "../model/role-set.ts";
import { type Roster, usersByAddress } from "../model/roster.ts";
import type { State } from "../model/state.ts";
import { type DesiredTeam, foldName, ownTeamKeys, teamAliases, teamKeyOf } from "../model/team.ts";
import type { DesiredUser } from "../model/user.ts";
import type { UserKey } from "./snapshot-index.ts";

/** Leads from what the service shows to what the roster says of it. */
export interface RosterIndex {
  /** The user that the roster means by the address, by a former one too. */
  userAt(address: EmailKey): DesiredUser | undefined;
  isLeaver(address: EmailKey): boolean;
  /** As a user or as a leaver. */
  isNamed(address: EmailKey): boolean;
  teamWithKey(key: TeamKey): DesiredTeam | undefined;
  keyOf(held: UserKey): KeyInRoster;
  /** The team of the roster whose key it is. */
  teamOf(key: ObservedKey): DesiredTeam | undefined;
}

/**
 * How the roster leads to a key. `managed`: it says which roles the key has. `named`: it names the key, or the place in which
 * somebody holds it, and leaves its roles alone. `unclear`: the service does not show what key it is.
 */
interface KeyInRoster {
  readonly is: "managed" | "named" | "unclear" | "unlisted";
  /** Where it is managed. */
  readonly roles?: RoleSet;
  /** The team in which its holder has the key, by the roster. */
  readonly team?: TeamKey;
}

interface IndexedTeam {
  readonly team: DesiredTeam;
  readonly names: ReadonlySet<string>;
  readonly recordKeys: readonly TeamKey[];
  readonly identifier: string | undefined;
  readonly isTwin: boolean;
  readonly members: ReadonlyMap<EmailKey, DesiredMember>;
}

export function indexRoster(roster: Roster, state: State): RosterIndex {
  const users = usersByAddress(roster);
  const listed = new Map(roster.keys.map(({ prefix, roles }) => [prefix, roles]));
  const byKey = new Map(roster.teams.map((team) => [team.key, team]));
  const teams = indexTeams(roster, state);
  const byName = multimap(teams.flatMap((known) => [...known.names].map((name) => [name, known] as const)));
  const byIdentifier = new Map(teams.map((known) => [known.identifier, known]));

  const teamsShownBy = (key: ObservedKey): readonly IndexedTeam[] => {
    const { identifier, name } = shownTeam(key) ?? {};
    const identified = identifier === undefined ? undefined : byIdentifier.get(identifier);
    const named = name === undefined ? [] : (byName.get(foldName(name)) ?? []);
    return [...(identified === undefined ? [] : [identified]), ...named].filter(
      (known) => keyBelongsToTeam(key, known) === "yes",
    );
  };

  /** The place that the person holds the key in, as the key shows it, a record knows it or the roster says it. */
  const placeOf = (key: ObservedKey, { address, account }: DesiredUser) => {
    const shown = teamsShownBy(key);
    const isHeldIn = ({ members, recordKeys }: IndexedTeam) =>
      members.get(address)?.key?.value === key.prefix ||
      recordKeys.some((team) => state.memberships.get(membershipKeyOf(team, address))?.prefix === key.prefix);
    const known =
      shown.find(({ team }) => team.account === account) ??
      shown[0] ??
      (key.team === undefined ? teams.find((one) => one.members.has(address) && isHeldIn(one)) : undefined);
    const member = known?.members.get(address);
    return known === undefined || member === undefined ? undefined : { team: known.team.key, roles: member.roles };
  };

  const isOwnKey = ({ key, holder }: UserKey, user: DesiredUser): boolean => {
    const record = state.users.get(user.address);
    const recorded = record?.createdTeam === undefined ? record?.key : undefined;
    return [shownOwnKey(holder)?.prefix, user.key?.value, recorded].includes(key.prefix);
  };

  return {
    userAt: (address) => users.get(address),
    isLeaver: (address) => roster.leavers.has(address),
    isNamed: (address) => users.has(address) || roster.leavers.has(address),
    teamWithKey: (key) => byKey.get(key),
    teamOf: (key) => teamsShownBy(key)[0]?.team,
    keyOf(held) {
      const { key, holder } = held;
      const user = users.get(holder.address);
      const place = user === undefined ? undefined : placeOf(key, user);
      const fixed = listed.get(key.prefix) ?? (roster.leavers.has(holder.address) ? [] : undefined);
      if (place !== undefined) return { ...managedBy(fixed ?? place.roles), team: place.team };
      if (fixed !== undefined) return managedBy(fixed);
      if (user !== undefined && isOwnKey(held, user)) return managedBy(user.ownKeyRoles?.value);
      const isUnclear = user !== undefined && key.team === undefined && key.kind === undefined;
      return { is: isUnclear ? "unclear" : "unlisted" };
    },
  };
}

function managedBy(roles: RoleSet | undefined): KeyInRoster {
  return roles === undefined ? { is: "named" } : { is: "managed", roles };
}

function indexTeams(roster: Roster, state: State): readonly IndexedTeam[] {
  const own = ownTeamKeys(roster.teams);
  return roster.teams.map((team) => {
    const { names, recordKeys } = teamAliases(team, own);
    const [recorded] = recordKeys.flatMap((key) => state.teams.get(key)?.identifier ?? []);
    return {
      team,
      names,
      recordKeys,
      identifier: team.identifier?.value ?? recorded,
      isTwin: team.key !== teamKeyOf(team.account, team.name),
      members: new Map(team.members.map((member) => [member.address, member])),
    };
  });
}
