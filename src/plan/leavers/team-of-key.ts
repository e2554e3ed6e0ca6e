import type { TeamRef } from "../../model/action.ts";
import { observed, recorded } from "../../model/fact.ts";
import { disambiguatedTeamKey, foldName, type TeamKey, teamKeyOf } from "../../model/names.ts";
import type { ObservedTeam } from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import { accountShownFor, type HeldKey } from "../facts.ts";
import { candidatesNamed } from "../observed-teams.ts";
import type { Question } from "../question.ts";
import { showsTeam } from "../shown-keys.ts";
import type { KnownTeam, Teams } from "../team-identity.ts";

/** The team whose key a prefix is, as the service shows it, or by record where it does not show the key; undefined where nobody can say. */
export type TeamOfKey = (prefix: string) => TeamRef | undefined;

export function teamsOfKeys(teams: Teams, question: Question): TeamOfKey {
  const known = [...teams.values()].filter((identity) => identity.is === "known");
  const byName = grouped(known, ({ names }) => [...names]);
  const byIdentifier = grouped(known, ({ identifier }) => [identifier]);
  const ofShown = (held: HeldKey): TeamRef | undefined => {
    const { team } = held.key;
    if (team === undefined || team === "none") return undefined;
    const { identifier, name = "" } = team;
    const near = (identifier === undefined ? byName.get(foldName(name)) : byIdentifier.get(identifier)) ?? [];
    const [one, ...others] = near.filter((identity) => isHeldIn(identity, held, question));
    if (one === undefined) return shownTeam(held, team, { teams, question });
    return others.length === 0 ? one.ref : undefined;
  };
  const ofRecorded = teamsOfRecords(known, question);
  return (prefix) => {
    const held = question.facts.keyPrefixed(prefix);
    return held === undefined ? ofRecorded(prefix) : ofShown(held);
  };
}

function grouped<Key>(
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
function isHeldIn(identity: KnownTeam, { key, holder }: HeldKey, { facts }: Question): boolean {
  if (showsTeam(key, identity) !== "yes") return false;
  const account = accountShownFor(holder, facts);
  const isSure = key.team !== "none" && key.team?.identifier !== undefined;
  return isSure || account === undefined || account === identity.team.account;
}

/** A team that the roster does not name, where enough of it is shown to tell it from every other. */
function shownTeam(
  { holder }: HeldKey,
  { identifier, name }: ObservedTeam,
  { teams, question: { facts } }: { readonly teams: Teams; readonly question: Question },
): TeamRef | undefined {
  const account = accountShownFor(holder, facts);
  if (account === undefined || identifier === undefined || name === undefined) return undefined;
  const plain = teamKeyOf(account, name);
  const namesakes = candidatesNamed(foldName(name), account, () => false, facts);
  const isTwin = teams.has(plain) || namesakes.length > 1;
  const team = isTwin ? disambiguatedTeamKey(account, name, identifier) : plain;
  return { team, name, account, identifier: observed(identifier, holder.by) };
}

function teamsOfRecords(known: readonly KnownTeam[], { state }: Question): TeamOfKey {
  const byRecord = grouped(known, ({ recordKeys }) => recordKeys);
  const memberships = [...state.memberships.values()];
  const teams = new Map(memberships.flatMap(({ prefix, team }) => (prefix === undefined ? [] : [[prefix, team]])));
  return (prefix) => {
    const team = teams.get(prefix);
    return team === undefined ? undefined : (byRecord.get(team)?.[0]?.ref ?? recordedTeam(team, state));
  };
}

function recordedTeam(key: TeamKey, { teams }: State): TeamRef | undefined {
  const record = teams.get(key);
  if (record?.identifier === undefined) return undefined;
  const { team, name, account, identifier, at } = record;
  return { team, name, account, identifier: recorded(identifier, at) };
}
