import type { TeamRef } from "../model/action.ts";
import { type Basis, createdByThisPlan, unknown } from "../model/fact.ts";
import type { RecordedRefusal } from "../model/refusal.ts";
import type { RosterMember, RosterTeam } from "../model/roster.ts";
import type { Chosen } from "./chosen.ts";
import type { Founders } from "./founding/founders.ts";
import type { NewPerson, People, Present } from "./person.ts";
import type { Question } from "./question.ts";
import { createUserId } from "./references.ts";
import { refusedAddition } from "./remembered-refusals.ts";
import type { Holding, Seat } from "./seats.ts";
import type { Selection } from "./selection.ts";
import { type Standing, standingInTeam } from "./standing-in-team.ts";
import { memberSubject, notKnown } from "./subjects.ts";
import type { KnownTeam, NewTeamWanted, TeamIdentity, UnidentifiedTeam } from "./team-identity.ts";

export interface PlacingGround {
  readonly question: Question;
  readonly people: People;
  readonly founders: Founders;
  readonly chosen: Chosen;
  readonly selection: Selection;
}

/** What becomes of one member of one team. */
export type Placed =
  | { readonly is: "seat"; readonly seat: Seat }
  | Trouble
  /** The service would not let the person in, and would not now. */
  | {
      readonly is: "refused";
      readonly person: Present;
      readonly member: RosterMember;
      readonly refusal: RecordedRefusal;
    }
  /** Asked for, but what it needs first is not selected. */
  | { readonly is: "unselected"; readonly person: NewPerson | Present }
  /** Not selected, or a finding about the person or the team says why. */
  | { readonly is: "nothing" };

export interface Trouble {
  readonly is: "trouble";
  readonly person: Present;
  readonly member: RosterMember;
  readonly standing: Extract<Standing, { is: "removed" | "in-doubt" | "unknown" }>;
}

const nothing: Placed = { is: "nothing" };

export function placeMember(identity: TeamIdentity, member: RosterMember, ground: PlacingGround): Placed {
  const person = ground.people.get(member.address);
  if (person === undefined || person.is === "withheld") return nothing;
  if (identity.is === "new") return placeInNewTeam(identity, member, person, ground);
  if (identity.is !== "known" && identity.is !== "unidentified") return nothing;
  if (person.is === "new") return join(identity, member, person, ground);
  return placePresent(identity, member, person, ground);
}

function placePresent(
  identity: KnownTeam | UnidentifiedTeam,
  member: RosterMember,
  person: Present,
  ground: PlacingGround,
): Placed {
  const standing = standingInTeam(person, member, identity, ground.question);
  switch (standing.is) {
    case "member":
      return seat(identity.team, identity.is === "known" ? identity.ref : undefined, member, { ...standing, person });
    case "absent":
      return joinUnlessRefused(identity, member, person, ground, standing.basis);
    case "unknown":
      return person.invitable ? { is: "trouble", person, member, standing } : nothing;
    case "removed":
    case "in-doubt":
      return { is: "trouble", person, member, standing };
  }
}

function joinUnlessRefused(
  identity: KnownTeam | UnidentifiedTeam,
  member: RosterMember,
  person: Present,
  ground: PlacingGround,
  shownAbsent: Basis,
): Placed {
  const joined = join(identity, member, person, ground, shownAbsent);
  if (joined.is !== "seat" || identity.is !== "known") return joined;
  const refusal = refusedAddition(person, identity, ground.question);
  return refusal === undefined ? joined : { is: "refused", person, member, refusal };
}

function placeInNewTeam(
  { team }: NewTeamWanted,
  member: RosterMember,
  person: Present | NewPerson,
  ground: PlacingGround,
): Placed {
  const pair = ground.chosen.foundings.get(team.key);
  const wanted = ground.selection.keeps({ address: member.address, team: team.key });
  if (pair === undefined) {
    return wanted && ground.founders.foundings.has(team.key) ? { is: "unselected", person } : nothing;
  }
  const founder = ground.people.get(pair.founder);
  if (founder?.is !== "new") return nothing;
  const foundedBy = createUserId(founder.user);
  const identifier = unknown<string>("this plan founds the team");
  const ref: TeamRef = { team: team.key, name: team.name, account: team.account, identifier, foundedBy };
  if (founder === person) return seat(team, ref, member, { is: "founder", person: founder, by: foundedBy });
  return join({ is: "known", team, ref }, member, person, ground);
}

type Joinable = Pick<KnownTeam, "is" | "team" | "ref"> | UnidentifiedTeam;

function join(
  identity: Joinable,
  member: RosterMember,
  person: Present | NewPerson,
  ground: PlacingGround,
  shownAbsent?: Basis,
): Placed {
  const { team } = identity;
  const concern = { address: member.address, team: team.key };
  if (identity.is === "unidentified" || !ground.selection.keeps(concern)) return nothing;
  if (person.is === "present" && !person.invitable) return nothing;
  if (person.is === "new" && !ground.chosen.creations.has(member.address)) {
    return ground.founders.kept.has(member.address) ? nothing : { is: "unselected", person };
  }
  const basis = shownAbsent ?? notKnown(memberSubject(member.address, team.key), createdByThisPlan);
  return seat(team, identity.ref, member, { is: "joining", person, by: `add-members:${team.key}`, basis });
}

function seat(team: RosterTeam, ref: TeamRef | undefined, member: RosterMember, holding: Holding): Placed {
  return { is: "seat", seat: ref === undefined ? { team, member, holding } : { team, member, holding, ref } };
}
