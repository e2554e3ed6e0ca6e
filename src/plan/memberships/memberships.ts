import type { AddMembers, MemberRef, TeamRef } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import { distinctReasons, membershipReasons } from "../../model/fact.ts";
import type { Exception } from "../../model/policy.ts";
import type { RosterMember, RosterTeam } from "../../model/roster.ts";
import type { RecordedRefusal } from "../../model/state.ts";
import { memberSubject, partOf, recordedBasis, type Subject, unknownBasis } from "../../model/subject.ts";
import { foldName } from "../../model/team.ts";
import { formatDecisionTime, formatResolveCommands, formatWait, isWindowOver, type PlanContext } from "../context.ts";
import { type FindingDraft, joinList, yamlScalar } from "../finding-draft.ts";
import {
  type AbsentUser,
  createdRef,
  type PresentUser,
  presentRef,
  type TeamIdentities,
  type TeamIdentity,
} from "../identities.ts";
import { additionRequest, refusedFinding } from "../remembered-refusals.ts";
import { acceptedReplacementBasis } from "../vanished-users.ts";
import { type MembershipSlot, type PlacementInput, type PlacementIssue, placeMember } from "./placement.ts";

interface MembershipPlan {
  readonly slots: readonly MembershipSlot[];
  /** One for each team that somebody joins, in roster order. */
  readonly actions: readonly AddMembers[];
  readonly findings: readonly FindingDraft[];
}

type JoiningMember = Extract<MembershipSlot["status"], { is: "joining" }>;

/** Everybody's place in every team, and one call for each team that somebody is to join. */
export function planMemberships(teams: TeamIdentities, input: PlacementInput): MembershipPlan {
  const planned = [...teams.values()].map((identity) => planTeamMemberships(identity, input));
  return {
    slots: planned.flatMap(({ slots }) => slots),
    actions: planned.flatMap(({ actions }) => actions),
    findings: planned.flatMap(({ findings }) => findings),
  };
}

function planTeamMemberships(identity: TeamIdentity, input: PlacementInput): MembershipPlan {
  const { team } = identity;
  const placed = team.members.map((member) => placeMember(identity, member, input));
  const slots = placed.flatMap((one) => (one.is === "slot" ? [one.slot] : []));
  const issues = placed.flatMap((one) => (one.is === "issue" ? [one] : []));
  const unselected = placed.flatMap((one) => (one.is === "unselected" ? [one.person] : []));
  const refused = placed.flatMap((one) =>
    one.is === "refused" ? [reportRefusedMember(team, one.member, one.refusal)] : [],
  );
  return {
    slots,
    actions: addMembersActions(team, slots),
    findings: [
      ...reportPlacementIssues(team, issues, input.context),
      ...reportRecentlyAdded(slots, input.context),
      ...refused,
      ...reportUnselectedMembers(team, unselected),
    ],
  };
}

function addMembersActions(team: RosterTeam, slots: readonly MembershipSlot[]): readonly AddMembers[] {
  const joining = slots.flatMap(({ status, member, ref }) =>
    status.is === "joining" && ref !== undefined ? [{ status, member, ref }] : [],
  );
  const [first] = joining;
  if (first === undefined) return [];
  const members = joining.map(({ status }) => memberRef(status, first.ref));
  return [
    {
      kind: "add-members",
      rule: first.ref.createdBy === undefined ? "missing-member" : "joins-new-team",
      id: first.status.by,
      team: first.ref,
      members,
      because: additionReasons(
        team,
        joining.map(({ member }) => member),
      ),
      dependsOn: dependencies(first.ref, members),
      restsOn: joining.flatMap((one) => [one.status.basis, ...acceptedReplacement(one.status.person, team)]),
    },
  ];
}

function acceptedReplacement(person: JoiningMember["person"], { key }: RosterTeam): AddMembers["restsOn"] {
  return person.is === "present" ? acceptedReplacementBasis(person, memberSubject(person.user.address, key)) : [];
}

function memberRef({ person }: JoiningMember, team: TeamRef): MemberRef {
  const ref = person.is === "present" ? presentRef(person) : createdRef(person.user);
  return { ...ref, request: additionRequest(person, team) };
}

function dependencies(team: TeamRef, members: AddMembers["members"]): readonly string[] {
  return [...new Set([team.createdBy, ...members.map(({ createdBy }) => createdBy)])].filter((id) => id !== undefined);
}

function additionReasons(team: RosterTeam, members: readonly RosterMember[]): AddMembers["because"] {
  return distinctReasons([...team.because.slice(0, 1), ...members.flatMap(membershipReasons), ...team.because]);
}

/** Findings about members of a team who may not be added, because nobody is mailed twice. */
function reportPlacementIssues(
  team: RosterTeam,
  issues: readonly PlacementIssue[],
  context: PlanContext,
): readonly FindingDraft[] {
  const inDoubt = issues.filter(({ status }) => status.is === "in-doubt");
  return [
    ...issues.flatMap((issue) => placementIssueFindings(team, issue)),
    ...additionInDoubtFindings(team, inDoubt, context),
  ];
}

/** A notice about members whose addition needs something first that is not selected. */
function reportUnselectedMembers(
  team: RosterTeam,
  people: readonly (AbsentUser | PresentUser)[],
): readonly FindingDraft[] {
  if (people.length === 0) return [];
  const names = joinList(people.map(({ user }) => user.email));
  return [
    {
      code: "not-selected",
      subject: { kind: "additions", team: team.key },
      message: `This plan does not add ${names} to ${team.name}. The team or the user must be created first and is not selected.`,
      because: team.because.slice(0, 1),
      concerns: people.map(({ user }) => ({ address: user.address, team: team.key })),
    },
  ];
}

function placementIssueFindings(team: RosterTeam, { person, member, status }: PlacementIssue): readonly FindingDraft[] {
  const { email, address } = person.user;
  const subject = memberSubject(address, team.key);
  const about = { subject, because: member.because, concerns: [{ address, team: team.key }] };
  switch (status.is) {
    case "removed": {
      const { how, at } = status.record;
      const past = how === "added" ? "was added to" : how === "created" ? "was the first member of" : "was seen in";
      const message =
        `${email} ${past} ${team.name} at ${at}. Now the service shows no key of the team for them. roster does not invite anyone twice. ` +
        "Add the member in the service, or remove them from the team in the roster.";
      return [{ ...about, code: "member-removed", message, restsOn: [recordedBasis(subject, how, at)] }];
    }
    case "unknown": {
      const message =
        `roster cannot know if ${email} is a member of ${team.name}: ${status.why}. roster does not invite a user in doubt. ` +
        "If they are a member, write the prefix of their team key as `key`. If not, allow the addition.";
      const suggestedYaml = memberKeyYaml(team, email);
      return [
        {
          ...about,
          code: "unproven-absence",
          message,
          suggestedYaml,
          restsOn: [unknownBasis(subject, status.why)],
          allow: [absentMember(team, address)],
        },
      ];
    }
    case "in-doubt":
      return [];
  }
}

function additionInDoubtFindings(
  team: RosterTeam,
  issues: readonly PlacementIssue[],
  context: PlanContext,
): readonly FindingDraft[] {
  const opens = issues.flatMap(({ status }) => (status.is === "in-doubt" ? [status.open] : []));
  const [open] = opens;
  if (open === undefined) return [];
  const subject: Subject = { kind: "additions", team: team.key };
  const resolve = formatResolveCommands(opens);
  const isOver = isWindowOver(opens, context);
  const next = isOver
    ? `Reads still do not show who is in the team. Write the prefixes of the team keys into the roster. Or look in the service and ${resolve}. ` +
      "If a user is not in the team, allow the addition."
    : `${formatDecisionTime(opens, context)}. Or write the prefixes of the team keys into the roster. Or look in the service and ${resolve}.`;
  const message =
    `roster sent a call to add ${joinList(issues.map(({ person }) => person.user.email))} to ${team.name} at ${open.at}. ` +
    `The outcome is unknown. roster does not invite anyone twice. ${next}`;
  return [
    {
      code: "unknown-outcome",
      subject,
      message,
      because: team.because.slice(0, 1),
      restsOn: [recordedBasis(subject, `announced by run ${open.run}`, open.at)],
      ...(isOver ? { allow: issues.map(({ person }) => absentMember(team, person.user.address)) } : {}),
      concerns: issues.map(({ person }) => ({ address: person.user.address, team: team.key })),
    },
  ];
}

function absentMember({ name }: RosterTeam, address: EmailKey): Exception {
  return { is: "absent-member", team: foldName(name), address };
}

/** Where a person fills in the prefix of a team key. */
export function memberKeyYaml(team: RosterTeam, email: string): string {
  return [
    "teams:",
    `  - name: ${yamlScalar(team.name)}`,
    "    members:",
    `      - { user: ${yamlScalar(email)}, key: PREFIX }`,
    "",
  ].join("\n");
}

/** Members that we added a moment ago, and that no read shows in the team yet. */
function reportRecentlyAdded(slots: readonly MembershipSlot[], context: PlanContext): readonly FindingDraft[] {
  return slots.flatMap(({ team, member, status }) => {
    if (status.is !== "member" || status.settling === undefined) return [];
    const { how, at } = status.settling;
    const { address, email } = status.person.user;
    const subject = memberSubject(address, team.key);
    const did =
      how === "created" ? `roster created ${team.name} with ${email}` : `roster added ${email} to ${team.name}`;
    const waits = member.roles !== undefined && status.key === undefined ? ({ waits: true } as const) : {};
    const draft: FindingDraft = {
      code: "write-pending",
      subject,
      message: `${did} at ${at}. Reads do not show the membership yet. ${formatWait(at, context)}`,
      because: member.because,
      restsOn: [recordedBasis(subject, how, at)],
      concerns: [{ address, team: team.key }],
      ...waits,
    };
    return [draft];
  });
}

/** Somebody that the service would not let into a team. */
function reportRefusedMember(
  team: RosterTeam,
  { because, address }: RosterMember,
  refusal: RecordedRefusal,
): FindingDraft {
  const subject = memberSubject(address, team.key);
  return {
    ...refusedFinding(partOf("addition", subject), refusal, "correct the member or the team in the roster"),
    subject,
    because,
    concerns: [{ address, team: team.key }],
  };
}
