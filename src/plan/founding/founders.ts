import type { FoldedAddress } from "../../model/address.ts";
import type { RosterTeam } from "../../model/roster.ts";
import type { Basis } from "../../model/subject.ts";
import type { TeamKey } from "../../model/team.ts";
import type { PlanContext } from "../context.ts";
import type { FindingDraft } from "../finding-draft.ts";
import { findOrphanedTeams, findRenameCandidates } from "../guards/renamed-team.ts";
import type { TeamIdentities, UserIdentities } from "../identities.ts";
import {
  canHaveAdmin,
  founderCandidates,
  type MissingTeam,
  type ReservedFounders,
  refusedFoundings,
  reserveForUnfoundable,
} from "./candidates.ts";
import { type SettledFounders, settleFounders } from "./cycles.ts";
import { explainUnfoundable, unreadTeamFields } from "./explain-unfoundable.ts";
import type { FounderCandidates } from "./matching.ts";

/** One team that the plan can found, and with whom. */
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
  /** Whom of them which team may need. */
  readonly reservedFor: ReservedFounders;
  /** Teams that this plan does not found and for which a founder is kept. */
  readonly promised: ReadonlySet<TeamKey>;
  readonly contest: FounderCandidates;
  readonly findings: readonly FindingDraft[];
}

/** Chooses the founder of each new team of the roster. Nobody whom a guard holds is created, nor founds anything. */
export function chooseFounders(teams: TeamIdentities, people: UserIdentities, context: PlanContext): Founders {
  const { held } = context;
  const limits = { refused: refusedFoundings(context), held: held.people };
  const wanted = [...teams.values()].filter((identity) => identity.is === "new" || identity.is === "unproven");
  const all = wanted.map(({ team }) => team);
  const able = all.filter((team) => canHaveAdmin(team, people));
  const settled = settleFounders(
    founderCandidates(able, all, people, limits),
    (team) => teams.get(team)?.team.admin?.value,
  );
  const { unfounded, kept } = reserveForUnfoundable(wanted, { ...settled, refused: limits.refused, held }, people);
  const left = unfounded.size === 0 ? [] : findOrphanedTeams(context, teams);
  const alikeTo = (team: RosterTeam) => findRenameCandidates(team, left, context.roster);
  const going = wanted.filter(({ team }) => !unfounded.has(team.key));
  return {
    foundings: new Map(going.flatMap((identity) => foundingOf(identity, settled))),
    reserved: new Set([...[...kept.values()].flat(), ...held.people]),
    reservedFor: kept,
    promised: new Set([...unfounded.keys()].filter((team) => settled.pairs.founderOf.has(team))),
    contest: settled.contest,
    findings: explainUnfoundable({ teams, people, unfounded, kept, alikeTo, unread: unreadTeamFields(context) }),
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
