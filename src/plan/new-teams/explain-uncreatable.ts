import type { EmailKey } from "../../model/address.ts";
import {
  relevantUnreadFields,
  suggestedShapesYaml,
  type UnreadField,
  unreadFieldNames,
} from "../../model/capabilities.ts";
import { declared, distinctReasons, type Reason, reasonAt } from "../../model/fact.ts";
import type { Exception } from "../../model/policy.ts";
import { retryOf } from "../../model/policy.ts";
import type { RosterTeam } from "../../model/roster.ts";
import {
  type Basis,
  observedBasis,
  partOf,
  recordedBasis,
  teamSubject,
  unknownBasis,
  userSubject,
} from "../../model/subject.ts";
import { foldName, type TeamKey } from "../../model/team.ts";
import type { PlanContext } from "../context.ts";
import { type FindingDraft, joinList, yamlScalar } from "../finding-draft.ts";
import {
  findOrphanedTeams,
  findRenameCandidates,
  formatRenameCandidates,
  type OrphanedTeam,
  renameYaml,
} from "../guards/renamed-team.ts";
import { type TeamIdentities, teamFinding, type UserIdentities } from "../identities.ts";
import { formatRefusal, formatRefusalRemedies } from "../remembered-refusals.ts";
import type { FirstMembers, RefusedFirstMember, UncreatableReason } from "./first-members.ts";

interface ExplainInput {
  readonly teams: TeamIdentities;
  readonly people: UserIdentities;
  readonly firstMembers: FirstMembers;
  readonly context: PlanContext;
  /** Teams that the roster does not name: one of its teams may be one of them under a new name. */
  readonly orphaned: readonly OrphanedTeam[];
}

/** One finding for each team that is not there and that this plan does not found. */
export function explainUncreatable(
  firstMembers: FirstMembers,
  teams: TeamIdentities,
  people: UserIdentities,
  context: PlanContext,
): readonly FindingDraft[] {
  const { unfounded } = firstMembers;
  if (unfounded.size === 0) return [];
  const input = { teams, people, firstMembers, context, orphaned: findOrphanedTeams(context, teams) };
  return [...unfounded].flatMap(([key, why]) => {
    const team = teams.get(key)?.team;
    return team === undefined || why.is === "held" ? [] : [explainTeam(team, why, input)];
  });
}

function explainTeam(
  team: RosterTeam,
  why: Exclude<UncreatableReason, { is: "held" }>,
  input: ExplainInput,
): FindingDraft {
  const keptHere = input.firstMembers.reservedFor.get(team.key) ?? [];
  const waits =
    keptHere.length === 0
      ? ""
      : ` Until then, roster does not create ${userEmails(keptHere, input)}. The team needs a new user.`;
  switch (why.is) {
    case "unproven":
      return explainUnproven(team, why, waits, input);
    case "needs-held":
      return explainHeld(team, why, keptHere, input);
    case "not-started":
      return explainNotStarted(team, why, waits, input);
    case "roles":
      return explainRoles(team, why, waits, input);
    case "without-admin":
    case "admin-kept":
      return teamFinding(team, {
        code: "cannot-create-team",
        message: `${adminMessage(team, why, input)}${waits}`,
        restsOn: absenceBases(team, input),
      });
    case "refused": {
      const message = `${refusedMessage(why.firstMembers)}${waits}`;
      const about = partOf("team-creation", teamSubject(team.key));
      const restsOn = [
        ...absenceBases(team, input),
        ...why.firstMembers.map(({ refusal }) => recordedBasis(about, "refused", refusal.at)),
      ];
      const people = why.firstMembers.map(({ firstMember }) => firstMember);
      const because = distinctReasons([...team.because.slice(0, 1), ...rosterReasons([], people, input)]);
      const allow = why.firstMembers.slice(0, 1).map(({ refusal }) => retryOf(refusal));
      return { ...teamFinding(team, { code: "refused", message, restsOn, allow }), because };
    }
    case "cycle":
      return explainWithoutFirstMember(
        team,
        `${cycleMessage(team, why.teams, input)}${waits}`,
        rosterReasons(why.teams, [], input),
        input,
      );
    case "outnumbered":
      return explainWithoutFirstMember(
        team,
        `${outnumberedMessage(team, why, input)}${waits}`,
        rosterReasons(why.teams, why.people, input),
        input,
      );
  }
}

/** By which read, or by whose word, the team is not there. */
function absenceBases({ key }: RosterTeam, { teams }: ExplainInput): readonly Basis[] {
  const identity = teams.get(key);
  return identity?.is === "new" ? [identity.absence] : [];
}

/** A team of which nobody has started waits; one that has members needs somebody else. */
function explainNotStarted(
  team: RosterTeam,
  { as, person, from }: Extract<UncreatableReason, { is: "not-started" }>,
  waits: string,
  input: ExplainInput,
): FindingDraft {
  const restsOn = [
    ...absenceBases(team, input),
    { about: partOf("from", userSubject(person)), fact: declared(from.value, from.place) },
    observedBasis({ kind: "other", name: "today" }, input.context.policy.today, "clock"),
  ];
  const because = distinctReasons([...team.because.slice(0, 1), reasonAt(from.place, "from", { name: from.value })]);
  const who = userEmails([person], input);
  if (as === "member") {
    const message = `roster creates ${team.name} later: its first member ${who} starts on ${from.value}.`;
    return { ...teamFinding(team, { code: "date-ahead", aspect: "from", message, restsOn }), because };
  }
  const message =
    `roster cannot create ${team.name} yet: its ${as === "admin" ? as : "first member"} ${who} starts on ${from.value}. ` +
    `Wait until then, change \`from\`, or name another \`${as}\`.${waits}`;
  return { ...teamFinding(team, { code: "cannot-create-team", message, restsOn }), because };
}

type UnprovenReason = Extract<UncreatableReason, { is: "unproven" }>;

function explainUnproven(
  team: RosterTeam,
  why: UnprovenReason,
  waits: string,
  { context }: ExplainInput,
): FindingDraft {
  const restsOn = [unknownBasis(teamSubject(team.key), why.why)];
  const isOffered = why.code === "unproven-absence";
  const allow: readonly Exception[] = isOffered ? [{ is: "absent-team", team: foldName(team.name) }] : [];
  const finding = { code: why.code, message: `${unprovenMessage(team, why)}${waits}`, restsOn, allow };
  const unread = isOffered ? unreadTeamFields(context) : [];
  if (unread.length === 0) return teamFinding(team, finding);
  const fields = `roster does not read these fields of users and keys: ${joinList(unreadFieldNames(unread))}. If they show teams, add these lines to the settings (in CI: outside the checkout)`;
  const message = `${finding.message} ${fields}.`;
  return teamFinding(team, { ...finding, message, suggestedYaml: suggestedShapesYaml(unread) });
}

function unprovenMessage(team: RosterTeam, { code, why }: UnprovenReason): string {
  if (code === "team-identifier-unknown") {
    return `roster cannot know which team ${team.name} is: ${why}. roster changes neither team. Write the \`identifier\` of one of them into the roster.`;
  }
  const next =
    code === "incomplete-read"
      ? "roster creates no team from an incomplete list. Plan again"
      : "If the team exists, write its `identifier` into the roster. If you know that it does not, allow roster to create it";
  return `roster cannot prove that the team ${team.name} is absent: ${why}. ${next}.`;
}

function explainHeld(
  team: RosterTeam,
  { person, as }: Extract<UncreatableReason, { is: "needs-held" }>,
  kept: readonly EmailKey[],
  input: ExplainInput,
): FindingDraft {
  const others = kept.filter((one) => one !== person);
  const waits =
    others.length === 0
      ? ""
      : ` Until then, roster does not create ${userEmails(others, input)}. The team needs a new user.`;
  const message =
    `This plan does not create ${team.name}. It needs ${userEmails([person], input)} as its ${as}, and a guard holds that user. ` +
    `Resolve the finding about the user, or name another ${as}.${waits}`;
  const because = distinctReasons([...team.because.slice(0, 1), ...rosterReasons([], [person], input)]);
  return { ...teamFinding(team, { code: "cannot-create-team", message, restsOn: absenceBases(team, input) }), because };
}

/** The finding about an unknown role has the nearest name. */
function explainRoles(
  team: RosterTeam,
  { firstMember, unknown }: Extract<UncreatableReason, { is: "roles" }>,
  waits: string,
  input: ExplainInput,
): FindingDraft {
  const who = userEmails([firstMember], input);
  const cause = `the service does not know ${joinList(unknown)}, which the roster gives to its first member ${who}. Correct the roles.`;
  const member = team.members.find(({ address }) => address === firstMember);
  const message = `roster cannot create ${team.name}: ${cause}${waits}`;
  return {
    ...teamFinding(team, { code: "cannot-create-team", message, restsOn: absenceBases(team, input) }),
    because: distinctReasons([...team.because.slice(0, 1), ...(member?.because ?? [])]),
  };
}

function refusedMessage(firstMembers: readonly RefusedFirstMember[]): string {
  const refusals = firstMembers.map(({ refusal }) => formatRefusal(refusal)).join(" ");
  const rest =
    "One request creates both, so the team or the user can be the cause. No other new member is free to try.";
  return `${refusals} ${rest} ${formatRefusalRemedies("correct the team or its first member in the roster, or add another new member to the team")}`;
}

function adminMessage(
  team: RosterTeam,
  why: Extract<UncreatableReason, { is: "without-admin" | "admin-kept" }>,
  input: ExplainInput,
): string {
  const admin = userEmails([why.admin], input);
  const reason =
    why.is === "without-admin"
      ? "does not exist, and this plan cannot create them"
      : `is reserved as the first member of ${teamNames([why.keptFor], input)}, so this plan does not create them`;
  return (
    `roster cannot create ${team.name}: its admin ${admin} ${reason}. ` +
    "Resolve the finding about that user, or name another `admin`."
  );
}

function cycleMessage(team: RosterTeam, cycle: readonly TeamKey[], input: ExplainInput): string {
  return (
    `roster cannot create ${team.name}: the first members of ${teamNames(cycle, input)} need each other as admins first. ` +
    `Remove one \`firstMember\` line, so that the admin of that team can be its first member. Or ${byHandOrNewFirstMember}`
  );
}

function outnumberedMessage(
  team: RosterTeam,
  { teams, people }: Extract<UncreatableReason, { is: "outnumbered" }>,
  input: ExplainInput,
): string {
  return (
    `roster cannot create ${team.name}: a new team needs one newly created user of its account as its first member. ` +
    `That user must have no \`ownKeyRoles\`. ${shortage(team, teams, people, input)} Either ${byHandOrNewFirstMember}`
  );
}

const byHandOrNewFirstMember =
  "create the team in the service and write its `identifier`, or add a new user as its first member.";

function shortage(
  team: RosterTeam,
  teams: readonly TeamKey[],
  people: readonly EmailKey[],
  input: ExplainInput,
): string {
  if (team.firstMember !== undefined && people.length === 0) {
    return `The \`firstMember\` in the roster, ${userEmails([team.firstMember.value], input)}, is not such a user.`;
  }
  if (people.length === 0) return "The team has no such member left.";
  return `${teams.length} teams (${teamNames(teams, input)}) have only ${people.length} such ${people.length === 1 ? "user" : "users"}: ${userEmails(people, input)}.`;
}

/** A team that is perhaps there under another name is first of all to be called by it: made by hand it would be there twice. */
function explainWithoutFirstMember(
  team: RosterTeam,
  message: string,
  because: readonly Reason[],
  input: ExplainInput,
): FindingDraft {
  const alike = findRenameCandidates(team, input.orphaned, input.context.roster);
  const advice =
    alike.length === 0
      ? { message, suggestedYaml: newFirstMemberYaml(team) }
      : {
          message: `${team.name} may exist under another name: ${formatRenameCandidates(team, alike)} If it is new: ${message}`,
          suggestedYaml: renameYaml(team, alike),
        };
  const restsOn = [...absenceBases(team, input), ...alike.map(({ basis }) => basis)];
  return {
    ...teamFinding(team, { code: "cannot-create-team", ...advice, restsOn }),
    because: distinctReasons([...team.because.slice(0, 1), ...because]),
  };
}

function newFirstMemberYaml(team: RosterTeam): string {
  return [
    `account: ${yamlScalar(team.account)}`,
    "users:",
    "  - { email: NEW@EXAMPLE.ORG, firstName: FIRST, lastName: LAST }",
    "teams:",
    `  - name: ${yamlScalar(team.name)}`,
    "    firstMember: NEW@EXAMPLE.ORG",
    "    members:",
    "      - { user: NEW@EXAMPLE.ORG }",
    "",
  ].join("\n");
}

function rosterReasons(teams: readonly TeamKey[], people: readonly EmailKey[], input: ExplainInput): readonly Reason[] {
  return [
    ...teams.flatMap((key) => input.teams.get(key)?.team.because.slice(0, 1) ?? []),
    ...people.flatMap((address) => input.people.get(address)?.user.because.slice(0, 1) ?? []),
  ];
}

function teamNames(teams: readonly TeamKey[], input: ExplainInput): string {
  return joinList(teams.map((key) => input.teams.get(key)?.team.name ?? key));
}

function userEmails(people: readonly EmailKey[], input: ExplainInput): string {
  return joinList(people.map((address) => input.people.get(address)?.user.email ?? address));
}

/** Fields of the service that may show teams, and that are not read. */
function unreadTeamFields({ snapshot }: PlanContext): readonly UnreadField[] {
  return relevantUnreadFields(snapshot.unread ?? [], snapshot.capabilities).filter(({ like }) => like !== "roles");
}
