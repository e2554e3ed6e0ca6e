import type { ActionId, TeamRef } from "../../model/action.ts";
import { unknown } from "../../model/fact.ts";
import type { RosterMember, RosterTeam } from "../../model/roster.ts";
import type { RecordedMembership, RecordedRefusal } from "../../model/state.ts";
import { type Basis, createdByThisPlan, memberSubject, unknownBasis } from "../../model/subject.ts";
import type { PlanContext } from "../context.ts";
import {
  type AbsentTeam,
  type AbsentUser,
  createUserId,
  type KnownKey,
  type KnownTeam,
  type PresentUser,
  type TeamIdentity,
  type UnidentifiedTeam,
  type UserIdentities,
} from "../identities.ts";
import type { FirstMembers } from "../new-teams.ts";
import { additionRequest, refusalOf } from "../remembered-refusals.ts";
import type { SelectedCreations, Selection } from "../selection.ts";
import { type MembershipStatus, membershipStatus } from "./membership-status.ts";

/** One person's place in one team, as the plan finds it or makes it. */
export interface MembershipSlot {
  readonly team: RosterTeam;
  /** How calls name the team; absent where its identifier is not to be had. */
  readonly ref?: TeamRef;
  readonly member: RosterMember;
  readonly status: SlotStatus;
}

type SlotStatus =
  /** There already. Without a key, its prefix is not known. `settling`: by our record alone, since reads do not show it yet. */
  | {
      readonly is: "member";
      readonly person: PresentUser;
      readonly key: KnownKey;
      readonly settling?: RecordedMembership;
    }
  | {
      readonly is: "member";
      readonly person: PresentUser;
      readonly key?: undefined;
      readonly basis: Basis;
      readonly settling?: RecordedMembership;
    }
  /** The person's creation creates the team. */
  | { readonly is: "first-member"; readonly person: AbsentUser; readonly by: ActionId }
  /** Added by this plan. */
  | {
      readonly is: "joining";
      readonly person: PresentUser | AbsentUser;
      readonly by: ActionId;
      readonly basis: Basis;
    };

export interface PlacementInput {
  readonly context: PlanContext;
  readonly people: UserIdentities;
  readonly firstMembers: FirstMembers;
  readonly chosen: SelectedCreations;
  readonly selection: Selection;
}

/** What becomes of one member of one team. */
type PlacementResult =
  | { readonly is: "slot"; readonly slot: MembershipSlot }
  | PlacementIssue
  /** The service would not let the person in, and would not now. */
  | {
      readonly is: "refused";
      readonly person: PresentUser;
      readonly member: RosterMember;
      readonly refusal: RecordedRefusal;
    }
  /** Asked for, but what it needs first is not selected. */
  | { readonly is: "unselected"; readonly person: AbsentUser | PresentUser }
  /** Not selected, or a finding about the person or the team says why. */
  | { readonly is: "nothing" };

export interface PlacementIssue {
  readonly is: "issue";
  readonly person: PresentUser;
  readonly member: RosterMember;
  readonly status: Extract<MembershipStatus, { is: "removed" | "in-doubt" | "unknown" }>;
}

const notPlaced: PlacementResult = { is: "nothing" };

export function placeMember(identity: TeamIdentity, member: RosterMember, input: PlacementInput): PlacementResult {
  const person = input.people.get(member.address);
  if (person === undefined || person.is === "blocked") return notPlaced;
  if (identity.is === "absent") return placeInNewTeam(identity, member, person, input);
  if (identity.is !== "known" && identity.is !== "unidentified") return notPlaced;
  if (person.is === "absent") return addToTeam(identity, member, person, input);
  return placePresentUser(identity, member, person, input);
}

function placePresentUser(
  identity: KnownTeam | UnidentifiedTeam,
  member: RosterMember,
  person: PresentUser,
  input: PlacementInput,
): PlacementResult {
  const status = membershipStatus(person, member, identity, input.context);
  switch (status.is) {
    case "member":
      return toSlot(identity.team, identity.is === "known" ? identity.ref : undefined, member, { ...status, person });
    case "absent":
      return addUnlessRefused(identity, member, person, input, status.basis);
    case "unknown":
      return person.invitable ? { is: "issue", person, member, status } : notPlaced;
    case "removed":
    case "in-doubt":
      return { is: "issue", person, member, status };
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
  if (joined.is !== "slot" || identity.is !== "known") return joined;
  const refusal = refusalOf(additionRequest(person, identity.ref), input.context);
  return refusal === undefined ? joined : { is: "refused", person, member, refusal };
}

function placeInNewTeam(
  { team }: AbsentTeam,
  member: RosterMember,
  person: PresentUser | AbsentUser,
  input: PlacementInput,
): PlacementResult {
  const pair = input.chosen.teamCreations.get(team.key);
  const wanted = input.selection.keeps({ address: member.address, team: team.key });
  if (pair === undefined) {
    return wanted && input.firstMembers.teamCreations.has(team.key) ? { is: "unselected", person } : notPlaced;
  }
  const firstMember = input.people.get(pair.firstMember);
  if (firstMember?.is !== "absent") return notPlaced;
  const createdBy = createUserId(firstMember.user);
  const identifier = unknown<string>("this plan creates the team");
  const ref: TeamRef = { team: team.key, name: team.name, account: team.account, identifier, createdBy };
  if (firstMember === person)
    return toSlot(team, ref, member, { is: "first-member", person: firstMember, by: createdBy });
  return addToTeam({ is: "known", team, ref }, member, person, input);
}

type JoinableTeam = Pick<KnownTeam, "is" | "team" | "ref"> | UnidentifiedTeam;

function addToTeam(
  identity: JoinableTeam,
  member: RosterMember,
  person: PresentUser | AbsentUser,
  input: PlacementInput,
  shownAbsent?: Basis,
): PlacementResult {
  const { team } = identity;
  const concern = { address: member.address, team: team.key };
  if (identity.is === "unidentified" || !input.selection.keeps(concern)) return notPlaced;
  if (person.is === "present" && !person.invitable) return notPlaced;
  if (person.is === "absent" && !input.chosen.creations.has(member.address)) {
    return input.firstMembers.reserved.has(member.address) ? notPlaced : { is: "unselected", person };
  }
  const basis = shownAbsent ?? unknownBasis(memberSubject(member.address, team.key), createdByThisPlan);
  return toSlot(team, identity.ref, member, { is: "joining", person, by: `add-members:${team.key}`, basis });
}

function toSlot(team: RosterTeam, ref: TeamRef | undefined, member: RosterMember, status: SlotStatus): PlacementResult {
  return { is: "slot", slot: ref === undefined ? { team, member, status } : { team, member, status, ref } };
}
