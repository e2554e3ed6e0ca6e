import { type FindingTexts, say } from "../codes/message.ts";
import { absentTeamCreationOf, type Objection } from "../model/allowance.ts";
import { groupBy } from "../model/collections.ts";
import { declared, type Known, observed, recorded } from "../model/fact.ts";
import type { TeamKey } from "../model/recorded.ts";
import type { TeamInRoster } from "../model/roster-index.ts";
import { type Basis, observedBasis, recordedBasis, teamSubject, unknownBasis } from "../model/subject.ts";
import { type DesiredTeam, foldName, type RecordedTeam } from "../model/team.ts";
import { formatDecisionTime, type PlanContext } from "./context.ts";
import type { FindingDraft } from "./finding-draft.ts";
import { type ClassifiedTeam, type TeamIdentities, type TeamIdentity, teamFinding } from "./identities.ts";
import {
  blockReassignedNames,
  formerNameFinding,
  reportObservedName,
  type TeamCandidate,
  teamCandidates,
} from "./team-names.ts";

interface TeamLookup {
  readonly context: PlanContext;
  /** Identifiers that the roster gives to its teams. */
  readonly given: ReadonlyMap<string, TeamKey>;
  /** The same, and those that the state gives: what the roster says counts more than what was recorded. */
  readonly claimed: ReadonlyMap<string, TeamKey>;
}

export function identifyTeams(context: PlanContext): {
  readonly teams: TeamIdentities;
  readonly findings: readonly FindingDraft[];
} {
  const { roster, state } = context;
  const given = roster.teams.flatMap(({ key, identifier }) =>
    identifier === undefined ? [] : [[identifier.value, key] as const],
  );
  const known = roster.teams.flatMap(({ key }) => {
    const identifier = state.teams.get(key)?.identifier;
    return identifier === undefined ? [] : [[identifier, key] as const];
  });
  const lookup: TeamLookup = { context, given: new Map(given), claimed: new Map([...known, ...given]) };
  const classified = blockSharedTeams(context.names().teams.map((fields) => classifyTeam(fields, lookup)));
  const judged = blockReassignedNames(classified).map((one) => reportObservedName(one, context));
  return {
    teams: new Map(judged.map(({ identity }) => [identity.team.key, identity])),
    findings: judged.flatMap(({ findings }) => findings),
  };
}

/** By its identifier in the roster, then by record, then by its names. */
function classifyTeam(fields: TeamInRoster, lookup: TeamLookup): ClassifiedTeam {
  const { team } = fields;
  const subject = teamSubject(team.key);
  const known = (identified: Known<string>, findings: readonly FindingDraft[] = []): ClassifiedTeam => {
    return { identity: { is: "known", ...fields, identifier: identified.value, identified }, findings };
  };
  if (lookup.context.closedAccounts.has(team.account)) return { identity: { is: "blocked", ...fields }, findings: [] };
  if (team.identifier !== undefined) return known(declared(team.identifier.value, team.identifier.place));
  const record = recordOfTeam(fields, lookup);
  if (record?.identifier !== undefined) {
    const basis = recordedBasis(subject, `present as ${record.name}`, record.at);
    const findings = record.team === team.key ? [] : [formerNameFinding(team, record.name, basis)];
    return known(recorded(record.identifier, record.at), findings);
  }
  const isTaken = (identifier: string) => (lookup.claimed.get(identifier) ?? team.key) !== team.key;
  for (const name of fields.names) {
    const candidates = teamCandidates(name, team.account, isTaken, lookup.context.facts);
    const [one] = candidates;
    if (one === undefined) continue;
    const { identifier, by } = one;
    const isOne = candidates.length === 1 && identifier !== undefined;
    const judged = isOne ? known(observed(identifier, by)) : shownTeamInDoubt(fields, candidates);
    if (name === foldName(team.name)) return judged;
    const basis = observedBasis(subject, `present as ${name}`, by);
    return { ...judged, findings: [formerNameFinding(team, name, basis), ...judged.findings] };
  }
  if (record === undefined) return classifyAbsentTeam(fields, lookup.context);
  const texts = say("team-identifier-unknown/recorded", { ...identifierParts(team), at: record.at });
  return inDoubt({ is: "unidentified", ...fields }, texts, [recordedBasis(subject, "present", record.at)]);
}

/** A team that is there, and of which nobody knows by which identifier, or which one it is. */
function inDoubt(identity: TeamIdentity, texts: FindingTexts, restsOn: readonly Basis[]): ClassifiedTeam {
  return { identity, findings: [teamFinding(identity.team, { ...texts, restsOn })] };
}

/** A record of the team that the roster says to be another one of its teams is not this one's. */
function recordOfTeam({ team, recordKeys }: TeamInRoster, { context, given }: TeamLookup): RecordedTeam | undefined {
  const isOthers = ({ identifier = "" }: RecordedTeam) => (given.get(identifier) ?? team.key) !== team.key;
  const records = recordKeys.flatMap((key) => context.state.teams.get(key) ?? []).filter((one) => !isOthers(one));
  return records.find((record) => record.identifier !== undefined) ?? records[0];
}

/** With the line of the roster that gives the identifier. */
function identifierParts({ name: team }: DesiredTeam, identifier = "IDENTIFIER") {
  return { team, identifier };
}

/** Keys show one team without its identifier, or several teams. */
function shownTeamInDoubt(fields: TeamInRoster, candidates: readonly TeamCandidate[]): ClassifiedTeam {
  const { team } = fields;
  const count = candidates.length;
  const restsOn = candidates.map(({ identifier, by }) => {
    const is = count === 1 ? "present without an identifier" : `present as ${identifier}`;
    return observedBasis(teamSubject(team.key), is, by);
  });
  if (count === 1)
    return inDoubt(
      { is: "unidentified", ...fields },
      say("team-identifier-unknown/shown", identifierParts(team)),
      restsOn,
    );
  const identifiers = candidates.map(({ identifier }) => identifier ?? "without identifier");
  const parts = { ...identifierParts(team, identifiers.join(" # or ")), count, identifiers };
  return inDoubt({ is: "blocked", ...fields }, say("team-identifier-unknown/several", parts), restsOn);
}

/** Two teams of the roster that only their name leads to one and the same team of the service are both in doubt. */
function blockSharedTeams(judged: readonly ClassifiedTeam[]): readonly ClassifiedTeam[] {
  const claims = groupBy(judged, ({ identity }) => (identity.is === "known" ? identity.identifier : undefined));
  return judged.map((one) => {
    if (one.identity.is !== "known") return one;
    const { identifier, identified, ...fields } = one.identity;
    if (claims.get(identifier)?.length === 1 || identified.known !== "observed") return one;
    const texts = say("team-identifier-unknown/shared", identifierParts(fields.team, identifier));
    const basis = observedBasis(teamSubject(fields.team.key), `present as ${identifier}`, identified.by);
    return inDoubt({ ...fields, is: "blocked" }, texts, [basis]);
  });
}

function classifyAbsentTeam(fields: TeamInRoster, context: PlanContext): ClassifiedTeam {
  const { recordKeys } = fields;
  const open = context.state.open.find(
    ({ intent }) =>
      intent.kind === "create-user" && intent.createsTeam !== undefined && recordKeys.includes(intent.createsTeam.team),
  );
  if (open !== undefined) {
    const { team } = fields;
    const email = open.intent.kind === "create-user" ? open.intent.email : "";
    const when = formatDecisionTime([open], context);
    const texts = say("unknown-outcome/team", { at: open.at, email, team: team.name, when });
    const allow = [absentTeamCreationOf(open) ?? []].flat();
    const restsOn = [recordedBasis(teamSubject(team.key), `call announced by run ${open.run}`, open.at)];
    return { identity: { is: "blocked", ...fields }, findings: [teamFinding(team, { ...texts, restsOn, allow })] };
  }
  const absence = proveTeamAbsence(fields, context);
  if (typeof absence !== "string") return { identity: { is: "absent", ...fields, absence }, findings: [] };
  const code = context.snapshot.everyone.read === "incomplete" ? "incomplete-read" : "unproven-absence";
  if (code === "unproven-absence" && context.allowances.ask(absentTeam(fields.team)).isAllowed)
    return { identity: { is: "absent", ...fields, absence: saidAbsent(fields.team) }, findings: [] };
  return { identity: { is: "unknown", ...fields, code, why: absence }, findings: [] };
}

/** A team of which nothing is known is absent. */
export function absentTeam({ key }: Pick<DesiredTeam, "key">): Objection {
  return {
    of: "unproven-absence",
    subject: teamSubject(key),
    facts: ["no read, no record and no file names the team"],
  };
}

function saidAbsent({ key }: DesiredTeam): Basis {
  return unknownBasis(teamSubject(key), "you allowed roster to create it");
}

/** The fact that proves the absence, or why there is none. */
function proveTeamAbsence({ team, recordKeys }: TeamInRoster, { snapshot, uncreated }: PlanContext): Basis | string {
  const about = teamSubject(team.key);
  if (recordKeys.some((key) => uncreated.has(key))) return saidAbsent(team);
  const { everyone, capabilities } = snapshot;
  if (everyone.read === "not-read") return "this run did not read all users";
  if (everyone.read === "incomplete") return `the list of users is incomplete (${everyone.why})`;
  if (capabilities.teamsOnKeys === "shown") return observedBasis(about, "absent", everyone.by);
  return capabilities.teamsOnKeys === "hidden"
    ? "the service does not show the teams of keys"
    : "the service shows no keys yet, so roster cannot know if it shows teams";
}
