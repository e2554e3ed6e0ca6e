import type { FoldedAddress } from "../../model/address.ts";
import type { Basis } from "../../model/fact.ts";
import type { TeamKey } from "../../model/names.ts";
import type { RosterTeam } from "../../model/roster.ts";
import type { Draft } from "../draft.ts";
import { teamsAlike } from "../guards/alike-teams.ts";
import { teamsLeft } from "../guards/teams-left.ts";
import type { People } from "../person.ts";
import type { Question } from "../question.ts";
import type { Teams } from "../team-identity.ts";
import { unreadTeamFields } from "../unread-team-fields.ts";
import { type Settled, settleFounders } from "./admin-cycles.ts";
import { openContest } from "./contest.ts";
import type { Contest } from "./matching.ts";
import { refusedFoundings } from "./refused-foundings.ts";
import { tellUnfounded } from "./tell-unfounded.ts";
import { canHaveAdmin, type KeptFor, keepForUnfounded, type WantedTeam } from "./unfounded.ts";

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
  readonly kept: ReadonlySet<FoldedAddress>;
  /** Whom of them which team may need. */
  readonly keptFor: KeptFor;
  /** Teams that this plan does not found and for which a founder is kept. */
  readonly promised: ReadonlySet<TeamKey>;
  readonly contest: Contest;
  readonly findings: readonly Draft[];
}

/** Chooses the founder of each new team of the roster. Nobody whom a guard holds is created, nor founds anything. */
export function chooseFounders(teams: Teams, people: People, question: Question): Founders {
  const { held } = question;
  const limits = { refused: refusedFoundings(question), held: held.people };
  const wanted = [...teams.values()].filter((identity) => identity.is === "new" || identity.is === "unproven");
  const all = wanted.map(({ team }) => team);
  const able = all.filter((team) => canHaveAdmin(team, people));
  const settled = settleFounders(openContest(able, all, people, limits), (team) => teams.get(team)?.team.admin?.value);
  const { unfounded, kept } = keepForUnfounded(wanted, { ...settled, refused: limits.refused, held }, people);
  const left = unfounded.size === 0 ? [] : teamsLeft(question, teams);
  const alikeTo = (team: RosterTeam) => teamsAlike(team, left, question.roster);
  const going = wanted.filter(({ team }) => !unfounded.has(team.key));
  return {
    foundings: new Map(going.flatMap((identity) => foundingOf(identity, settled))),
    kept: new Set([...[...kept.values()].flat(), ...held.people]),
    keptFor: kept,
    promised: new Set([...unfounded.keys()].filter((team) => settled.pairs.founderOf.has(team))),
    contest: settled.contest,
    findings: tellUnfounded({ teams, people, unfounded, kept, alikeTo, unread: unreadTeamFields(question) }),
  };
}

function foundingOf(identity: WantedTeam, { pairs }: Settled): readonly (readonly [TeamKey, FoundingPair])[] {
  const { team } = identity;
  const founder = pairs.founderOf.get(team.key);
  if (identity.is !== "new" || founder === undefined) return [];
  const { absence } = identity;
  const admin = team.admin?.value;
  const pair = { team, absence, founder, ...(admin === undefined || admin === founder ? {} : { admin }) };
  return [[team.key, pair]];
}
