import type { Basis } from "../model/fact.ts";
import { callIdOf, type OpenIntent } from "../model/state.ts";
import { foldName } from "../model/team.ts";
import type { PlanContext } from "./question.ts";
import { formatDecisionTime } from "./resolve-words.ts";
import { joinList, observedBasis, recordedBasis, teamSubject, unknownBasis } from "./subjects.ts";
import { type ClassifiedTeam, type TeamIdentity, teamFinding } from "./team-identity.ts";

type TeamNames = Pick<TeamIdentity, "team" | "names" | "isTwin" | "recordKeys">;

/** Judges a team that nothing shows, records or declares: to be founded, or not yet and why. */
export function classifyAbsentTeam(names: TeamNames, context: PlanContext): ClassifiedTeam {
  const open = foundingInDoubt(names, context);
  if (open !== undefined) return foundingOutcomeUnknown(names, open, context);
  const absence = proveTeamAbsence(names, context);
  if (typeof absence !== "string") return { identity: { is: "new", ...names, absence }, findings: [] };
  const code = context.snapshot.everyone.read === "incomplete" ? "incomplete-list" : "unproven-team";
  return { identity: { is: "unproven", ...names, code, why: absence }, findings: [] };
}

function foundingInDoubt({ recordKeys }: TeamNames, { state }: PlanContext): OpenIntent | undefined {
  return state.open.find(
    ({ intent }) =>
      intent.kind === "create-user" && intent.founds !== undefined && recordKeys.includes(intent.founds.team),
  );
}

function foundingOutcomeUnknown(names: TeamNames, open: OpenIntent, context: PlanContext): ClassifiedTeam {
  const { name } = names.team;
  const founder = open.intent.kind === "create-user" ? open.intent.email : "";
  const word = `team:${name}@${callIdOf(open, context.digest)}`;
  const written = /^[\w:/.@+-]+$/u.test(word) ? word : JSON.stringify(word);
  const message =
    `roster sent a call at ${open.at} that creates ${founder} and founds ${name}, and does not know whether it was done. ` +
    `The team may be there, so no other founder is tried.${formatOtherCalls(name, context)} ${formatDecisionTime([open], context)}. Or look in the service: if the team is ` +
    `there, give its identifier in the roster; if it is not, say --assume-absent ${written} for one run.`;
  const restsOn = [recordedBasis(teamSubject(names.team.key), `founding announced by run ${open.run}`, open.at)];
  return {
    identity: { is: "withheld", ...names },
    findings: [teamFinding(names.team, { code: "unknown-outcome", message, restsOn })],
  };
}

/** A person's word that names another call of this team: a slip, or an older word. The right one would have settled this call. */
function formatOtherCalls(name: string, { policy }: PlanContext): string {
  const calls = (policy.absentFoundings ?? []).filter(({ team }) => team === foldName(name)).map(({ call }) => call);
  return calls.length === 0 ? "" : ` The call ${joinList(calls)} that --assume-absent names is another one.`;
}

/** The fact that proves the absence, or why there is none. */
function proveTeamAbsence({ team }: TeamNames, { snapshot, policy }: PlanContext): Basis | string {
  const about = teamSubject(team.key);
  if (isAssumedAbsent(team.name, policy.assumeAbsentTeams))
    return unknownBasis(about, "a person says that it is absent");
  const { everyone, capabilities } = snapshot;
  if (everyone.read === "not-read") return "the users were not read completely";
  if (everyone.read === "incomplete") return `the list of users is incomplete (${everyone.why})`;
  if (capabilities.teamsOnKeys === "shown") return observedBasis(about, "absent", everyone.by);
  return capabilities.teamsOnKeys === "hidden"
    ? "the service does not show the teams of keys"
    : "no key was shown that could tell whether the service shows teams";
}

function isAssumedAbsent(name: string, assumed: readonly string[] | "all"): boolean {
  return assumed === "all" || assumed.some((one) => foldName(one) === foldName(name));
}
