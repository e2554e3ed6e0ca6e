import type { FoldedAddress } from "../../model/address.ts";
import {
  relevantUnreadFields,
  suggestedShapesYaml,
  type UnreadField,
  unreadFieldNames,
} from "../../model/capabilities.ts";
import { distinctReasons, type Reason } from "../../model/fact.ts";
import type { Exception } from "../../model/policy.ts";
import { retryOf } from "../../model/refusal.ts";
import type { RosterTeam } from "../../model/roster.ts";
import { type Basis, partOf, teamSubject, unknownBasis } from "../../model/subject.ts";
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
import { formatRefusal, formatRefusalRemedies, refusalBasis } from "../known-refusals.ts";
import type { Founders, RefusedFounder, UnfoundableReason } from "./founders.ts";

interface ExplainInput {
  readonly teams: TeamIdentities;
  readonly people: UserIdentities;
  readonly founders: Founders;
  readonly context: PlanContext;
  /** Teams that the roster does not name: one of its teams may be one of them under a new name. */
  readonly orphaned: readonly OrphanedTeam[];
}

/** One blocking finding for each team that is not there and that this plan does not found. */
export function explainUnfoundable(
  founders: Founders,
  teams: TeamIdentities,
  people: UserIdentities,
  context: PlanContext,
): readonly FindingDraft[] {
  const { unfounded } = founders;
  if (unfounded.size === 0) return [];
  const input = { teams, people, founders, context, orphaned: findOrphanedTeams(context, teams) };
  return [...unfounded].flatMap(([key, why]) => {
    const team = teams.get(key)?.team;
    return team === undefined || why.is === "held" ? [] : [explainTeam(team, why, input)];
  });
}

function explainTeam(
  team: RosterTeam,
  why: Exclude<UnfoundableReason, { is: "held" }>,
  input: ExplainInput,
): FindingDraft {
  const keptHere = input.founders.reservedFor.get(team.key) ?? [];
  const waits =
    keptHere.length === 0
      ? ""
      : ` Until then ${userEmails(keptHere, input)} ${areNot(keptHere)} created, so that the team can still be founded.`;
  switch (why.is) {
    case "unproven":
      return explainUnproven(team, why, waits, input);
    case "needs-held":
      return explainHeld(team, why, keptHere, input);
    case "without-admin":
    case "admin-kept":
      return teamFinding(team, {
        code: "team-without-admin",
        message: `${adminMessage(team, why, input)}${waits}`,
        restsOn: absenceBases(team, input),
      });
    case "refused": {
      const message = `${refusedMessage(team, why.founders)}${waits}`;
      const about = partOf("founding", teamSubject(team.key));
      const restsOn = [
        ...absenceBases(team, input),
        ...why.founders.map(({ refusal }) => refusalBasis(about, refusal)),
      ];
      const people = why.founders.map(({ founder }) => founder);
      const because = distinctReasons([...team.because.slice(0, 1), ...rosterReasons([], people, input)]);
      const allow = why.founders.slice(0, 1).map(({ refusal }) => retryOf(refusal));
      return { ...teamFinding(team, { code: "refused", message, restsOn, allow }), because };
    }
    case "cycle":
      return explainWithoutFounder(
        team,
        `${cycleMessage(team, why.teams, input)}${waits}`,
        rosterReasons(why.teams, [], input),
        input,
      );
    case "outnumbered":
      return explainWithoutFounder(
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

type UnprovenReason = Extract<UnfoundableReason, { is: "unproven" }>;

function explainUnproven(
  team: RosterTeam,
  why: UnprovenReason,
  waits: string,
  { context }: ExplainInput,
): FindingDraft {
  const restsOn = [unknownBasis(teamSubject(team.key), why.why)];
  const isOffered = why.code === "unproven-team";
  const allow: readonly Exception[] = isOffered ? [{ is: "absent-team", team: foldName(team.name) }] : [];
  const finding = { code: why.code, message: `${unprovenMessage(team, why)}${waits}`, restsOn, allow };
  const unread = isOffered ? unreadTeamFields(context) : [];
  if (unread.length === 0) return teamFinding(team, finding);
  const fields = `Users and keys carry fields that roster does not read and that may tell: ${joinList(unreadFieldNames(unread))}. If they do, add these lines to the settings`;
  const message = `${finding.message} ${fields}.`;
  return teamFinding(team, { ...finding, message, suggestedYaml: suggestedShapesYaml(unread) });
}

function unprovenMessage(team: RosterTeam, { code, why }: UnprovenReason): string {
  if (code === "ambiguous-team") {
    return `It is not known which team ${team.name} is: ${why}. Nothing is done for the two until the roster gives one of them its identifier.`;
  }
  const next =
    code === "incomplete-list"
      ? "Plan again; nothing is founded on an incomplete list"
      : "If the team is there, give its identifier in the roster. If you know that it is not, allow it to be founded";
  return `It is not proven that the team ${team.name} is absent: ${why}. ${next}.`;
}

function explainHeld(
  team: RosterTeam,
  { person, as }: Extract<UnfoundableReason, { is: "needs-held" }>,
  kept: readonly FoldedAddress[],
  input: ExplainInput,
): FindingDraft {
  const others = kept.filter((one) => one !== person);
  const waits =
    others.length === 0 ? "" : ` ${userEmails(others, input)} ${areNot(others)} created until then, to found it.`;
  const message =
    `${team.name} is not founded by this plan: it needs ${userEmails([person], input)} as its ${as}, who is held by a guard. ` +
    `See to the finding about that, or name another ${as}.${waits}`;
  const code = as === "founder" ? "team-without-founder" : "team-without-admin";
  const because = distinctReasons([...team.because.slice(0, 1), ...rosterReasons([], [person], input)]);
  return { ...teamFinding(team, { code, message, restsOn: absenceBases(team, input) }), because };
}

function refusedMessage({ name }: RosterTeam, founders: readonly RefusedFounder[]): string {
  const refusals = founders
    .map(({ email, refusal }) => formatRefusal(`found ${name} with ${email}`, refusal))
    .join(" ");
  const rest = "One request makes both, so either may be at fault, and no other new member is free to be tried.";
  return `${refusals} ${rest} ${formatRefusalRemedies("correct the team or its founder in the roster, or give the team another new member")}`;
}

function adminMessage(
  team: RosterTeam,
  why: Extract<UnfoundableReason, { is: "without-admin" | "admin-kept" }>,
  input: ExplainInput,
): string {
  const admin = userEmails([why.admin], input);
  const reason =
    why.is === "without-admin"
      ? "is neither there nor can be created by this plan"
      : `is not created by this plan, being kept as the founder of ${teamNames([why.keptFor], input)}`;
  return (
    `${team.name} cannot be founded: its administrator ${admin} ${reason}. ` +
    "See to the finding about that, or name another administrator."
  );
}

function cycleMessage(team: RosterTeam, cycle: readonly TeamKey[], input: ExplainInput): string {
  return (
    `${team.name} cannot be founded: the founders that the roster names for ${teamNames(cycle, input)} need each other as ` +
    `administrators first. Take out a founder line so that a team can be founded by its administrator, ${byHandOrNewFounder}`
  );
}

function outnumberedMessage(
  team: RosterTeam,
  { teams, people }: Extract<UnfoundableReason, { is: "outnumbered" }>,
  input: ExplainInput,
): string {
  return (
    `${team.name} cannot be founded: a team comes into being only together with a new user of its account who is a member ` +
    `and has no ownKeyRoles, one user for each team. ${shortage(team, teams, people, input)} Either ${byHandOrNewFounder}`
  );
}

const byHandOrNewFounder =
  "have the team made by hand and give its identifier in the roster, or add a new user to it as its founder.";

function shortage(
  team: RosterTeam,
  teams: readonly TeamKey[],
  people: readonly FoldedAddress[],
  input: ExplainInput,
): string {
  if (team.founder !== undefined && people.length === 0) {
    return `The founder that the roster names, ${userEmails([team.founder.value], input)}, is not such a user.`;
  }
  if (people.length === 0) return "No such member is left for the team.";
  return `The ${teams.length} teams ${teamNames(teams, input)} have only ${people.length} between them: ${userEmails(people, input)}.`;
}

/** A team that is perhaps there under another name is first of all to be called by it: made by hand it would be there twice. */
function explainWithoutFounder(
  team: RosterTeam,
  message: string,
  because: readonly Reason[],
  input: ExplainInput,
): FindingDraft {
  const alike = findRenameCandidates(team, input.orphaned, input.context.roster);
  const advice =
    alike.length === 0
      ? { message, suggestedYaml: newFounderYaml(team) }
      : {
          message: `${team.name} may be there: ${formatRenameCandidates(team, alike)} Otherwise ${message}`,
          suggestedYaml: renameYaml(team, alike),
        };
  const restsOn = [...absenceBases(team, input), ...alike.map(({ basis }) => basis)];
  return {
    ...teamFinding(team, { code: "team-without-founder", ...advice, restsOn }),
    because: distinctReasons([...team.because.slice(0, 1), ...because]),
  };
}

function newFounderYaml(team: RosterTeam): string {
  return [
    `account: ${yamlScalar(team.account)}`,
    "users:",
    "  - { email: FOUNDER@EXAMPLE.ORG, firstName: FIRST, lastName: LAST }",
    "teams:",
    `  - name: ${yamlScalar(team.name)}`,
    "    founder: FOUNDER@EXAMPLE.ORG",
    "    members:",
    "      - { user: FOUNDER@EXAMPLE.ORG }",
    "",
  ].join("\n");
}

function rosterReasons(
  teams: readonly TeamKey[],
  people: readonly FoldedAddress[],
  input: ExplainInput,
): readonly Reason[] {
  return [
    ...teams.flatMap((key) => input.teams.get(key)?.team.because.slice(0, 1) ?? []),
    ...people.flatMap((address) => input.people.get(address)?.user.because.slice(0, 1) ?? []),
  ];
}

function teamNames(teams: readonly TeamKey[], input: ExplainInput): string {
  return joinList(teams.map((key) => input.teams.get(key)?.team.name ?? key));
}

function userEmails(people: readonly FoldedAddress[], input: ExplainInput): string {
  return joinList(people.map((address) => input.people.get(address)?.user.email ?? address));
}

function areNot(people: readonly unknown[]): string {
  return people.length === 1 ? "is not" : "are not";
}

/** Fields of the service that may show teams, and that are not read. */
function unreadTeamFields({ snapshot }: PlanContext): readonly UnreadField[] {
  return relevantUnreadFields(snapshot.unread ?? [], snapshot.capabilities).filter(({ like }) => like !== "roles");
}
