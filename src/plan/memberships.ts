import type { AddMembers, MemberRef, TeamRef } from "../model/action.ts";
import { distinctReasons, membershipReasons } from "../model/reason.ts";
import type { RosterMember, RosterTeam } from "../model/roster.ts";
import type { Draft } from "./draft.ts";
import { type PlacingGround, placeMember } from "./placing.ts";
import type { Question } from "./question.ts";
import { settlingMembers } from "./recently-added.ts";
import { takenBasis } from "./recreations.ts";
import { createdRef, presentRef } from "./references.ts";
import { tellRefusedMember } from "./refused-member.ts";
import { additionRequest } from "./requests.ts";
import type { Seat } from "./seats.ts";
import { memberSubject } from "./subjects.ts";
import type { TeamIdentity, Teams } from "./team-identity.ts";
import { tellTroubles, tellUnselected } from "./tell-memberships.ts";

export interface Memberships {
  readonly seats: readonly Seat[];
  /** One for each team that somebody joins, in roster order. */
  readonly actions: readonly AddMembers[];
  readonly findings: readonly Draft[];
}

type Joining = Extract<Seat["holding"], { is: "joining" }>;

/** Everybody's place in every team, and one call for each team that somebody is to join. */
export function planMemberships(teams: Teams, ground: PlacingGround): Memberships {
  const planned = [...teams.values()].map((identity) => planTeam(identity, ground));
  return {
    seats: planned.flatMap(({ seats }) => seats),
    actions: planned.flatMap(({ actions }) => actions),
    findings: planned.flatMap(({ findings }) => findings),
  };
}

function planTeam(identity: TeamIdentity, ground: PlacingGround): Memberships {
  const { team } = identity;
  const placed = team.members.map((member) => placeMember(identity, member, ground));
  const seats = placed.flatMap((one) => (one.is === "seat" ? [one.seat] : []));
  const troubles = placed.flatMap((one) => (one.is === "trouble" ? [one] : []));
  const unselected = placed.flatMap((one) => (one.is === "unselected" ? [one.person] : []));
  const refused = placed.flatMap((one) =>
    one.is === "refused" ? [tellRefusedMember(team, one.member, one.person, one.refusal)] : [],
  );
  return {
    seats,
    actions: additions(team, seats, ground.question),
    findings: [
      ...tellTroubles(team, troubles, ground.question),
      ...settlingMembers(seats, ground.question),
      ...refused,
      ...tellUnselected(team, unselected),
    ],
  };
}

function additions(team: RosterTeam, seats: readonly Seat[], question: Question): readonly AddMembers[] {
  const joining = seats.flatMap(({ holding, member, ref }) =>
    holding.is === "joining" && ref !== undefined ? [{ holding, member, ref }] : [],
  );
  const [first] = joining;
  if (first === undefined) return [];
  const members = joining.map(({ holding }) => refOf(holding, question));
  return [
    {
      kind: "add-members",
      rule: first.ref.foundedBy === undefined ? "missing-member" : "joins-new-team",
      id: first.holding.by,
      team: first.ref,
      members,
      because: placesOf(
        team,
        joining.map(({ member }) => member),
      ),
      dependsOn: dependencies(first.ref, members),
      restsOn: joining.flatMap((one) => [one.holding.basis, ...wordFor(one.holding.person, team)]),
    },
  ];
}

function wordFor(person: Joining["person"], { key }: RosterTeam): AddMembers["restsOn"] {
  return person.is === "present" ? takenBasis(person, memberSubject(person.user.address, key)) : [];
}

function refOf({ person }: Joining, question: Question): MemberRef {
  const ref = person.is === "present" ? presentRef(person) : createdRef(person.user);
  return { ...ref, request: additionRequest(person, question) };
}

function dependencies(team: TeamRef, members: AddMembers["members"]): readonly string[] {
  return [...new Set([team.foundedBy, ...members.map(({ createdBy }) => createdBy)])].filter((id) => id !== undefined);
}

function placesOf(team: RosterTeam, members: readonly RosterMember[]): AddMembers["because"] {
  return distinctReasons([...team.because.slice(0, 1), ...members.flatMap(membershipReasons), ...team.because]);
}
