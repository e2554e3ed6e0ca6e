import type { TeamRef } from "../model/action.ts";
import { type Basis, createdByThisPlan, unknown } from "../model/fact.ts";
import type { RecordedRefusal } from "../model/refusal.ts";
import type { RosterMember, RosterTeam } from "../model/roster.ts";
import type { SelectedCreations } from "./chosen.ts";
import type { Founders } from "./founding/founders.ts";
import type { PresentUser, UserIdentities, UserToCreate } from "./person.ts";
import type { PlanContext } from "./question.ts";
import { createUserId } from "./references.ts";
import { refusedAddition } from "./remembered-refusals.ts";
import type { MembershipSlot, SlotStatus } from "./seats.ts";
import type { Selection } from "./selection.ts";
import { type MembershipStatus, membershipStatus } from "./standing-in-team.ts";
import { memberSubject, unknownBasis } from "./subjects.ts";
import type { KnownTeam, TeamIdentity, TeamToFound, UnidentifiedTeam } from "./team-identity.ts";

export interface PlacementInput {
  readonly context: PlanContext;
  readonly people: UserIdentities;
  readonly founders: Founders;
  readonly chosen: SelectedCreations;
  readonly selection: Selection;
}

/** What becomes of one member of one team. */
export type PlacementResult =
  | { readonly is: "seat"; readonly seat: MembershipSlot }
  | PlacementIssue
  /** The service would not let the person in, and would not now. */
  | {
      readonly is: "refused";
      readonly person: PresentUser;
      readonly member: RosterMember;
      readonly refusal: RecordedRefusal;
    }
  /** Asked for, but what it needs first is not selected. */
  | { readonly is: "unselected"; readonly person: UserToCreate | PresentUser }
  /** Not selected, or a finding about the person or the team says why. */
  | { readonly is: "nothing" };

export interface PlacementIssue {
  readonly is: "trouble";
  readonly person: PresentUser;
  readonly member: RosterMember;
  readonly standing: Extract<MembershipStatus, { is: "removed" | "in-doubt" | "unknown" }>;
}

const notPlaced: PlacementResult = { is: "nothing" };

export function placeMember(identity: TeamIdentity, member: RosterMember, input: PlacementInput): PlacementResult {
  const person = input.people.get(member.address);
  if (person === undefined || person.is === "withheld") return notPlaced;
  if (identity.is === "new") return placeInNewTeam(identity, member, person, input);
  if (identity.is !== "known" && identity.is !== "unidentified") return notPlaced;
  if (person.is === "new") return addToTeam(identity, member, person, input);
  return placePresentUser(identity, member, person, input);
}

function placePresentUser(
  identity: KnownTeam | UnidentifiedTeam,
  member: RosterMember,
  person: PresentUser,
  input: PlacementInput,
): PlacementResult {
  const standing = membershipStatus(person, member, identity, input.context);
  switch (standing.is) {
    case "member":
      return toSlot(identity.team, identity.is === "known" ? identity.ref : undefined, member, { ...standing, person });
    case "absent":
      return addUnlessRefused(identity, member, person, input, standing.basis);
    case "unknown":
      return person.invitable ? { is: "trouble", person, member, standing } : notPlaced;
    case "removed":
    case "in-doubt":
      return { is: "trouble", person, member, standing };
  }
}

function addUnlessRefused(
  identity: KnownTeam | UnidentifiedTeam,
  member: RosterMember,
  person: PresentUser,
  input: PlacementInput,
  shownAbsent: Basis,
): PlacementResult {
  const joined = addToTeam(identity, member, person, input, shownAbsent);
  if (joined.is !== "seat" || identity.is !== "known") return joined;
  const refusal = refusedAddition(person, identity, input.context);
  return refusal === undefined ? joined : { is: "refused", person, member, refusal };
}

function placeInNewTeam(
  { team }: TeamToFound,
  member: RosterMember,
  person: PresentUser | UserToCreate,
  input: PlacementInput,
): PlacementResult {
  const pair = input.chosen.foundings.get(team.key);
  const wanted = input.selection.keeps({ address: member.address, team: team.key });
  if (pair === undefined) {
    return wanted && input.founders.foundings.has(team.key) ? { is: "unselected", person } : notPlaced;
  }
  const founder = input.people.get(pair.founder);
  if (founder?.is !== "new") return notPlaced;
  const foundedBy = createUserId(founder.user);
  const identifier = unknown<string>("this plan founds the team");
  const ref: TeamRef = { team: team.key, name: team.name, account: team.account, identifier, foundedBy };
  if (founder === person) return toSlot(team, ref, member, { is: "founder", person: founder, by: foundedBy });
  return addToTeam({ is: "known", team, ref }, member, person, input);
}

type JoinableTeam = Pick<KnownTeam, "is" | "team" | "ref"> | UnidentifiedTeam;

function addToTeam(
  identity: JoinableTeam,
  member: RosterMember,
  person: PresentUser | UserToCreate,
  input: PlacementInput,
  shownAbsent?: Basis,
): PlacementResult {
  const { team } = identity;
  const concern = { address: member.address, team: team.key };
  if (identity.is === "unidentified" || !input.selection.keeps(concern)) return notPlaced;
  if (person.is === "present" && !person.invitable) return notPlaced;
  if (person.is === "new" && !input.chosen.creations.has(member.address)) {
    return input.founders.reserved.has(member.address) ? notPlaced : { is: "unselected", person };
  }
  const basis = shownAbsent ?? unknownBasis(memberSubject(member.address, team.key), createdByThisPlan);
  return toSlot(team, identity.ref, member, { is: "joining", person, by: `add-members:${team.key}`, basis });
}

function toSlot(
  team: RosterTeam,
  ref: TeamRef | undefined,
  member: RosterMember,
  holding: SlotStatus,
): PlacementResult {
  return { is: "seat", seat: ref === undefined ? { team, member, holding } : { team, member, holding, ref } };
}
