import type { FoldedAddress } from "../../model/address.ts";
import type { RosterTeam } from "../../model/roster.ts";
import type { TeamKey } from "../../model/team.ts";
import type { HeldResources } from "../context.ts";
import type { TeamToFound, UnprovenTeam, UserIdentities } from "../identities.ts";
import { mayFound, type RefusedFounder, type RefusedFoundings } from "./candidates.ts";
import type { SettledFounders } from "./cycles.ts";
import { competitors } from "./matching.ts";

export type MissingTeam = TeamToFound | UnprovenTeam;

/** Why a team that is not there is not founded by this plan. */
export type UnfoundableReason =
  | ({ readonly is: "unproven" } & Pick<UnprovenTeam, "code" | "why">)
  /** A guard holds the team, and says so itself. */
  | { readonly is: "held" }
  /** A guard holds somebody without whom it cannot be founded. */
  | { readonly is: "needs-held"; readonly person: FoldedAddress; readonly as: "founder" | "administrator" }
  | { readonly is: "without-admin"; readonly admin: FoldedAddress }
  | { readonly is: "admin-kept"; readonly admin: FoldedAddress; readonly keptFor: TeamKey }
  | { readonly is: "refused"; readonly founders: readonly RefusedFounder[] }
  | { readonly is: "cycle"; readonly teams: readonly TeamKey[] }
  | { readonly is: "outnumbered"; readonly teams: readonly TeamKey[]; readonly people: readonly FoldedAddress[] };

export type UnfoundableTeams = ReadonlyMap<TeamKey, UnfoundableReason>;

interface FoundingOutcome extends SettledFounders {
  readonly refused: RefusedFoundings;
  readonly held: HeldResources;
}

/** New people whom teams need that this plan does not found, by team: their founder first. */
export type ReservedFounders = ReadonlyMap<TeamKey, readonly FoldedAddress[]>;

/** An administrator who is there or can be created, or none at all. */
export function canHaveAdmin({ admin }: RosterTeam, people: UserIdentities): boolean {
  if (admin === undefined) return true;
  const person = people.get(admin.value);
  return person !== undefined && person.is !== "withheld";
}

/**
 * Tells which teams are not founded, and which new people are kept for them: creating these would spend what such
 * a team is founded with. A team whose administrator is kept for another team has to wait as well.
 */
export function reserveForUnfoundable(
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
  if (identity.is === "unproven") return { is: "unproven", code: identity.code, why: identity.why };
  if (team.admin !== undefined && !canHaveAdmin(team, people)) return { is: "without-admin", admin: team.admin.value };
  const { contest, pairs, cycles, refused, held } = settled;
  const founder = pairs.founderOf.get(team.key);
  if (founder !== undefined) return heldReason(team, founder, held);
  const founders = refused.get(team.key) ?? [];
  if (founders.length > 0) return { is: "refused", founders };
  const rivals = competitors(contest, pairs, team.key);
  if (rivals.people.length < rivals.teams.length) return { is: "outnumbered", ...rivals };
  const own = cycles.filter((cycle) => cycle.includes(team.key));
  return { is: "cycle", teams: [...new Set((own.length > 0 ? own : cycles).flat())] };
}

function heldReason(team: RosterTeam, founder: FoldedAddress, held: HeldResources): UnfoundableReason | undefined {
  if (held.teams.has(team.key)) return { is: "held" };
  if (held.people.has(founder)) return { is: "needs-held", person: founder, as: "founder" };
  const admin = team.admin?.value;
  return admin !== undefined && held.people.has(admin)
    ? { is: "needs-held", person: admin, as: "administrator" }
    : undefined;
}

function isHeld(why: UnfoundableReason | undefined): boolean {
  return why?.is === "held" || why?.is === "needs-held";
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
    // It is about to be founded: nobody else is kept from being created for it.
    if (isHeld(unfounded.get(team.key))) return founder === undefined ? [] : [founder];
    const others = team.members.map(({ address }) => address).filter((one) => one !== founder && !busy.has(one));
    return [...(founder === undefined ? [] : [founder]), ...others.filter((one) => mayFound(team, one, people))];
  }
}
