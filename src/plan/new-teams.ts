import { sentence } from "../codes/message.ts";
import type { EmailKey } from "../model/address.ts";
import type { TeamKey } from "../model/recorded.ts";
import type { Basis } from "../model/subject.ts";
import type { DesiredTeam } from "../model/team.ts";
import type { PlanContext } from "./context.ts";
import type { FindingDraft } from "./finding-draft.ts";
import { type FirstMemberCandidates, type FirstMemberMatching, orderFirstMembers } from "./first-member-matching.ts";
import { unknownFirstMemberRoles } from "./first-member-roles.ts";
import { findOrphanedTeams } from "./guards/renamed-team.ts";
import type { TeamIdentities, UserIdentities } from "./identities.ts";
import { refusalOf, teamCreationRequest } from "./remembered-refusals.ts";
import { lazy } from "./snapshot-index.ts";
import {
  adminReserved,
  canHaveAdmin,
  type MissingTeam,
  type NewTeams,
  type RefusedFirstMember,
  type Uncreatable,
  userEmails,
  whyUncreatable,
} from "./uncreatable-teams.ts";

/** One team that the plan can create, and its first member. */
export interface TeamCreationPair {
  readonly team: DesiredTeam;
  readonly absence: Basis;
  readonly firstMember: EmailKey;
  /** The administrator, where that is somebody else. */
  readonly admin?: EmailKey | undefined;
}

export interface FirstMembers {
  /** In roster order. */
  readonly teamCreations: ReadonlyMap<TeamKey, TeamCreationPair>;
  /** New people who are not created yet, because a team that this plan does not create may need them. */
  readonly reserved: ReadonlySet<EmailKey>;
  /** The same people by the team that may need them, the first member first. */
  readonly reservedFor: ReadonlyMap<TeamKey, readonly EmailKey[]>;
  readonly all: FirstMemberCandidates;
  readonly pairs: FirstMemberMatching;
  /** One for each team that is not there and that this plan does not create. */
  readonly findings: readonly FindingDraft[];
}

/**
 * Chooses the first member of each new team of the roster. Nobody that a guard holds is created, nor creates anything. Creating the
 * new members of a team that is not created would spend what it is created with: they are reserved for it.
 */
export function chooseFirstMembers(teams: TeamIdentities, people: UserIdentities, context: PlanContext): FirstMembers {
  const wanted = [...teams.values()].filter((identity) => identity.is === "absent" || identity.is === "unknown");
  const refused = refusedTeamCreations(wanted, context);
  const all = { candidates: candidatesOf(wanted, refused, people, context), last: context.held.people };
  const { pairs, cycles } = orderFirstMembers(all, (team) => teams.get(team)?.team.admin?.value);
  const orphaned = lazy(() => findOrphanedTeams(context, teams));
  const input: NewTeams = { teams, people, context, refused, all, pairs, cycles, orphaned };
  const uncreatable = findUncreatable(wanted, input);
  const created = wanted.filter(({ team }) => !uncreatable.has(team.key));
  const reservedFor = reserveFirstMembers(created, uncreatable, input);
  return {
    teamCreations: new Map(created.flatMap((identity) => teamCreationOf(identity, pairs))),
    reserved: new Set([...[...reservedFor.values()].flat(), ...context.held.people]),
    reservedFor,
    all,
    pairs,
    findings: [...uncreatable].flatMap(([team, why]) => reportUncreatable(why, reservedFor.get(team) ?? [], people)),
  };
}

function teamCreationOf(
  identity: MissingTeam,
  { firstMemberOf }: FirstMemberMatching,
): readonly (readonly [TeamKey, TeamCreationPair])[] {
  const { team } = identity;
  const firstMember = firstMemberOf.get(team.key);
  if (identity.is !== "absent" || firstMember === undefined) return [];
  const admin = team.admin?.value === firstMember ? undefined : team.admin?.value;
  return [[team.key, { team, absence: identity.absence, firstMember, admin }]];
}

/** Whether a creation can carry this team: a new user of its account, whose own key the roster does not ask for. */
function canCreate(team: DesiredTeam, address: EmailKey, people: UserIdentities): boolean {
  const person = people.get(address);
  return person?.is === "absent" && person.user.account === team.account && person.user.ownKeyRoles === undefined;
}

/** The `firstMember` of a team, where that is a member who can create it. */
function namedFirstMember(team: DesiredTeam, people: UserIdentities): readonly EmailKey[] {
  const named = team.firstMember?.value;
  const isAble = named !== undefined && canCreate(team, named, people);
  return isAble && team.members.some(({ address }) => address === named) ? [named] : [];
}

/**
 * The members of each team who can create it and were not refused as its first members: those whose key can be asked for, where there are any.
 * A person that any team names as its first member creates no other. A team whose administrator cannot be had is left out first.
 */
function candidatesOf(
  wanted: readonly MissingTeam[],
  refused: NewTeams["refused"],
  people: UserIdentities,
  context: PlanContext,
): FirstMemberCandidates["candidates"] {
  const named = new Set(wanted.flatMap(({ team }) => namedFirstMember(team, people)));
  const unnamed = (team: DesiredTeam) =>
    team.members.map(({ address }) => address).filter((one) => canCreate(team, one, people) && !named.has(one));
  return new Map(
    wanted
      .filter(({ team }) => canHaveAdmin(team, people))
      .map(({ team }) => {
        const possible = team.firstMember === undefined ? unnamed(team) : namedFirstMember(team, people);
        const able = possible.filter((one) => mayAskAgain(one, refused.get(team.key) ?? []));
        const clear = able.filter((one) => unknownFirstMemberRoles(team, one, context).length === 0);
        return [team.key, clear.length > 0 ? clear : able];
      }),
  );
}

/**
 * The team creations that the service refused and that would be the same again, by team. One request creates a person and a
 * team, and no answer tells reliably which of both was at fault. So what is remembered is the pair: the next plan tries
 * another new member, and does not create the refused one without the team meanwhile, who would then be spent for it.
 * Somebody who is at fault themselves is refused once more alone, when another has created the team.
 */
function refusedTeamCreations(wanted: readonly MissingTeam[], context: PlanContext): NewTeams["refused"] {
  if (context.state.refusals.size === 0) return new Map();
  return new Map(
    wanted.map(({ team }) => [team.key, team.members.flatMap(({ address }) => refusedFirstMember(address, team))]),
  );

  function refusedFirstMember(firstMember: EmailKey, team: DesiredTeam): readonly RefusedFirstMember[] {
    const user = context.roster.users.get(firstMember);
    const refusal = user === undefined ? undefined : refusalOf(teamCreationRequest(user, team, context), context);
    return refusal === undefined ? [] : [{ firstMember, refusal }];
  }
}

/** A team that was refused in the same words with two first members is at fault itself: nobody else is tried. */
function mayAskAgain(person: EmailKey, refused: readonly RefusedFirstMember[]): boolean {
  const words = refused.map(({ refusal: { failure } }) =>
    JSON.stringify([failure.code, failure.status, failure.serviceSays ?? failure.message]),
  );
  return !refused.some(({ firstMember }) => firstMember === person) && new Set(words).size === words.length;
}

/** A team whose administrator is reserved for another team has to wait as well. */
function findUncreatable(wanted: readonly MissingTeam[], input: NewTeams): ReadonlyMap<TeamKey, Uncreatable> {
  const found = new Map<TeamKey, Uncreatable>();
  for (const identity of wanted) {
    const why = whyUncreatable(identity, input);
    if (why !== undefined) found.set(identity.team.key, why);
  }
  for (;;) {
    const waiting = wanted.flatMap((identity) => {
      const admin = identity.team.admin?.value;
      if (admin === undefined || found.has(identity.team.key) || input.people.get(admin)?.is !== "absent") return [];
      const other = input.pairs.teamOf.get(admin);
      if (other === undefined || !found.has(other)) return [];
      return [[identity.team.key, adminReserved(identity, admin, other, input)] as const];
    });
    if (waiting.length === 0) return found;
    for (const [team, why] of waiting) found.set(team, why);
  }
}

function reserveFirstMembers(
  created: readonly MissingTeam[],
  uncreatable: ReadonlyMap<TeamKey, Uncreatable>,
  { teams, people, pairs: { firstMemberOf } }: NewTeams,
): FirstMembers["reservedFor"] {
  const busy = new Set(created.flatMap(({ team }) => [firstMemberOf.get(team.key), team.admin?.value]));
  return new Map(
    [...teams.values()].flatMap(({ team }) => {
      const why = uncreatable.get(team.key);
      if (why === undefined) return [];
      const firstMember = firstMemberOf.get(team.key);
      const first = firstMember === undefined ? [] : [firstMember];
      if (why.reserves === "first-member") return [[team.key, first] as const];
      const others = team.members.map(({ address }) => address).filter((one) => one !== firstMember && !busy.has(one));
      return [[team.key, [...first, ...others.filter((one) => canCreate(team, one, people))]] as const];
    }),
  );
}

function reportUncreatable(
  { finding, named }: Uncreatable,
  reserved: readonly EmailKey[],
  people: UserIdentities,
): readonly FindingDraft[] {
  if (finding === undefined) return [];
  const waiting = reserved.filter((one) => one !== named);
  if (waiting.length === 0) return [finding];
  const more = sentence("reserved", { emails: userEmails(waiting, people) });
  return [{ ...finding, message: `${finding.message} ${more}` }];
}
