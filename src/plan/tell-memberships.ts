import type { RosterTeam } from "../model/roster.ts";
import type { FindingDraft } from "./draft.ts";
import type { PresentUser, UserToCreate } from "./person.ts";
import type { PlacementIssue } from "./placing.ts";
import type { PlanContext } from "./question.ts";
import { formatDecisionTime, formatResolveCommands } from "./resolve-words.ts";
import { joinList, memberSubject, recordedBasis, teamSubject, unknownBasis, yamlScalar } from "./subjects.ts";

/** Findings about members of a team who may not be added, because nobody is mailed twice. */
export function reportPlacementIssues(
  team: RosterTeam,
  troubles: readonly PlacementIssue[],
  context: PlanContext,
): readonly FindingDraft[] {
  const inDoubt = troubles.filter(({ standing }) => standing.is === "in-doubt");
  return [
    ...troubles.flatMap((trouble) => placementIssueFindings(team, trouble)),
    ...additionInDoubtFindings(team, inDoubt, context),
  ];
}

/** A notice about members whose addition needs something first that is not selected. */
export function reportUnselectedMembers(
  team: RosterTeam,
  people: readonly (UserToCreate | PresentUser)[],
): readonly FindingDraft[] {
  if (people.length === 0) return [];
  const names = joinList(people.map(({ user }) => user.email));
  return [
    {
      code: "not-selected",
      subject: `additions to ${teamSubject(team.key)}`,
      message: `${names} cannot be added to ${team.name} by this plan: the team or the person has to be created first and is not selected.`,
      because: team.because.slice(0, 1),
      concerns: people.map(({ user }) => ({ address: user.address, team: team.key })),
    },
  ];
}

function placementIssueFindings(
  team: RosterTeam,
  { person, member, standing }: PlacementIssue,
): readonly FindingDraft[] {
  const { email, address } = person.user;
  const subject = memberSubject(address, team.key);
  const about = { subject, because: member.because, concerns: [{ address, team: team.key }] };
  switch (standing.is) {
    case "removed": {
      const { how, at } = standing.record;
      const past = how === "added" ? "was added to" : how === "founded" ? "founded" : "was seen in";
      const message =
        `${email} ${past} ${team.name} at ${at} and is shown without a key of the team now. Nobody is invited twice: ` +
        "add the person by hand, or take them out of the team in the roster.";
      return [{ ...about, code: "member-removed", message, restsOn: [recordedBasis(subject, how, at)] }];
    }
    case "unknown": {
      const message =
        `It is not known whether ${email} is a member of ${team.name}: ${standing.why}. Nobody is invited on a doubt; ` +
        "if the person is a member, give the prefix of the team key in the roster; if not, say " +
        `${formatAssumeAbsent(team, email)} for one run.`;
      const suggestedYaml = memberKeyYaml(team, email);
      return [
        {
          ...about,
          code: "unknown-membership",
          message,
          suggestedYaml,
          restsOn: [unknownBasis(subject, standing.why)],
        },
      ];
    }
    case "in-doubt":
      return [];
  }
}

function additionInDoubtFindings(
  team: RosterTeam,
  troubles: readonly PlacementIssue[],
  context: PlanContext,
): readonly FindingDraft[] {
  const opens = troubles.flatMap(({ standing }) => (standing.is === "in-doubt" ? [standing.open] : []));
  const [open] = opens;
  if (open === undefined) return [];
  const subject = `additions to ${teamSubject(team.key)}`;
  const message =
    `roster sent an addition of ${joinList(troubles.map(({ person }) => person.user.email))} to ${team.name} at ${open.at}, and does ` +
    `not know whether it was done. Nobody is invited twice. ${formatDecisionTime(opens, context)}. Or give the prefixes of the team keys in the ` +
    `roster, look in the service and ${formatResolveCommands(opens, context)}, or, of somebody who is not in the team, say ` +
    `${formatAssumeAbsent(team, troubles[0]?.person.user.email ?? "EMAIL")} for one run.`;
  return [
    {
      code: "unknown-outcome",
      subject,
      message,
      because: team.because.slice(0, 1),
      restsOn: [recordedBasis(subject, `announced by run ${open.run}`, open.at)],
      concerns: troubles.map(({ person }) => ({ address: person.user.address, team: team.key })),
    },
  ];
}

/** What a person says who knows that somebody is not in a team. */
function formatAssumeAbsent({ name }: RosterTeam, email: string): string {
  const written = `member:${name}/${email}`;
  return `--assume-absent ${/^[\w:/.@+-]+$/u.test(written) ? written : JSON.stringify(written)}`;
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
