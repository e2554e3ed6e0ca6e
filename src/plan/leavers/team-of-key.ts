import type { TeamRef } from "../../model/action.ts";
import { observed, recorded } from "../../model/fact.ts";
import type { ObservedTeam } from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import { disambiguatedTeamKey, foldName, type TeamKey, teamKeyOf } from "../../model/team.ts";
import { observedAccount, type UserKey } from "../facts.ts";
import { teamCandidates } from "../observed-teams.ts";
import type { PlanContext } from "../question.ts";
import { showsTeam } from "../shown-keys.ts";
import type { KnownTeam, TeamIdentities } from "../team-identity.ts";

/** The team whose key a prefix is, as the service shows it, or by record where it does not show the key; undefined where nobody can say. */
export type TeamOfKeyLookup = (prefix: string) => TeamRef | undefined;

export function teamOfKeyLookup(teams: TeamIdentities, context: PlanContext): TeamOfKeyLookup {
  const known = [...teams.values()].filter((identity) => identity.is === "known");
  const byName = groupTeams(known, ({ names }) => [...names]);
  const byIdentifier = groupTeams(known, ({ identifier }) => [identifier]);
  const ofShown = (held: UserKey): TeamRef | undefined => {
    const { team } = held.key;
    if (team === undefined || team === "none") return undefined;
    const { identifier, name = "" } = team;
    const near = (identifier === undefined ? byName.get(foldName(name)) : byIdentifier.get(identifier)) ?? [];
    const [one, ...others] = near.filter((identity) => isKeyOfKnownTeam(identity, held, context));
    if (one === undefined) return teamShownByKey(held, team, { teams, context });
    return others.length === 0 ? one.ref : undefined;
  };
  const ofRecorded = recordedTeamLookup(known, context);
  return (prefix) => {
    const held = context.facts.keyPrefixed(prefix);
    return held === undefined ? ofRecorded(prefix) : ofShown(held);
  };
}

function groupTeams<Key>(
  known: readonly KnownTeam[],
  keysOf: (identity: KnownTeam) => readonly Key[],
): ReadonlyMap<Key, readonly KnownTeam[]> {
  const groups = new Map<Key, KnownTeam[]>();
  for (const identity of known) {
    for (const key of keysOf(identity)) groups.set(key, [...(groups.get(key) ?? []), identity]);
  }
  return groups;
}

/** A name alone does not tell teams of several accounts apart. */
function isKeyOfKnownTeam(identity: KnownTeam, { key, holder }: UserKey, { facts }: PlanContext): boolean {
  if (showsTeam(key, identity) !== "yes") return false;
  const account = observedAccount(holder, facts);
  const isSure = key.team !== "none" && key.team?.identifier !== undefined;
  return isSure || account === undefined || account === identity.team.account;
}

/** A team that the roster does not name, where enough of it is shown to tell it from every other. */
function teamShownByKey(
  { holder }: UserKey,
  { identifier, name }: ObservedTeam,
  { teams, context: { facts } }: { readonly teams: TeamIdentities; readonly context: PlanContext },
): TeamRef | undefined {
  const account = observedAccount(holder, facts);
  if (account === undefined || identifier === undefined || name === undefined) return undefined;
  const plain = teamKeyOf(account, name);
  const namesakes = teamCandidates(foldName(name), account, () => false, facts);
  const isTwin = teams.has(plain) || namesakes.length > 1;
  const team = isTwin ? disambiguatedTeamKey(account, name, identifier) : plain;
  return { team, name, account, identifier: observed(identifier, holder.by) };
}

function recordedTeamLookup(known: readonly KnownTeam[], { state }: PlanContext): TeamOfKeyLookup {
  const byRecord = groupTeams(known, ({ recordKeys }) => recordKeys);
  const memberships = [...state.memberships.values()];
  const teams = new Map(memberships.flatMap(({ prefix, team }) => (prefix === undefined ? [] : [[prefix, team]])));
  return (prefix) => {
    const team = teams.get(prefix);
    return team === undefined ? undefined : (byRecord.get(team)?.[0]?.ref ?? recordedTeamRef(team, state));
  };
}

function recordedTeamRef(key: TeamKey, { teams }: State): TeamRef | undefined {
  const record = teams.get(key);
  if (record?.identifier === undefined) return undefined;
  const { team, name, account, identifier, at } = record;
  return { team, name, account, identifier: recorded(identifier, at) };
}
