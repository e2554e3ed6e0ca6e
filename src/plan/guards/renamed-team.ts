import type { EmailKey } from "../../model/address.ts";
import { byCodeUnit } from "../../model/role-set.ts";
import { knownAddresses, type Roster, type RosterTeam } from "../../model/roster.ts";
import { accountStatus, type ObservedUser } from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import { type Basis, observedBasis, recordedBasis, teamSubject } from "../../model/subject.ts";
import { foldName, type TeamKey, teamKeyOf } from "../../model/team.ts";
import type { PlanContext } from "../context.ts";
import { joinList, yamlScalar } from "../finding-draft.ts";
import type { TeamIdentities } from "../identities.ts";
import { observedAccount, type UserKey } from "../snapshot-index.ts";
import type { GuardInput, Hold, HoldGuard } from "./guard-types.ts";

/**
 * Protects from creating a team again under a new name: no team is created whose members are mostly those of a team that our
 * records know, or the service shows, and that the roster has no more. Settled by `previously` or
 * `identifier`.
 */
export const renamedTeam: HoldGuard = { name: "renamed-team", check };

function check({ context, actions, teams }: GuardInput): readonly Hold[] {
  const createdTeam = actions.flatMap((action) => {
    const key = action.kind === "create-user" ? action.createsTeam?.team : undefined;
    const team = key === undefined ? undefined : teams.get(key)?.team;
    return team === undefined ? [] : [team];
  });
  const left = createdTeam.length === 0 ? [] : findOrphanedTeams(context, teams);
  return createdTeam.flatMap((team) => {
    const alike = findRenameCandidates(team, left, context.roster);
    return alike.length === 0 ? [] : [renamedTeamHold(team, alike)];
  });
}

function renamedTeamHold(team: RosterTeam, alike: readonly RenameCandidate[]): Hold {
  return {
    subject: teamSubject(team.key),
    message: `${team.name} is not created: ${formatRenameCandidates(team, alike)}`,
    because: team.because.slice(0, 1),
    restsOn: alike.map(({ basis }) => basis),
    suggestedYaml: renameYaml(team, alike),
    withholds: [{ of: "team", team: team.key }],
    facts: alike.map(
      ({ name, identifier }) => `like ${JSON.stringify(name)}${identifier === undefined ? "" : ` (${identifier})`}`,
    ),
  };
}

/** A team that the roster does not name, and how many members of a team of the roster are in it, or were. */
export interface RenameCandidate extends OrphanedTeam {
  readonly both: number;
}

/**
 * Of the teams that the roster does not name those which a team of it may be under a new name: they have at least two of its
 * members, and at least half. Of a team that only the service shows, half of those who are in it must be among them too, or
 * else any company-wide team would look renamed.
 */
export function findRenameCandidates(
  team: RosterTeam,
  left: readonly OrphanedTeam[],
  roster: Roster,
): readonly RenameCandidate[] {
  const members = team.members.map(({ address }) => knownAddresses(address, roster));
  return left
    .filter(({ account }) => account === team.account)
    .map((one) => ({ ...one, both: members.filter((known) => known.some((each) => one.members.has(each))).length }))
    .filter((one) => isLikelyRename(team, one));
}

function isLikelyRename(team: RosterTeam, { both, ...left }: RenameCandidate): boolean {
  if (both < 2 || both * 2 < team.members.length) return false;
  return left.known === "recorded" || both * 2 >= left.members.size;
}

/** Two sentences, of which the first goes on after a colon. */
export function formatRenameCandidates({ members }: RosterTeam, alike: readonly RenameCandidate[]): string {
  const names = alike.map(({ name, both }) => `${name} (${both} of ${members.length})`);
  return (
    `most of its members are in ${joinList(names)}, which the roster no longer names. ` +
    "If the team was only renamed, write `previously` or its `identifier`. roster then uses the existing team."
  );
}

/** The lines that say of the team that it is one of the others. */
export function renameYaml({ name }: RosterTeam, alike: readonly RenameCandidate[]): string {
  const ways = alike.flatMap((left) => [
    `previously: [${yamlScalar(left.name)}]`,
    ...(left.identifier === undefined ? [] : [`identifier: ${yamlScalar(left.identifier)}`]),
  ]);
  return `teams:\n  - name: ${yamlScalar(name)}\n    ${ways.join(" # or ")}\n`;
}

/** A team that is there, or was, and that no team of the roster is. */
export interface OrphanedTeam {
  readonly account: string;
  readonly name: string;
  readonly identifier?: string;
  readonly members: ReadonlySet<EmailKey>;
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
  const members = new Map<TeamKey, Set<EmailKey>>();
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
  const left = new Map<string, OrphanedTeam & { readonly members: Set<EmailKey> }>();
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
  const left = { account, name, members: new Set<EmailKey>(), basis, known: "shown" } as const;
  return identifier === undefined ? left : { ...left, identifier };
}

/** Where the service does not show the accounts of users, the one that the roster or our records give them. */
function accountOfHolder(holder: ObservedUser, { facts, roster, state }: PlanContext): string | undefined {
  const { address } = holder;
  return observedAccount(holder, facts) ?? roster.users.get(address)?.account ?? state.users.get(address)?.account;
}
