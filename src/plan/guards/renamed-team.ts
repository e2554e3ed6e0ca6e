import { say, yamlScalar } from "../../codes/message.ts";
import type { EmailKey } from "../../model/address.ts";
import { byCodeUnit, groupBy } from "../../model/collections.ts";
import { isDeleted, shownTeam } from "../../model/key.ts";
import { knownAddresses, type Roster } from "../../model/roster.ts";
import { type Basis, observedBasis, recordedBasis, teamSubject } from "../../model/subject.ts";
import { type DesiredTeam, teamKeyOf } from "../../model/team.ts";
import type { PlanContext } from "../context.ts";
import type { TeamIdentities } from "../identities.ts";
import { observedAccount } from "../snapshot-index.ts";
import type { GuardInput, Hold } from "./guard-types.ts";

/**
 * Protects from creating a team again under a new name: no team is created whose members are mostly those of a team that our
 * records know, or the service shows, and that the roster has no more. `previously` or `identifier` in the roster ends it.
 */
export function renamedTeam({ context, actions, identities: teams }: GuardInput): readonly Hold[] {
  const created = actions.flatMap((action) => {
    const key = action.kind === "create-user" ? action.createsTeam?.team : undefined;
    return key === undefined ? [] : (teams.get(key)?.team ?? []);
  });
  if (created.length === 0) return [];
  const orphaned = findOrphanedTeams(context, teams);
  return created.flatMap((team) => {
    const likely = likelyRename(team, orphaned, context.roster);
    if (likely === undefined) return [];
    const { names, restsOn, facts } = likely;
    const about = { subject: teamSubject(team.key), because: team.because.slice(0, 1), restsOn, facts };
    return [{ ...say("renamed-team", names), ...about, withholds: [{ of: "team", team: team.key }] }];
  });
}

/** A team that is there, or was, and that no team of the roster is. */
export interface OrphanedTeam {
  readonly account: string;
  readonly name: string;
  readonly identifier?: string | undefined;
  readonly members: ReadonlySet<EmailKey>;
  readonly basis: Basis;
}

/**
 * Names the teams that one of the roster may be under a new name: they have at least two of its members, and at least half. Of a
 * team that only the service shows, half of those who are in it must be among them too, or else any company-wide team would look
 * renamed.
 */
export function likelyRename(team: DesiredTeam, orphaned: readonly OrphanedTeam[], roster: Roster) {
  const members = team.members.map(({ address }) => knownAddresses(address, roster));
  const alike = orphaned
    .filter(({ account }) => account === team.account)
    .map((one) => ({ ...one, both: members.filter((known) => known.some((each) => one.members.has(each))).length }))
    .filter(({ both }) => both >= 2 && both * 2 >= members.length)
    .filter(({ both, basis, members: all }) => basis.fact.known === "recorded" || both * 2 >= all.size);
  if (alike.length === 0) return undefined;
  const ways = alike.flatMap(({ name, identifier }) => {
    const previously = `previously: [${yamlScalar(name)}]`;
    return identifier === undefined ? previously : [previously, `identifier: ${yamlScalar(identifier)}`];
  });
  return {
    names: {
      team: team.name,
      likely: alike.map(({ name, both }) => `${name} (${both} of ${members.length})`),
      ways: ways.join(" # or "),
    },
    restsOn: alike.map(({ basis }) => basis),
    facts: alike.map(
      ({ name, identifier }) => `like ${JSON.stringify(name)}${identifier === undefined ? "" : ` (${identifier})`}`,
    ),
  };
}

/** Recorded teams first; a team that is shown as well is the recorded one, with those who are shown in it. */
export function findOrphanedTeams(context: PlanContext, teams: TeamIdentities): readonly OrphanedTeam[] {
  const { state } = context;
  const wanted = [...teams.values()];
  const keys = new Set(wanted.flatMap(({ recordKeys }) => recordKeys));
  const names = new Set(wanted.flatMap((one) => [...one.names].map((name) => teamKeyOf(one.team.account, name))));
  const identifiers = new Set(wanted.flatMap((one) => (one.is === "known" ? one.identifier : [])));
  const isIdentified = (identifier: string | undefined) => identifier !== undefined && identifiers.has(identifier);
  const shown = shownTeams(context).filter(({ account, name, identifier }) =>
    identifier === undefined ? !names.has(teamKeyOf(account, name)) : !isIdentified(identifier),
  );
  const recordedMembers = groupBy(state.memberships.values(), ({ team }) => team);
  const recorded = [...state.teams.values()]
    .filter(({ team, identifier }) => !keys.has(team) && !isIdentified(identifier))
    .sort((a, b) => byCodeUnit(a.team, b.team))
    .map(({ team, account, name, identifier, at }): OrphanedTeam => {
      const alsoShown = shown.filter((one) => isSameTeam(one, { account, name, identifier }));
      const inRecords = (recordedMembers.get(team) ?? []).map(({ address }) => address);
      const members = new Set([...inRecords, ...alsoShown.flatMap((one) => [...one.members])]);
      return { account, name, identifier, members, basis: recordedBasis(teamSubject(team), "present", at) };
    });
  return [...recorded, ...shown.filter((team) => !recorded.some((one) => isSameTeam(one, team)))];
}

function isSameTeam(one: OrphanedTeam, other: Omit<OrphanedTeam, "members" | "basis">): boolean {
  if (one.identifier !== undefined && one.identifier === other.identifier) return true;
  return teamKeyOf(one.account, one.name) === teamKeyOf(other.account, other.name);
}

/** The teams of keys that are not gone, in the order of their names. */
function shownTeams({ facts, roster, state }: PlanContext): readonly OrphanedTeam[] {
  const byName = [...facts.byTeamName].sort(([a], [b]) => byCodeUnit(a, b));
  const held = byName.flatMap(([folded, keys]) => {
    return keys.flatMap(({ holder, key }) => {
      const team = shownTeam(key);
      const { address } = holder;
      // Where the service does not show the accounts of users, the one that the roster or our records give them.
      const account =
        observedAccount(holder, facts) ?? roster.users.get(address)?.account ?? state.users.get(address)?.account;
      if (team?.name === undefined || account === undefined || isDeleted(key)) return [];
      const { name, identifier } = team;
      return [{ id: JSON.stringify([account, identifier ?? folded]), account, name, identifier, holder }];
    });
  });
  return [...groupBy(held, ({ id }) => id).values()].map((group) => {
    const [{ account, name, identifier, holder }] = group;
    const members = new Set(group.map((one) => one.holder.address));
    const basis = observedBasis(teamSubject(teamKeyOf(account, name)), "present", holder.by);
    return { account, name, identifier, members, basis };
  });
}
