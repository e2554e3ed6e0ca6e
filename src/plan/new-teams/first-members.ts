import type { EmailKey } from "../../model/address.ts";
import type { Located } from "../../model/fact.ts";
import { byCodeUnit, type RoleSet } from "../../model/role-set.ts";
import type { RosterTeam } from "../../model/roster.ts";
import type { RecordedRefusal } from "../../model/state.ts";
import type { Basis } from "../../model/subject.ts";
import type { TeamKey } from "../../model/team.ts";
import type { HeldResources, PlanContext } from "../context.ts";
import type { TeamIdentities, TeamToFound, UnprovenTeam, UserIdentities } from "../identities.ts";
import { refusalOf, teamCreationRequest } from "../remembered-refusals.ts";
import { unknownFirstMemberRoles } from "./first-member-roles.ts";
import { competitors, type FirstMemberCandidates, type SettledFirstMembers, settleFirstMembers } from "./matching.ts";

/** One team that the plan can found, and its first member. */
export interface TeamCreationPair {
  readonly team: RosterTeam;
  readonly absence: Basis;
  readonly firstMember: EmailKey;
  /** The administrator, where that is somebody else. */
  readonly admin?: EmailKey;
}

export interface FirstMembers {
  /** In roster order. */
  readonly teamCreations: ReadonlyMap<TeamKey, TeamCreationPair>;
  /** New people who are not created yet, because a team that this plan does not found may need them. */
  readonly reserved: ReadonlySet<EmailKey>;
  /** The same people by the team that may need them. */
  readonly reservedFor: ReservedFirstMembers;
  /** Teams that this plan does not found and for which a first member is kept. */
  readonly promised: ReadonlySet<TeamKey>;
  readonly contest: FirstMemberCandidates;
  /** Teams that this plan does not found, and why. */
  readonly unfounded: UncreatableTeams;
}

/** Chooses the first member of each new team of the roster. Nobody that a guard holds is created, nor creates anything. */
export function chooseFirstMembers(teams: TeamIdentities, people: UserIdentities, context: PlanContext): FirstMembers {
  const { held } = context;
  const unknownRoles: UnknownRoles = (team, firstMember) => unknownFirstMemberRoles(team, firstMember, context);
  const wanted = [...teams.values()].filter((identity) => identity.is === "new" || identity.is === "unproven");
  const all = wanted.map(({ team }) => team);
  const limits = { refused: refusedTeamCreations(all, context), held: held.people, unknownRoles };
  const able = all.filter((team) => canHaveAdmin(team, people));
  const settled = settleFirstMembers(
    firstMemberCandidates(able, all, people, limits),
    (team) => teams.get(team)?.team.admin?.value,
  );
  const { unfounded, kept } = reserveForUncreatable(
    wanted,
    { ...settled, refused: limits.refused, held, unknownRoles },
    people,
  );
  const going = wanted.filter(({ team }) => !unfounded.has(team.key));
  return {
    teamCreations: new Map(going.flatMap((identity) => teamCreationOf(identity, settled))),
    reserved: new Set([...[...kept.values()].flat(), ...held.people]),
    reservedFor: kept,
    promised: new Set([...unfounded.keys()].filter((team) => settled.pairs.firstMemberOf.has(team))),
    contest: settled.contest,
    unfounded,
  };
}

function teamCreationOf(
  identity: MissingTeam,
  { pairs }: SettledFirstMembers,
): readonly (readonly [TeamKey, TeamCreationPair])[] {
  const { team } = identity;
  const firstMember = pairs.firstMemberOf.get(team.key);
  if (identity.is !== "new" || firstMember === undefined) return [];
  const { absence } = identity;
  const admin = team.admin?.value;
  const pair = { team, absence, firstMember, ...(admin === undefined || admin === firstMember ? {} : { admin }) };
  return [[team.key, pair]];
}

/** Who is not asked to found, or only where nobody else can. */
interface FirstMemberLimits {
  readonly refused: RefusedTeamCreations;
  /** People that a guard holds: what they would found has to wait for them. */
  readonly held: ReadonlySet<EmailKey>;
  readonly unknownRoles: UnknownRoles;
}

/** Roles of a first member that the service does not know: their key cannot be asked for. */
type UnknownRoles = (team: RosterTeam, firstMember: EmailKey) => RoleSet;

/** Whether a creation can carry this team: a new user of its account, whose own key the roster does not ask for. */
function mayFound(team: RosterTeam, address: EmailKey, people: UserIdentities): boolean {
  const person = people.get(address);
  if (person?.is !== "new") return false;
  return person.user.account === team.account && person.user.ownKeyRoles === undefined;
}

/**
 * The members of each team who may found it and were not refused as its first members: those whose key can be asked for, where there are any.
 * A person that any team names as its first member creates no other.
 */
function firstMemberCandidates(
  teams: readonly RosterTeam[],
  wanted: readonly RosterTeam[],
  people: UserIdentities,
  { refused, held, unknownRoles }: FirstMemberLimits,
): FirstMemberCandidates {
  const named = namedFirstMembers(wanted, people);
  return {
    candidates: new Map(
      teams.map((team) => {
        const able = candidatesOf(team).filter((one) => mayAskToFound(team, one, refused));
        const clear = able.filter((one) => unknownRoles(team, one).length === 0);
        return [team.key, clear.length > 0 ? clear : able];
      }),
    ),
    last: held,
  };

  function candidatesOf(team: RosterTeam): readonly EmailKey[] {
    if (team.firstMember !== undefined)
      return canBeFoundedBy(team, team.firstMember.value, people) ? [team.firstMember.value] : [];
    return team.members.map(({ address }) => address).filter((one) => mayFound(team, one, people) && !named.has(one));
  }
}

function namedFirstMembers(teams: readonly RosterTeam[], people: UserIdentities): ReadonlySet<EmailKey> {
  return new Set(
    teams.flatMap((team) =>
      team.firstMember !== undefined && canBeFoundedBy(team, team.firstMember.value, people)
        ? [team.firstMember.value]
        : [],
    ),
  );
}

function canBeFoundedBy(team: RosterTeam, address: EmailKey, people: UserIdentities): boolean {
  return mayFound(team, address, people) && team.members.some((member) => member.address === address);
}

/** A first member with whom the service would not found a team. */
export interface RefusedFirstMember {
  readonly firstMember: EmailKey;
  readonly refusal: RecordedRefusal;
}

type RefusedTeamCreations = ReadonlyMap<TeamKey, readonly RefusedFirstMember[]>;

/**
 * The team creations that the service refused and that would be the same again, by team. One request creates a person and a
 * team, and no answer tells reliably which of both was at fault. So what is remembered is the pair: the next plan tries
 * another new member, and does not create the refused one without the team meanwhile, who would then be spent for it.
 * Somebody who is at fault themselves is refused once more alone, when another has created the team. A team that was
 * refused in the same words with two first members is at fault itself: nobody else is tried.
 */
function refusedTeamCreations(teams: readonly RosterTeam[], context: PlanContext): RefusedTeamCreations {
  if (context.state.refusals.size === 0) return new Map();
  return new Map(
    teams.map((team) => [team.key, team.members.flatMap(({ address }) => refusedFirstMember(address, team))]),
  );

  function refusedFirstMember(firstMember: EmailKey, team: RosterTeam): readonly RefusedFirstMember[] {
    const user = context.roster.users.get(firstMember);
    const refusal = user === undefined ? undefined : refusalOf(teamCreationRequest(user, team, context), context);
    return refusal === undefined ? [] : [{ firstMember, refusal }];
  }
}

/** Whether the plan may ask the service to found this team with this person. */
function mayAskToFound(team: RosterTeam, person: EmailKey, teamCreations: RefusedTeamCreations): boolean {
  const refused = teamCreations.get(team.key) ?? [];
  return !refused.some(({ firstMember }) => firstMember === person) && !hasRepeatedRefusal(refused);
}

function hasRepeatedRefusal(refused: readonly RefusedFirstMember[]): boolean {
  return new Set(refused.map(refusalText)).size < refused.length;
}

function refusalText({ refusal: { failure } }: RefusedFirstMember): string {
  return JSON.stringify([failure.code, failure.status, failure.serviceSays ?? failure.message]);
}

type MissingTeam = TeamToFound | UnprovenTeam;

/** Why a team that is not there is not created by this plan. */
export type UncreatableReason =
  | ({ readonly is: "unproven" } & Pick<UnprovenTeam, "code" | "why">)
  /** A guard holds the team, and says so itself. */
  | { readonly is: "held" }
  /** A guard holds somebody without whom it cannot be created. */
  | { readonly is: "needs-held"; readonly person: EmailKey; readonly as: "first member" | "administrator" }
  /** Their `from` has not come: of the administrator, of the named first member, or of every member. */
  | {
      readonly is: "not-started";
      readonly as: "admin" | "firstMember" | "member";
      readonly from: Located<string>;
      readonly person: EmailKey;
    }
  /** Nobody's key can be asked for, since the service does not know these roles. */
  | { readonly is: "roles"; readonly firstMember: EmailKey; readonly unknown: RoleSet }
  | { readonly is: "without-admin"; readonly admin: EmailKey }
  | { readonly is: "admin-kept"; readonly admin: EmailKey; readonly keptFor: TeamKey }
  | { readonly is: "refused"; readonly firstMembers: readonly RefusedFirstMember[] }
  | { readonly is: "cycle"; readonly teams: readonly TeamKey[] }
  | { readonly is: "outnumbered"; readonly teams: readonly TeamKey[]; readonly people: readonly EmailKey[] };

type UncreatableTeams = ReadonlyMap<TeamKey, UncreatableReason>;

interface TeamCreationOutcome extends SettledFirstMembers {
  readonly refused: RefusedTeamCreations;
  readonly held: HeldResources;
  readonly unknownRoles: UnknownRoles;
}

/** New people who are needed by teams that this plan does not found, by team: the first member first. */
type ReservedFirstMembers = ReadonlyMap<TeamKey, readonly EmailKey[]>;

/** An administrator who is there or can be created, or none at all. */
function canHaveAdmin({ admin }: RosterTeam, people: UserIdentities): boolean {
  if (admin === undefined) return true;
  const person = people.get(admin.value);
  return person !== undefined && person.is !== "withheld";
}

/**
 * Tells which teams are not created, and which new people are kept for them: creating these would spend what such
 * a team is created with. A team whose administrator is kept for another team has to wait as well.
 */
function reserveForUncreatable(
  wanted: readonly MissingTeam[],
  settled: TeamCreationOutcome,
  people: UserIdentities,
): { readonly unfounded: UncreatableTeams; readonly kept: ReservedFirstMembers } {
  const unfounded = new Map<TeamKey, UncreatableReason>();
  for (const identity of wanted) {
    const why = uncreatableReason(identity, settled, people);
    if (why !== undefined) unfounded.set(identity.team.key, why);
  }
  for (;;) {
    const waiting = waitingForAdmins(wanted, unfounded, settled, people);
    if (waiting.length === 0) return { unfounded, kept: reserveFirstMembers(wanted, unfounded, settled, people) };
    for (const [team, why] of waiting) unfounded.set(team, why);
  }
}

function uncreatableReason(
  identity: MissingTeam,
  settled: TeamCreationOutcome,
  people: UserIdentities,
): UncreatableReason | undefined {
  const { team } = identity;
  const later = notStarted(team, people);
  if (later !== undefined) return later;
  if (identity.is === "unproven") return { is: "unproven", code: identity.code, why: identity.why };
  if (team.admin !== undefined && !canHaveAdmin(team, people)) return { is: "without-admin", admin: team.admin.value };
  const { contest, pairs, cycles, refused, held, unknownRoles } = settled;
  const firstMember = pairs.firstMemberOf.get(team.key);
  if (firstMember !== undefined) {
    const unknown = unknownRoles(team, firstMember);
    return unknown.length === 0 ? heldReason(team, firstMember, held) : { is: "roles", firstMember, unknown };
  }
  const firstMembers = refused.get(team.key) ?? [];
  if (firstMembers.length > 0) return { is: "refused", firstMembers };
  const rivals = competitors(contest, pairs, team.key);
  if (rivals.people.length < rivals.teams.length) return { is: "outnumbered", ...rivals };
  const own = cycles.filter((cycle) => cycle.includes(team.key));
  return { is: "cycle", teams: [...new Set((own.length > 0 ? own : cycles).flat())] };
}

function notStarted(
  { members, admin, firstMember, upcoming }: RosterTeam,
  people: UserIdentities,
): UncreatableReason | undefined {
  const [next] = [...(upcoming ?? [])].sort(([, a], [, b]) => byCodeUnit(a.value, b.value));
  if (members.length === 0 && next !== undefined)
    return { is: "not-started", as: "member", person: next[0], from: next[1] };
  const needed = [
    { as: "admin", person: admin?.value },
    { as: "firstMember", person: firstMember?.value },
  ] as const;
  for (const { as, person } of needed) {
    const from = person === undefined ? undefined : people.get(person)?.user.from;
    if (person !== undefined && from !== undefined) return { is: "not-started", as, person, from };
  }
  return undefined;
}

function heldReason(team: RosterTeam, firstMember: EmailKey, held: HeldResources): UncreatableReason | undefined {
  if (held.teams.has(team.key)) return { is: "held" };
  if (held.people.has(firstMember)) return { is: "needs-held", person: firstMember, as: "first member" };
  const admin = team.admin?.value;
  return admin !== undefined && held.people.has(admin)
    ? { is: "needs-held", person: admin, as: "administrator" }
    : undefined;
}

function waitsForFirstMemberAlone(why: UncreatableReason | undefined): boolean {
  return (
    why?.is === "held" ||
    why?.is === "needs-held" ||
    why?.is === "roles" ||
    (why?.is === "not-started" && why.as === "firstMember")
  );
}

function waitingForAdmins(
  wanted: readonly MissingTeam[],
  unfounded: UncreatableTeams,
  { pairs }: SettledFirstMembers,
  people: UserIdentities,
): readonly (readonly [TeamKey, UncreatableReason])[] {
  return wanted.flatMap(({ team }) => {
    const admin = team.admin?.value;
    if (admin === undefined || unfounded.has(team.key) || people.get(admin)?.is !== "new") return [];
    const keptFor = pairs.teamOf.get(admin);
    if (keptFor === undefined || !unfounded.has(keptFor)) return [];
    return [[team.key, { is: "admin-kept", admin, keptFor }] as const];
  });
}

function reserveFirstMembers(
  wanted: readonly MissingTeam[],
  unfounded: UncreatableTeams,
  { pairs }: SettledFirstMembers,
  people: UserIdentities,
): ReservedFirstMembers {
  const going = wanted.filter(({ team }) => !unfounded.has(team.key));
  const busy = new Set(going.flatMap(({ team }) => [pairs.firstMemberOf.get(team.key), team.admin?.value]));
  const waiting = wanted.filter(({ team }) => unfounded.has(team.key));
  return new Map(waiting.map(({ team }) => [team.key, keptFor(team)]));

  function keptFor(team: RosterTeam): readonly EmailKey[] {
    const firstMember = pairs.firstMemberOf.get(team.key);
    // It is about to be created, or its first member is to come: nobody else is kept from being created for it.
    const why = unfounded.get(team.key);
    if (waitsForFirstMemberAlone(why)) return firstMember === undefined ? [] : [firstMember];
    const others = team.members.map(({ address }) => address).filter((one) => one !== firstMember && !busy.has(one));
    return [
      ...(firstMember === undefined ? [] : [firstMember]),
      ...others.filter((one) => mayFound(team, one, people)),
    ];
  }
}
