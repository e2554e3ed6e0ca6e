import type { AddMembers, MemberRef, TeamRef } from "../model/action.ts";
import { distinctReasons, membershipReasons } from "../model/fact.ts";
import type { RosterMember, RosterTeam } from "../model/roster.ts";
import type { FindingDraft } from "./draft.ts";
import { type PlacementInput, placeMember } from "./placing.ts";
import type { PlanContext } from "./question.ts";
import { reportRecentlyAdded } from "./recently-added.ts";
import { acceptedReplacementBasis } from "./recreations.ts";
import { createdRef, presentRef } from "./references.ts";
import { reportRefusedMember } from "./refused-member.ts";
import { additionRequest } from "./requests.ts";
import type { MembershipSlot } from "./seats.ts";
import { memberSubject } from "./subjects.ts";
import type { TeamIdentities, TeamIdentity } from "./team-identity.ts";
import { reportPlacementIssues, reportUnselectedMembers } from "./tell-memberships.ts";

export interface MembershipPlan {
  readonly seats: readonly MembershipSlot[];
  /** One for each team that somebody joins, in roster order. */
  readonly actions: readonly AddMembers[];
  readonly findings: readonly FindingDraft[];
}

type JoiningMember = Extract<MembershipSlot["holding"], { is: "joining" }>;

/** Everybody's place in every team, and one call for each team that somebody is to join. */
export function planMemberships(teams: TeamIdentities, input: PlacementInput): MembershipPlan {
  const planned = [...teams.values()].map((identity) => planTeamMemberships(identity, input));
  return {
    seats: planned.flatMap(({ seats }) => seats),
    actions: planned.flatMap(({ actions }) => actions),
    findings: planned.flatMap(({ findings }) => findings),
  };
}

function planTeamMemberships(identity: TeamIdentity, input: PlacementInput): MembershipPlan {
  const { team } = identity;
  const placed = team.members.map((member) => placeMember(identity, member, input));
  const seats = placed.flatMap((one) => (one.is === "seat" ? [one.seat] : []));
  const troubles = placed.flatMap((one) => (one.is === "trouble" ? [one] : []));
  const unselected = placed.flatMap((one) => (one.is === "unselected" ? [one.person] : []));
  const refused = placed.flatMap((one) =>
    one.is === "refused" ? [reportRefusedMember(team, one.member, one.person, one.refusal)] : [],
  );
  return {
    seats,
    actions: addMembersActions(team, seats, input.context),
    findings: [
      ...reportPlacementIssues(team, troubles, input.context),
      ...reportRecentlyAdded(seats, input.context),
      ...refused,
      ...reportUnselectedMembers(team, unselected),
    ],
  };
}

function addMembersActions(
  team: RosterTeam,
  seats: readonly MembershipSlot[],
  context: PlanContext,
): readonly AddMembers[] {
  const joining = seats.flatMap(({ holding, member, ref }) =>
    holding.is === "joining" && ref !== undefined ? [{ holding, member, ref }] : [],
  );
  const [first] = joining;
  if (first === undefined) return [];
  const members = joining.map(({ holding }) => memberRef(holding, context));
  return [
    {
      kind: "add-members",
      rule: first.ref.foundedBy === undefined ? "missing-member" : "joins-new-team",
      id: first.holding.by,
      team: first.ref,
      members,
      because: additionReasons(
        team,
        joining.map(({ member }) => member),
      ),
      dependsOn: dependencies(first.ref, members),
      restsOn: joining.flatMap((one) => [one.holding.basis, ...acceptedReplacement(one.holding.person, team)]),
    },
  ];
}

function acceptedReplacement(person: JoiningMember["person"], { key }: RosterTeam): AddMembers["restsOn"] {
  return person.is === "present" ? acceptedReplacementBasis(person, memberSubject(person.user.address, key)) : [];
}

function memberRef({ person }: JoiningMember, context: PlanContext): MemberRef {
  const ref = person.is === "present" ? presentRef(person) : createdRef(person.user);
  return { ...ref, request: additionRequest(person, context) };
}

function dependencies(team: TeamRef, members: AddMembers["members"]): readonly string[] {
  return [...new Set([team.foundedBy, ...members.map(({ createdBy }) => createdBy)])].filter((id) => id !== undefined);
}

function additionReasons(team: RosterTeam, members: readonly RosterMember[]): AddMembers["because"] {
  return distinctReasons([...team.because.slice(0, 1), ...members.flatMap(membershipReasons), ...team.because]);
}
