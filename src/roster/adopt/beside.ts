import type { FoldedAddress } from "../../model/address.ts";
import { foldName } from "../../model/names.ts";
import type { Leaver, Roster, RosterTeam } from "../../model/roster.ts";
import type { ObservedUser } from "../../model/snapshot.ts";
import type { ImportedKey } from "./adoption.ts";
import { type ShownTeam, teamName } from "./gather-teams.ts";

/** What a roster that is there already says, so that nothing is said twice. */
export interface ExistingRoster {
  /** The address under which it names a person, by their address of today or a former one. */
  emailOf(user: ObservedUser): string | undefined;
  /** As whom it wants somebody to hold nothing. */
  leaverOf(user: ObservedUser): Leaver | undefined;
  /** The team of the roster that a team of the service is: by its identifier, else by its name. */
  teamOf(team: ShownTeam): RosterTeam | undefined;
  hasKey(key: ImportedKey): boolean;
}

export const noExistingRoster: ExistingRoster = {
  emailOf: () => undefined,
  leaverOf: () => undefined,
  teamOf: () => undefined,
  hasKey: () => false,
};

export function mergeWithRoster({ users, leavers, teams, keys }: Roster): ExistingRoster {
  const emails = new Map<FoldedAddress, string>();
  for (const { email, previously } of users.values()) for (const { value } of previously) emails.set(value, email);
  for (const { address, email } of users.values()) emails.set(address, email);
  const identified = new Map(
    teams.flatMap((team) => (team.identifier ? [[team.identifier.value, team] as const] : [])),
  );
  const unidentified = teams.filter(({ identifier }) => identifier === undefined);
  const prefixes = new Set(keys.map(({ prefix }) => prefix));
  return {
    emailOf: ({ address }) => emails.get(address),
    leaverOf: ({ address }) => leavers.get(address),
    teamOf: (team) => identified.get(team.identifier) ?? unidentified.find((one) => hasTeamName(one, team)),
    hasKey: ({ prefix }) => prefixes.has(prefix),
  };
}

function hasTeamName({ account, name, previously }: RosterTeam, team: ShownTeam): boolean {
  const names = [name, ...previously.map(({ value }) => value)].map(foldName);
  return account === team.account && names.includes(foldName(teamName(team)));
}

/** Who is in a team of the service and not in the roster's team, which no other file can say. */
export function missingMembersNote(
  wanted: RosterTeam,
  team: ShownTeam,
  emailOf: (user: ObservedUser) => string | undefined,
): readonly string[] {
  if (wanted.open) return [];
  const members = new Set(wanted.members.map(({ address }) => address));
  const lacking = team.holders.flatMap(({ user }) => (members.has(user.address) ? [] : (emailOf(user) ?? [])));
  if (lacking.length === 0) return [];
  const { file, line } = wanted.place;
  return [`The team ${wanted.name} (${file}:${line}) lacks ${lacking.join(", ")}: add them to its members there.`];
}
