import { say } from "../codes/message.ts";
import { absentTeamCreationOf, type Objection } from "../model/allowance.ts";
import { declared, type Known, observed, recorded } from "../model/fact.ts";
import type { OpenIntent, TeamKey } from "../model/recorded.ts";
import { type Basis, observedBasis, recordedBasis, teamSubject, unknownBasis } from "../model/subject.ts";
import {
  type DesiredTeam,
  disambiguatedTeamKey,
  foldName,
  ownTeamKeys,
  type RecordedTeam,
  teamAliases,
  teamKeyOf,
} from "../model/team.ts";
import { formatDecisionTime, type PlanContext } from "./context.ts";
import type { FindingDraft } from "./finding-draft.ts";
import { type ClassifiedTeam, type TeamIdentities, type TeamIdentityFields, teamFinding } from "./identities.ts";
import {
  blockReassignedNames,
  formerNameFinding,
  reportObservedName,
  type TeamCandidate,
  teamCandidates,
} from "./team-names.ts";

/** What is known of the roster's teams before each one is judged. */
interface TeamLookup {
  readonly context: PlanContext;
  readonly keys: ReadonlySet<TeamKey>;
  readonly own: ReturnType<typeof ownTeamKeys>;
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
  const lookup: TeamLookup = {
    context,
    keys: new Set(roster.teams.map((team) => team.key)),
    own: ownTeamKeys(roster.teams),
    given: new Map(given),
    claimed: new Map([...known, ...given]),
  };
  const classified = blockSharedTeams(roster.teams.map((team) => classifyTeam(team, lookup)));
  const judged = blockReassignedNames(classified).map((one) => reportObservedName(one, context));
  return {
    teams: new Map(judged.map(({ identity }) => [identity.team.key, identity])),
    findings: judged.flatMap(({ findings }) => findings),
  };
}

/** By its identifier in the roster, then by record, then by its names. */
function classifyTeam(team: DesiredTeam, lookup: TeamLookup): ClassifiedTeam {
  const fields = identityFields(team, lookup);
  if (lookup.context.closedAccounts.has(team.account)) return { identity: { is: "blocked", ...fields }, findings: [] };
  if (team.identifier !== undefined)
    return knownTeam(fields, declared(team.identifier.value, team.identifier.place), team.identifier.value);
  const record = recordOfTeam(fields, lookup);
  if (record?.identifier !== undefined) {
    const basis = recordedBasis(teamSubject(team.key), `present as ${record.name}`, record.at);
    const findings = record.team === team.key ? [] : [formerNameFinding(team, record.name, basis)];
    return knownTeam(fields, recorded(record.identifier, record.at), record.identifier, findings);
  }
  const isTaken = (identifier: string) => (lookup.claimed.get(identifier) ?? team.key) !== team.key;
  for (const name of fields.names) {
    const candidates = teamCandidates(name, team.account, isTaken, lookup.context.facts);
    const [one, ...others] = candidates;
    if (one === undefined) continue;
    const judged = others.length > 0 ? ambiguousTeam(fields, candidates) : observedTeam(fields, one);
    if (name === foldName(team.name)) return judged;
    const basis = observedBasis(teamSubject(team.key), `present as ${name}`, one.by);
    return { ...judged, findings: [formerNameFinding(team, name, basis), ...judged.findings] };
  }
  if (record === undefined) return classifyAbsentTeam(fields, lookup.context);
  const restsOn = [recordedBasis(teamSubject(team.key), "present", record.at)];
  const texts = say("team-identifier-unknown/recorded", { ...identifierParts(team), at: record.at });
  return unidentifiedTeam(fields, { ...texts, restsOn });
}

function identityFields(team: DesiredTeam, { context, keys, own }: TeamLookup): TeamIdentityFields {
  const { account, name, identifier } = team;
  const { names, recordKeys } = teamAliases(team, own);
  // The keys that this team had before a team of its name came into the roster, or while there was one.
  const former =
    identifier === undefined
      ? []
      : [teamKeyOf(account, name), disambiguatedTeamKey(account, name, identifier.value)].filter((key) => {
          const known = context.state.teams.get(key)?.identifier ?? identifier.value;
          return !keys.has(key) && known === identifier.value;
        });
  const isTwin = team.key !== teamKeyOf(account, name);
  return { team, names, isTwin, recordKeys: [...new Set([team.key, ...former, ...recordKeys])] };
}

/** A record of the team that the roster says to be another one of its teams is not this one's. */
function recordOfTeam(
  { team, recordKeys }: TeamIdentityFields,
  { context, given }: TeamLookup,
): RecordedTeam | undefined {
  const isOthers = ({ identifier = "" }: RecordedTeam) => (given.get(identifier) ?? team.key) !== team.key;
  const records = recordKeys.flatMap((key) => context.state.teams.get(key) ?? []).filter((one) => !isOthers(one));
  return records.find((record) => record.identifier !== undefined) ?? records[0];
}

function knownTeam(
  fields: TeamIdentityFields,
  fact: Known<string>,
  identifier: string,
  findings: readonly FindingDraft[] = [],
): ClassifiedTeam {
  return { identity: { is: "known", ...fields, identifier, identified: fact }, findings };
}

function observedTeam(fields: TeamIdentityFields, { identifier, by }: TeamCandidate): ClassifiedTeam {
  if (identifier !== undefined) return knownTeam(fields, observed(identifier, by), identifier);
  const restsOn = [observedBasis(teamSubject(fields.team.key), "present without an identifier", by)];
  const texts = say("team-identifier-unknown/shown", identifierParts(fields.team));
  return unidentifiedTeam(fields, { ...texts, restsOn });
}

function unidentifiedTeam(fields: TeamIdentityFields, finding: Parameters<typeof teamFinding>[1]): ClassifiedTeam {
  return { identity: { is: "unidentified", ...fields }, findings: [teamFinding(fields.team, finding)] };
}

/** With the line of the roster that gives the identifier. */
function identifierParts({ name: team }: DesiredTeam, identifier = "IDENTIFIER") {
  return { team, identifier };
}

function ambiguousTeam(fields: TeamIdentityFields, candidates: readonly TeamCandidate[]): ClassifiedTeam {
  const { key } = fields.team;
  const identifiers = candidates.map(({ identifier }) => identifier ?? "without identifier");
  const texts = say("team-identifier-unknown/several", {
    ...identifierParts(fields.team, identifiers.join(" # or ")),
    count: candidates.length,
    identifiers,
  });
  const restsOn = candidates.map(({ identifier, by }) =>
    observedBasis(teamSubject(key), `present as ${identifier}`, by),
  );
  return { identity: { is: "blocked", ...fields }, findings: [teamFinding(fields.team, { ...texts, restsOn })] };
}

/** Two teams of the roster that only their name leads to one and the same team of the service are both in doubt. */
function blockSharedTeams(judged: readonly ClassifiedTeam[]): readonly ClassifiedTeam[] {
  const claims = new Map<string, number>();
  for (const { identity } of judged) {
    if (identity.is === "known") claims.set(identity.identifier, (claims.get(identity.identifier) ?? 0) + 1);
  }
  return judged.map((one) => {
    if (one.identity.is !== "known" || (claims.get(one.identity.identifier) ?? 0) < 2) return one;
    const { identifier, identified, ...fields } = one.identity;
    if (identified.known !== "observed") return one;
    const texts = say("team-identifier-unknown/shared", identifierParts(fields.team, identifier));
    const restsOn = [observedBasis(teamSubject(fields.team.key), `present as ${identifier}`, identified.by)];
    return { identity: { ...fields, is: "blocked" }, findings: [teamFinding(fields.team, { ...texts, restsOn })] };
  });
}

/** Judges a team that nothing shows, records or declares: to be created, or not yet and why. */
function classifyAbsentTeam(fields: TeamIdentityFields, context: PlanContext): ClassifiedTeam {
  const { recordKeys } = fields;
  const open = context.state.open.find(
    ({ intent }) =>
      intent.kind === "create-user" && intent.createsTeam !== undefined && recordKeys.includes(intent.createsTeam.team),
  );
  if (open !== undefined) return teamCreationInDoubt(fields, open, context);
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

function teamCreationInDoubt(fields: TeamIdentityFields, open: OpenIntent, context: PlanContext): ClassifiedTeam {
  const { team } = fields;
  const email = open.intent.kind === "create-user" ? open.intent.email : "";
  const when = formatDecisionTime([open], context);
  const texts = say("unknown-outcome/team", { at: open.at, email, team: team.name, when });
  const exception = absentTeamCreationOf(open);
  const allow = exception === undefined ? [] : [exception];
  const restsOn = [recordedBasis(teamSubject(team.key), `call announced by run ${open.run}`, open.at)];
  return {
    identity: { is: "blocked", ...fields },
    findings: [teamFinding(team, { ...texts, restsOn, allow })],
  };
}

/** The fact that proves the absence, or why there is none. */
function proveTeamAbsence(
  { team, recordKeys }: TeamIdentityFields,
  { snapshot, uncreated }: PlanContext,
): Basis | string {
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
