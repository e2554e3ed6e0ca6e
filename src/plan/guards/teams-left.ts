import type { FoldedAddress } from "../../model/address.ts";
import type { Basis } from "../../model/fact.ts";
import { byCodeUnit } from "../../model/role-set.ts";
import { accountStatus, type ObservedUser } from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import { foldName, type TeamKey, teamKeyOf } from "../../model/team.ts";
import { observedAccount, type UserKey } from "../facts.ts";
import type { PlanContext } from "../question.ts";
import { observedBasis, recordedBasis, teamSubject } from "../subjects.ts";
import type { TeamIdentities } from "../team-identity.ts";

/** A team that is there, or was, and that no team of the roster is. */
export interface OrphanedTeam {
  readonly account: string;
  readonly name: string;
  readonly identifier?: string;
  readonly members: ReadonlySet<FoldedAddress>;
  readonly basis: Basis;
  readonly known: "recorded" | "shown";
}

/** Recorded teams first; a team that is shown as well is the recorded one, with those who are shown in it. */
export function findOrphanedTeams(context: PlanContext, teams: TeamIdentities): readonly OrphanedTeam[] {
  const { state } = context;
  const wanted = indexRosterTeams(teams);
  const shown = observedOrphans(context, wanted);
  const recorded = recordedOrphans(state, wanted).map((team) => {
    const members = shown.filter((one) => isSameTeam(one, team)).flatMap((one) => [...one.members]);
    return { ...team, members: new Set([...team.members, ...members]) };
  });
  return [...recorded, ...shown.filter((team) => !recorded.some((one) => isSameTeam(one, team)))];
}

function isSameTeam(one: OrphanedTeam, other: OrphanedTeam): boolean {
  if (one.identifier !== undefined && one.identifier === other.identifier) return true;
  return teamKeyOf(one.account, one.name) === teamKeyOf(other.account, other.name);
}

/** How the roster's teams are recorded and shown, under their former names as well. */
interface RosterTeamIndex {
  readonly keys: ReadonlySet<TeamKey>;
  readonly identifiers: ReadonlySet<string>;
  readonly names: ReadonlySet<TeamKey>;
}

function indexRosterTeams(teams: TeamIdentities): RosterTeamIndex {
  const all = [...teams.values()];
  return {
    keys: new Set(all.flatMap(({ recordKeys }) => recordKeys)),
    identifiers: new Set(all.flatMap((one) => (one.is === "known" ? [one.identifier] : []))),
    names: new Set(all.flatMap(({ team, names }) => [...names].map((name) => teamKeyOf(team.account, name)))),
  };
}

function recordedOrphans({ teams, memberships }: State, wanted: RosterTeamIndex): readonly OrphanedTeam[] {
  const members = new Map<TeamKey, Set<FoldedAddress>>();
  for (const { team, address } of memberships.values()) {
    members.set(team, (members.get(team) ?? new Set()).add(address));
  }
  const left = [...teams.values()].filter(
    ({ team, identifier }) =>
      !wanted.keys.has(team) && (identifier === undefined || !wanted.identifiers.has(identifier)),
  );
  return left
    .sort((a, b) => byCodeUnit(a.team, b.team))
    .map(({ team, account, name, identifier, at }) => ({
      account,
      name,
      ...(identifier === undefined ? {} : { identifier }),
      members: members.get(team) ?? new Set(),
      basis: recordedBasis(teamSubject(team), "present", at),
      known: "recorded",
    }));
}

/** The teams of keys that are not gone, in the order of their names. */
function observedOrphans(context: PlanContext, wanted: RosterTeamIndex): readonly OrphanedTeam[] {
  const { facts } = context;
  const left = new Map<string, OrphanedTeam & { readonly members: Set<FoldedAddress> }>();
  const held = [...facts.byTeamName].sort(([a], [b]) => byCodeUnit(a, b)).flatMap(([, keys]) => keys);
  for (const one of held) {
    const team = orphanShownBy(one, context, wanted);
    if (team === undefined) continue;
    const id = JSON.stringify([team.account, team.identifier ?? foldName(team.name)]);
    const known = left.get(id) ?? { ...team, members: new Set() };
    known.members.add(one.holder.address);
    left.set(id, known);
  }
  return [...left.values()];
}

function orphanShownBy(
  { holder, key }: UserKey,
  context: PlanContext,
  wanted: RosterTeamIndex,
): OrphanedTeam | undefined {
  const { team } = key;
  const account = accountOfHolder(holder, context);
  if (team === undefined || team === "none" || team.name === undefined || account === undefined) return undefined;
  const { name, identifier } = team;
  const isWanted =
    identifier === undefined ? wanted.names.has(teamKeyOf(account, name)) : wanted.identifiers.has(identifier);
  if (accountStatus(key.status) === "deleted" || isWanted) return undefined;
  const basis = observedBasis(teamSubject(teamKeyOf(account, name)), "present", holder.by);
  const left = { account, name, members: new Set<FoldedAddress>(), basis, known: "shown" } as const;
  return identifier === undefined ? left : { ...left, identifier };
}

/** Where the service does not show the accounts of users, the one that the roster or our records give them. */
function accountOfHolder(holder: ObservedUser, { facts, roster, state }: PlanContext): string | undefined {
  const { address } = holder;
  return observedAccount(holder, facts) ?? roster.users.get(address)?.account ?? state.users.get(address)?.account;
}
