import type { FoldedAddress } from "../../model/address.ts";
import type { Located } from "../../model/fact.ts";
import type { RecordedRefusal } from "../../model/refusal.ts";
import { byCodeUnit, multimap, type RoleSet } from "../../model/role-set.ts";
import type { RosterTeam } from "../../model/roster.ts";
import type { Basis } from "../../model/subject.ts";
import type { TeamKey } from "../../model/team.ts";
import type { HeldResources, PlanContext } from "../context.ts";
import type { TeamIdentities, TeamToFound, UnprovenTeam, UserIdentities } from "../identities.ts";
import { refusedFounding, unknownFounderRoles } from "../known-refusals.ts";
import { competitors, type FounderCandidates, type SettledFounders, settleFounders } from "./matching.ts";

/** One team that the plan can found, and its founder. */
export interface FoundingPair {
  readonly team: RosterTeam;
  readonly absence: Basis;
  readonly founder: FoldedAddress;
  /** The administrator, where that is somebody else. */
  readonly admin?: FoldedAddress;
}

export interface Founders {
  /** In roster order. */
  readonly foundings: ReadonlyMap<TeamKey, FoundingPair>;
  /** New people who are not created yet, because a team that this plan does not found may need them. */
  readonly reserved: ReadonlySet<FoldedAddress>;
  /** The same people by the team that may need them. */
  readonly reservedFor: ReservedFounders;
  /** Teams that this plan does not found and for which a founder is kept. */
  readonly promised: ReadonlySet<TeamKey>;
  readonly contest: FounderCandidates;
  /** Teams that this plan does not found, and why. */
  readonly unfounded: UnfoundableTeams;
}

/** Chooses the founder of each new team of the roster. Nobody that a guard holds is created, nor founds anything. */
export function chooseFounders(teams: TeamIdentities, people: UserIdentities, context: PlanContext): Founders {
  const { held } = context;
  const unknownRoles: UnknownRoles = (team, founder) => unknownFounderRoles(team, founder, context);
  const limits = { refused: refusedFoundings(context), held: held.people, unknownRoles };
  const wanted = [...teams.values()].filter((identity) => identity.is === "new" || identity.is === "unproven");
  const all = wanted.map(({ team }) => team);
  const able = all.filter((team) => canHaveAdmin(team, people));
  const settled = settleFounders(
    founderCandidates(able, all, people, limits),
    (team) => teams.get(team)?.team.admin?.value,
  );
  const { unfounded, kept } = reserveForUnfoundable(
    wanted,
    { ...settled, refused: limits.refused, held, unknownRoles },
    people,
  );
  const going = wanted.filter(({ team }) => !unfounded.has(team.key));
  return {
    foundings: new Map(going.flatMap((identity) => foundingOf(identity, settled))),
    reserved: new Set([...[...kept.values()].flat(), ...held.people]),
    reservedFor: kept,
    promised: new Set([...unfounded.keys()].filter((team) => settled.pairs.founderOf.has(team))),
    contest: settled.contest,
    unfounded,
  };
}

function foundingOf(identity: MissingTeam, { pairs }: SettledFounders): readonly (readonly [TeamKey, FoundingPair])[] {
  const { team } = identity;
  const founder = pairs.founderOf.get(team.key);
  if (identity.is !== "new" || founder === undefined) return [];
  const { absence } = identity;
  const admin = team.admin?.value;
  const pair = { team, absence, founder, ...(admin === undefined || admin === founder ? {} : { admin }) };
  return [[team.key, pair]];
}

/** Who is not asked to found, or only where nobody else can. */
interface FounderLimits {
  readonly refused: RefusedFoundings;
  /** People that a guard holds: what they would found has to wait for them. */
  readonly held: ReadonlySet<FoldedAddress>;
  readonly unknownRoles: UnknownRoles;
}

/** Roles of a founder that the service does not know: their key cannot be asked for. */
type UnknownRoles = (team: RosterTeam, founder: FoldedAddress) => RoleSet;

/** Whether a creation can carry this team: a new user of its account, whose own key the roster does not ask for. */
function mayFound(team: RosterTeam, address: FoldedAddress, people: UserIdentities): boolean {
  const person = people.get(address);
  if (person?.is !== "new") return false;
  return person.user.account === team.account && person.user.ownKeyRoles === undefined;
}

/**
 * The members of each team who may found it and were not refused as its founders: those whose key can be asked for, where there are any.
 * A person that any team names as its founder founds no other.
 */
function founderCandidates(
  teams: readonly RosterTeam[],
  wanted: readonly RosterTeam[],
  people: UserIdentities,
  { refused, held, unknownRoles }: FounderLimits,
): FounderCandidates {
  const named = namedFounders(wanted, people);
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

  function candidatesOf(team: RosterTeam): readonly FoldedAddress[] {
    if (team.founder !== undefined) return canBeFoundedBy(team, team.founder.value, people) ? [team.founder.value] : [];
    return team.members.map(({ address }) => address).filter((one) => mayFound(team, one, people) && !named.has(one));
  }
}

function namedFounders(teams: readonly RosterTeam[], people: UserIdentities): ReadonlySet<FoldedAddress> {
  return new Set(
    teams.flatMap((team) =>
      team.founder !== undefined && canBeFoundedBy(team, team.founder.value, people) ? [team.founder.value] : [],
    ),
  );
}

function canBeFoundedBy(team: RosterTeam, address: FoldedAddress, people: UserIdentities): boolean {
  return mayFound(team, address, people) && team.members.some((member) => member.address === address);
}

/** A founder with whom the service would not found a team. */
export interface RefusedFounder {
  readonly founder: FoldedAddress;
  readonly email: string;
  readonly refusal: RecordedRefusal;
}

type RefusedFoundings = ReadonlyMap<TeamKey, readonly RefusedFounder[]>;

/**
 * The foundings that the service refused and that would be the same again, by team. One request creates a person and a
 * team, and no answer tells reliably which of both was at fault. So what is remembered is the pair: the next plan tries
 * another new member, and does not create the refused one without the team meanwhile, who would then be spent for it.
 * Somebody who is at fault themselves is refused once more alone, when another has founded the team. A team that was
 * refused in the same words with two founders is at fault itself: nobody else is tried.
 */
function refusedFoundings(context: PlanContext): RefusedFoundings {
  const { roster, state } = context;
  const teams = new Map(roster.teams.map((team) => [team.key, team]));
  const refused = [...state.refusals.values()].flatMap(({ part }) => {
    if (part.of !== "founding") return [];
    const team = teams.get(part.team);
    const user = roster.users.get(part.address);
    const refusal = team === undefined || user === undefined ? undefined : refusedFounding(user, team, context);
    if (refusal === undefined) return [];
    return [[part.team, { founder: part.address, email: part.email, refusal }] as const];
  });
  return multimap(refused);
}

/** Whether the plan may ask the service to found this team with this person. */
function mayAskToFound(team: RosterTeam, person: FoldedAddress, foundings: RefusedFoundings): boolean {
  const refused = foundings.get(team.key) ?? [];
  return !refused.some(({ founder }) => founder === person) && !hasRepeatedRefusal(refused);
}

function hasRepeatedRefusal(refused: readonly RefusedFounder[]): boolean {
  return new Set(refused.map(refusalText)).size < refused.length;
}

function refusalText({ refusal: { failure } }: RefusedFounder): string {
  return JSON.stringify([failure.code, failure.status, failure.serviceSays ?? failure.message]);
}

type MissingTeam = TeamToFound | UnprovenTeam;

/** Why a team that is not there is not founded by this plan. */
export type UnfoundableReason =
  | ({ readonly is: "unproven" } & Pick<UnprovenTeam, "code" | "why">)
  /** A guard holds the team, and says so itself. */
  | { readonly is: "held" }
  /** A guard holds somebody without whom it cannot be founded. */
  | { readonly is: "needs-held"; readonly person: FoldedAddress; readonly as: "founder" | "administrator" }
  /** Their `from` has not come: of the administrator, of the named founder, or of every member. */
  | {
      readonly is: "not-started";
      readonly as: "admin" | "founder" | "member";
      readonly from: Located<string>;
      readonly person: FoldedAddress;
    }
  /** Nobody's key can be asked for, since the service does not know these roles. */
  | { readonly is: "roles"; readonly founder: FoldedAddress; readonly unknown: RoleSet }
  | { readonly is: "without-admin"; readonly admin: FoldedAddress }
  | { readonly is: "admin-kept"; readonly admin: FoldedAddress; readonly keptFor: TeamKey }
  | { readonly is: "refused"; readonly founders: readonly RefusedFounder[] }
  | { readonly is: "cycle"; readonly teams: readonly TeamKey[] }
  | { readonly is: "outnumbered"; readonly teams: readonly TeamKey[]; readonly people: readonly FoldedAddress[] };

type UnfoundableTeams = ReadonlyMap<TeamKey, UnfoundableReason>;

interface FoundingOutcome extends SettledFounders {
  readonly refused: RefusedFoundings;
  readonly held: HeldResources;
  readonly unknownRoles: UnknownRoles;
}

/** New people who are needed by teams that this plan does not found, by team: the founder first. */
type ReservedFounders = ReadonlyMap<TeamKey, readonly FoldedAddress[]>;

/** An administrator who is there or can be created, or none at all. */
function canHaveAdmin({ admin }: RosterTeam, people: UserIdentities): boolean {
  if (admin === undefined) return true;
  const person = people.get(admin.value);
  return person !== undefined && person.is !== "withheld";
}

/**
 * Tells which teams are not founded, and which new people are kept for them: creating these would spend what such
 * a team is founded with. A team whose administrator is kept for another team has to wait as well.
 */
function reserveForUnfoundable(
  wanted: readonly MissingTeam[],
  settled: FoundingOutcome,
  people: UserIdentities,
): { readonly unfounded: UnfoundableTeams; readonly kept: ReservedFounders } {
  const unfounded = new Map<TeamKey, UnfoundableReason>();
  for (const identity of wanted) {
    const why = unfoundableReason(identity, settled, people);
    if (why !== undefined) unfounded.set(identity.team.key, why);
  }
  for (;;) {
    const waiting = waitingForAdmins(wanted, unfounded, settled, people);
    if (waiting.length === 0) return { unfounded, kept: reserveFounders(wanted, unfounded, settled, people) };
    for (const [team, why] of waiting) unfounded.set(team, why);
  }
}

function unfoundableReason(
  identity: MissingTeam,
  settled: FoundingOutcome,
  people: UserIdentities,
): UnfoundableReason | undefined {
  const { team } = identity;
  const later = notStarted(team, people);
  if (later !== undefined) return later;
  if (identity.is === "unproven") return { is: "unproven", code: identity.code, why: identity.why };
  if (team.admin !== undefined && !canHaveAdmin(team, people)) return { is: "without-admin", admin: team.admin.value };
  const { contest, pairs, cycles, refused, held, unknownRoles } = settled;
  const founder = pairs.founderOf.get(team.key);
  if (founder !== undefined) {
    const unknown = unknownRoles(team, founder);
    return unknown.length === 0 ? heldReason(team, founder, held) : { is: "roles", founder, unknown };
  }
  const founders = refused.get(team.key) ?? [];
  if (founders.length > 0) return { is: "refused", founders };
  const rivals = competitors(contest, pairs, team.key);
  if (rivals.people.length < rivals.teams.length) return { is: "outnumbered", ...rivals };
  const own = cycles.filter((cycle) => cycle.includes(team.key));
  return { is: "cycle", teams: [...new Set((own.length > 0 ? own : cycles).flat())] };
}

function notStarted(
  { members, admin, founder, upcoming }: RosterTeam,
  people: UserIdentities,
): UnfoundableReason | undefined {
  const [next] = [...(upcoming ?? [])].sort(([, a], [, b]) => byCodeUnit(a.value, b.value));
  if (members.length === 0 && next !== undefined)
    return { is: "not-started", as: "member", person: next[0], from: next[1] };
  const needed = [
    { as: "admin", person: admin?.value },
    { as: "founder", person: founder?.value },
  ] as const;
  for (const { as, person } of needed) {
    const from = person === undefined ? undefined : people.get(person)?.user.from;
    if (person !== undefined && from !== undefined) return { is: "not-started", as, person, from };
  }
  return undefined;
}

function heldReason(team: RosterTeam, founder: FoldedAddress, held: HeldResources): UnfoundableReason | undefined {
  if (held.teams.has(team.key)) return { is: "held" };
  if (held.people.has(founder)) return { is: "needs-held", person: founder, as: "founder" };
  const admin = team.admin?.value;
  return admin !== undefined && held.people.has(admin)
    ? { is: "needs-held", person: admin, as: "administrator" }
    : undefined;
}

function waitsForFounderAlone(why: UnfoundableReason | undefined): boolean {
  return (
    why?.is === "held" ||
    why?.is === "needs-held" ||
    why?.is === "roles" ||
    (why?.is === "not-started" && why.as === "founder")
  );
}

function waitingForAdmins(
  wanted: readonly MissingTeam[],
  unfounded: UnfoundableTeams,
  { pairs }: SettledFounders,
  people: UserIdentities,
): readonly (readonly [TeamKey, UnfoundableReason])[] {
  return wanted.flatMap(({ team }) => {
    const admin = team.admin?.value;
    if (admin === undefined || unfounded.has(team.key) || people.get(admin)?.is !== "new") return [];
    const keptFor = pairs.teamOf.get(admin);
    if (keptFor === undefined || !unfounded.has(keptFor)) return [];
    return [[team.key, { is: "admin-kept", admin, keptFor }] as const];
  });
}

function reserveFounders(
  wanted: readonly MissingTeam[],
  unfounded: UnfoundableTeams,
  { pairs }: SettledFounders,
  people: UserIdentities,
): ReservedFounders {
  const going = wanted.filter(({ team }) => !unfounded.has(team.key));
  const busy = new Set(going.flatMap(({ team }) => [pairs.founderOf.get(team.key), team.admin?.value]));
  const waiting = wanted.filter(({ team }) => unfounded.has(team.key));
  return new Map(waiting.map(({ team }) => [team.key, keptFor(team)]));

  function keptFor(team: RosterTeam): readonly FoldedAddress[] {
    const founder = pairs.founderOf.get(team.key);
    // It is about to be founded, or its founder is to come: nobody else is kept from being created for it.
    const why = unfounded.get(team.key);
    if (waitsForFounderAlone(why)) return founder === undefined ? [] : [founder];
    const others = team.members.map(({ address }) => address).filter((one) => one !== founder && !busy.has(one));
    return [...(founder === undefined ? [] : [founder]), ...others.filter((one) => mayFound(team, one, people))];
  }
}
