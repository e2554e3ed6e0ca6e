import { declared, type Fact, observed, recorded } from "../../model/fact.ts";
import { ownTeamKeys, type RosterTeam, teamAliases } from "../../model/roster.ts";
import { absentTeamCreationOf, type OpenIntent, type RecordedTeam } from "../../model/state.ts";
import { type Basis, observedBasis, recordedBasis, teamSubject, unknownBasis } from "../../model/subject.ts";
import { disambiguatedTeamKey, foldName, type TeamKey, teamKeyOf } from "../../model/team.ts";
import { formatDecisionTime, type PlanContext } from "../context.ts";
import { type FindingDraft, joinList, yamlScalar } from "../finding-draft.ts";
import {
  type ClassifiedTeam,
  type KnownTeam,
  type TeamIdentities,
  type TeamIdentity,
  type TeamIdentityFields,
  teamFinding,
} from "../identities.ts";
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
  /** Identifiers that the roster or the state gives to teams of the roster. */
  readonly claimed: ReadonlyMap<string, TeamKey>;
}

export function identifyTeams(context: PlanContext): {
  readonly teams: TeamIdentities;
  readonly findings: readonly FindingDraft[];
} {
  const { teams } = context.roster;
  const keys = new Set(teams.map((team) => team.key));
  const given = givenIdentifiers(context.roster);
  const claimed = claimedIdentifiers(context, given);
  const lookup: TeamLookup = { context, keys, own: ownTeamKeys(teams), given, claimed };
  const separated = blockReassignedNames(blockSharedTeams(teams.map((team) => classifyTeam(team, lookup))));
  const judged = separated.map((one) => reportObservedName(one, context));
  return {
    teams: new Map(judged.map(({ identity }) => [identity.team.key, identity])),
    findings: judged.flatMap(({ findings }) => findings),
  };
}

/** What the roster says counts more than what was recorded. */
function claimedIdentifiers({ roster, state }: PlanContext, given: TeamLookup["given"]): TeamLookup["claimed"] {
  const recorded = roster.teams.flatMap(({ key }) => {
    const identifier = state.teams.get(key)?.identifier;
    return identifier === undefined ? [] : [[identifier, key] as const];
  });
  return new Map([...recorded, ...given]);
}

function givenIdentifiers({ teams }: PlanContext["roster"]): TeamLookup["given"] {
  return new Map(teams.flatMap(({ key, identifier }) => (identifier === undefined ? [] : [[identifier.value, key]])));
}

function classifyTeam(team: RosterTeam, lookup: TeamLookup): ClassifiedTeam {
  const names = teamNames(team, lookup);
  if (lookup.context.closedAccounts.has(team.account)) {
    return { identity: { is: "withheld", ...names }, findings: [] };
  }
  if (team.identifier !== undefined) {
    const fact = declared(team.identifier.value, team.identifier.place);
    return { identity: knownTeam(names, fact, team.identifier.value), findings: [] };
  }
  const record = recordOfTeam(names, lookup);
  if (record?.identifier !== undefined) return teamFromRecord(names, record, record.identifier);
  return classifyTeamByName(names, record, lookup);
}

function teamNames(team: RosterTeam, lookup: TeamLookup): TeamIdentityFields {
  const { names, recordKeys } = teamAliases(team, lookup.own);
  return {
    team,
    names,
    isTwin: team.key !== teamKeyOf(team.account, team.name),
    recordKeys: [...new Set([team.key, ...formerTeamKeys(team, lookup), ...recordKeys])],
  };
}

/** The keys that this team had before a team of its name came into the roster, or while there was one. */
function formerTeamKeys({ account, name, identifier }: RosterTeam, { context, keys }: TeamLookup): readonly TeamKey[] {
  if (identifier === undefined) return [];
  return [teamKeyOf(account, name), disambiguatedTeamKey(account, name, identifier.value)].filter((key) => {
    const recorded = context.state.teams.get(key)?.identifier ?? identifier.value;
    return !keys.has(key) && recorded === identifier.value;
  });
}

function knownTeam(names: TeamIdentityFields, identifier: Fact<string>, value: string): TeamIdentity {
  const { key, name, account } = names.team;
  return { is: "known", ...names, identifier: value, ref: { team: key, name, account, identifier } };
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

function teamFromRecord(names: TeamIdentityFields, record: RecordedTeam, identifier: string): ClassifiedTeam {
  const isFormer = record.team !== names.team.key;
  const basis = recordedBasis(teamSubject(names.team.key), `present as ${record.name}`, record.at);
  return {
    identity: knownTeam(names, recorded(identifier, record.at), identifier),
    findings: isFormer ? [formerNameFinding(names.team, record.name, basis)] : [],
  };
}

function classifyTeamByName(
  names: TeamIdentityFields,
  record: RecordedTeam | undefined,
  lookup: TeamLookup,
): ClassifiedTeam {
  const isTaken = (identifier: string) => (lookup.claimed.get(identifier) ?? names.team.key) !== names.team.key;
  for (const name of names.names) {
    const candidates = teamCandidates(name, names.team.account, isTaken, lookup.context.facts);
    const [one, ...others] = candidates;
    if (one === undefined) continue;
    const isFormer = name !== foldName(names.team.name);
    const judged = others.length > 0 ? ambiguousTeam(names, candidates) : observedTeam(names, one);
    if (!isFormer) return judged;
    const basis = observedBasis(teamSubject(names.team.key), `present as ${name}`, one.by);
    return { ...judged, findings: [formerNameFinding(names.team, name, basis), ...judged.findings] };
  }
  return record === undefined ? classifyAbsentTeam(names, lookup.context) : unidentifiedTeam(names, record);
}

function observedTeam(names: TeamIdentityFields, { identifier, by }: TeamCandidate): ClassifiedTeam {
  if (identifier !== undefined)
    return { identity: knownTeam(names, observed(identifier, by), identifier), findings: [] };
  const restsOn = [observedBasis(teamSubject(names.team.key), "present without an identifier", by)];
  return teamWithoutIdentifier(names, "Keys show the team by its name only, without its identifier", restsOn);
}

function unidentifiedTeam(names: TeamIdentityFields, record: RecordedTeam): ClassifiedTeam {
  const restsOn = [recordedBasis(teamSubject(names.team.key), "present", record.at)];
  return teamWithoutIdentifier(names, `The team existed at ${record.at}, but its identifier is unknown`, restsOn);
}

function teamWithoutIdentifier(
  names: TeamIdentityFields,
  what: string,
  restsOn: FindingDraft["restsOn"] & object,
): ClassifiedTeam {
  const { team } = names;
  const message =
    `${what}. Without it, roster cannot add members to ${team.name}. roster does not create the team again. ` +
    "Find the identifier in the service, and write it into the roster.";
  const suggestedYaml = `teams:\n  - name: ${yamlScalar(team.name)}\n    identifier: IDENTIFIER\n`;
  return {
    identity: { is: "unidentified", ...names },
    findings: [teamFinding(team, { code: "team-identifier-unknown", message, restsOn, suggestedYaml })],
  };
}

function ambiguousTeam(names: TeamIdentityFields, candidates: readonly TeamCandidate[]): ClassifiedTeam {
  const { team } = names;
  const identifiers = candidates.map(({ identifier }) => identifier ?? "without identifier");
  const message =
    `The service shows ${candidates.length} teams that may be ${team.name}: ${joinList(identifiers)}. roster changes none. ` +
    "Write the `identifier` of the right team into the roster.";
  const restsOn = candidates.map(({ identifier, by }) =>
    observedBasis(teamSubject(team.key), `present as ${identifier}`, by),
  );
  const suggestedYaml = `teams:\n  - name: ${yamlScalar(team.name)}\n    identifier: ${identifiers.join(" # or ")}\n`;
  return {
    identity: { is: "withheld", ...names },
    findings: [teamFinding(team, { code: "team-identifier-unknown", message, restsOn, suggestedYaml })],
  };
}

function sharedTeam({ team, identifier, names, isTwin, recordKeys }: KnownTeam, by: string): ClassifiedTeam {
  const message =
    `The service shows the team ${identifier}. It may be ${team.name} or another team of the roster, so roster changes neither. ` +
    "Write this `identifier` to the right team in the roster.";
  const restsOn = [observedBasis(teamSubject(team.key), `present as ${identifier}`, by)];
  const suggestedYaml = `teams:\n  - name: ${yamlScalar(team.name)}\n    identifier: ${identifier}\n`;
  return {
    identity: { is: "withheld", team, names, isTwin, recordKeys },
    findings: [teamFinding(team, { code: "team-identifier-unknown", message, restsOn, suggestedYaml })],
  };
}

/** Two teams of the roster that only their name leads to one and the same team of the service are both in doubt. */
function blockSharedTeams(judged: readonly ClassifiedTeam[]): readonly ClassifiedTeam[] {
  const claims = new Map<string, number>();
  for (const { identity } of judged) {
    if (identity.is === "known") claims.set(identity.identifier, (claims.get(identity.identifier) ?? 0) + 1);
  }
  return judged.map((one) => {
    const { identity } = one;
    if (identity.is !== "known" || identity.ref.identifier.known !== "observed") return one;
    if ((claims.get(identity.identifier) ?? 0) < 2) return one;
    return sharedTeam(identity, identity.ref.identifier.by);
  });
}

/** Judges a team that nothing shows, records or declares: to be created, or not yet and why. */
function classifyAbsentTeam(names: TeamIdentityFields, context: PlanContext): ClassifiedTeam {
  const open = teamCreationInDoubt(names, context);
  if (open !== undefined) return teamCreationOutcomeUnknown(names, open, context);
  const absence = proveTeamAbsence(names, context);
  if (typeof absence !== "string") return { identity: { is: "new", ...names, absence }, findings: [] };
  const code = context.snapshot.everyone.read === "incomplete" ? "incomplete-read" : "unproven-absence";
  return { identity: { is: "unproven", ...names, code, why: absence }, findings: [] };
}

function teamCreationInDoubt({ recordKeys }: TeamIdentityFields, { state }: PlanContext): OpenIntent | undefined {
  return state.open.find(
    ({ intent }) =>
      intent.kind === "create-user" && intent.createsTeam !== undefined && recordKeys.includes(intent.createsTeam.team),
  );
}

function teamCreationOutcomeUnknown(names: TeamIdentityFields, open: OpenIntent, context: PlanContext): ClassifiedTeam {
  const { name } = names.team;
  const firstMember = open.intent.kind === "create-user" ? open.intent.email : "";
  const message =
    `roster sent a call at ${open.at} that creates ${firstMember} and the team ${name}. The outcome is unknown. ` +
    `The team may exist, so roster tries no other first member. ${formatDecisionTime([open], context)}. Or look in the service. ` +
    "If the team exists, write its `identifier` into the roster. If it does not, allow roster to create it.";
  const exception = absentTeamCreationOf(open);
  const allow = exception === undefined ? [] : [exception];
  const restsOn = [recordedBasis(teamSubject(names.team.key), `call announced by run ${open.run}`, open.at)];
  return {
    identity: { is: "withheld", ...names },
    findings: [teamFinding(names.team, { code: "unknown-outcome", message, restsOn, allow })],
  };
}

/** The fact that proves the absence, or why there is none. */
function proveTeamAbsence(
  { team, recordKeys }: TeamIdentityFields,
  { snapshot, grants, unfounded }: PlanContext,
): Basis | string {
  const about = teamSubject(team.key);
  const name = foldName(team.name);
  const isAllowed = grants.covers({ is: "absent-team", team: name }) || grants.covers({ is: "absent-teams" });
  if (isAllowed || recordKeys.some((key) => unfounded.has(key)))
    return unknownBasis(about, "you allowed roster to create it");
  const { everyone, capabilities } = snapshot;
  if (everyone.read === "not-read") return "this run did not read all users";
  if (everyone.read === "incomplete") return `the list of users is incomplete (${everyone.why})`;
  if (capabilities.teamsOnKeys === "shown") return observedBasis(about, "absent", everyone.by);
  return capabilities.teamsOnKeys === "hidden"
    ? "the service does not show the teams of keys"
    : "the service shows no keys yet, so roster cannot know if it shows teams";
}
