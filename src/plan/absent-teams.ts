import { callIdOf } from "../model/call-id.ts";
import type { Basis } from "../model/fact.ts";
import { foldName } from "../model/names.ts";
import type { OpenIntent } from "../model/state.ts";
import type { Question } from "./question.ts";
import { decisionWords } from "./resolve-words.ts";
import { listed, notKnown, remembered, seen, teamSubject } from "./subjects.ts";
import { aboutTeam, type JudgedTeam, type TeamIdentity } from "./team-identity.ts";

type Names = Pick<TeamIdentity, "team" | "names" | "isTwin" | "recordKeys">;

/** Judges a team that nothing shows, records or declares: to be founded, or not yet and why. */
export function judgeAbsentTeam(names: Names, question: Question): JudgedTeam {
  const open = foundingInDoubt(names, question);
  if (open !== undefined) return unknownOutcome(names, open, question);
  const absence = provenAbsence(names, question);
  if (typeof absence !== "string") return { identity: { is: "new", ...names, absence }, findings: [] };
  const code = question.snapshot.everyone.read === "incomplete" ? "incomplete-list" : "unproven-team";
  return { identity: { is: "unproven", ...names, code, why: absence }, findings: [] };
}

function foundingInDoubt({ recordKeys }: Names, { state }: Question): OpenIntent | undefined {
  return state.open.find(
    ({ intent }) =>
      intent.kind === "create-user" && intent.founds !== undefined && recordKeys.includes(intent.founds.team),
  );
}

function unknownOutcome(names: Names, open: OpenIntent, question: Question): JudgedTeam {
  const { name } = names.team;
  const founder = open.intent.kind === "create-user" ? open.intent.email : "";
  const word = `team:${name}@${callIdOf(open, question.digest)}`;
  const written = /^[\w:/.@+-]+$/u.test(word) ? word : JSON.stringify(word);
  const message =
    `roster sent a call at ${open.at} that creates ${founder} and founds ${name}, and does not know whether it was done. ` +
    `The team may be there, so no other founder is tried.${otherCalls(name, question)} ${decisionWords([open], question)}. Or look in the service: if the team is ` +
    `there, give its identifier in the roster; if it is not, say --assume-absent ${written} for one run.`;
  const restsOn = [remembered(teamSubject(names.team.key), `founding announced by run ${open.run}`, open.at)];
  return {
    identity: { is: "withheld", ...names },
    findings: [aboutTeam(names.team, { code: "unknown-outcome", message, restsOn })],
  };
}

/** A person's word that names another call of this team: a slip, or an older word. The right one would have settled this call. */
function otherCalls(name: string, { policy }: Question): string {
  const calls = (policy.absentFoundings ?? []).filter(({ team }) => team === foldName(name)).map(({ call }) => call);
  return calls.length === 0 ? "" : ` The call ${listed(calls)} that --assume-absent names is another one.`;
}

/** The fact that proves the absence, or why there is none. */
function provenAbsence({ team }: Names, { snapshot, policy }: Question): Basis | string {
  const about = teamSubject(team.key);
  if (isAssumedAbsent(team.name, policy.assumeAbsentTeams)) return notKnown(about, "a person says that it is absent");
  const { everyone, capabilities } = snapshot;
  if (everyone.read === "not-read") return "the users were not read completely";
  if (everyone.read === "incomplete") return `the list of users is incomplete (${everyone.why})`;
  if (capabilities.teamsOnKeys === "shown") return seen(about, "absent", everyone.by);
  return capabilities.teamsOnKeys === "hidden"
    ? "the service does not show the teams of keys"
    : "no key was shown that could tell whether the service shows teams";
}

function isAssumedAbsent(name: string, assumed: readonly string[] | "all"): boolean {
  return assumed === "all" || assumed.some((one) => foldName(one) === foldName(name));
}
