import { declared, type Fact, observed, recorded } from "../model/fact.ts";
import { disambiguatedTeamKey, foldName, type TeamKey, teamKeyOf } from "../model/names.ts";
import type { RosterTeam } from "../model/roster.ts";
import type { RecordedTeam } from "../model/state.ts";
import { ownTeamKeys, teamAliases } from "../model/team-names.ts";
import { judgeAbsentTeam } from "./absent-teams.ts";
import type { Draft } from "./draft.ts";
import { candidatesNamed, type TeamCandidate } from "./observed-teams.ts";
import { holdPassedNames } from "./passed-names.ts";
import type { Question } from "./question.ts";
import { formerName, judgeName } from "./shown-team-names.ts";
import { listed, remembered, seen, teamSubject, yamlScalar } from "./subjects.ts";
import { aboutTeam, type JudgedTeam, type KnownTeam, type TeamIdentity, type Teams } from "./team-identity.ts";

/** What is known of the roster's teams before each one is judged. */
interface Ground {
  readonly question: Question;
  readonly keys: ReadonlySet<TeamKey>;
  readonly own: ReturnType<typeof ownTeamKeys>;
  /** Identifiers that the roster gives to its teams. */
  readonly given: ReadonlyMap<string, TeamKey>;
  /** Identifiers that the roster or the state gives to teams of the roster. */
  readonly claimed: ReadonlyMap<string, TeamKey>;
}

type Names = Pick<TeamIdentity, "team" | "names" | "isTwin" | "recordKeys">;

export function identifyTeams(question: Question): { readonly teams: Teams; readonly findings: readonly Draft[] } {
  const { teams } = question.roster;
  const keys = new Set(teams.map((team) => team.key));
  const given = givenIdentifiers(question.roster);
  const claimed = claimedIdentifiers(question, given);
  const ground: Ground = { question, keys, own: ownTeamKeys(teams), given, claimed };
  const separated = holdPassedNames(separateTwins(teams.map((team) => judge(team, ground))));
  const judged = separated.map((one) => judgeName(one, question));
  return {
    teams: new Map(judged.map(({ identity }) => [identity.team.key, identity])),
    findings: judged.flatMap(({ findings }) => findings),
  };
}

/** What the roster says counts more than what was recorded. */
function claimedIdentifiers({ roster, state }: Question, given: Ground["given"]): Ground["claimed"] {
  const recorded = roster.teams.flatMap(({ key }) => {
    const identifier = state.teams.get(key)?.identifier;
    return identifier === undefined ? [] : [[identifier, key] as const];
  });
  return new Map([...recorded, ...given]);
}

function givenIdentifiers({ teams }: Question["roster"]): Ground["given"] {
  return new Map(teams.flatMap(({ key, identifier }) => (identifier === undefined ? [] : [[identifier.value, key]])));
}

function judge(team: RosterTeam, ground: Ground): JudgedTeam {
  const names = namesOf(team, ground);
  if (ground.question.closedAccounts.has(team.account)) {
    return { identity: { is: "withheld", ...names }, findings: [] };
  }
  if (team.identifier !== undefined) {
    const fact = declared(team.identifier.value, team.identifier.place);
    return { identity: known(names, fact, team.identifier.value), findings: [] };
  }
  const record = recordOf(names, ground);
  if (record?.identifier !== undefined) return recordedTeam(names, record, record.identifier);
  return judgeByName(names, record, ground);
}

function namesOf(team: RosterTeam, ground: Ground): Names {
  const { names, recordKeys } = teamAliases(team, ground.own);
  return {
    team,
    names,
    isTwin: team.key !== teamKeyOf(team.account, team.name),
    recordKeys: [...new Set([team.key, ...otherKeys(team, ground), ...recordKeys])],
  };
}

/** The keys that this team had before a team of its name came into the roster, or while there was one. */
function otherKeys({ account, name, identifier }: RosterTeam, { question, keys }: Ground): readonly TeamKey[] {
  if (identifier === undefined) return [];
  return [teamKeyOf(account, name), disambiguatedTeamKey(account, name, identifier.value)].filter((key) => {
    const recorded = question.state.teams.get(key)?.identifier ?? identifier.value;
    return !keys.has(key) && recorded === identifier.value;
  });
}

function known(names: Names, identifier: Fact<string>, value: string): TeamIdentity {
  const { key, name, account } = names.team;
  return { is: "known", ...names, identifier: value, ref: { team: key, name, account, identifier } };
}

/** A record of the team that the roster says to be another one of its teams is not this one's. */
function recordOf({ team, recordKeys }: Names, { question, given }: Ground): RecordedTeam | undefined {
  const isOthers = ({ identifier = "" }: RecordedTeam) => (given.get(identifier) ?? team.key) !== team.key;
  const records = recordKeys.flatMap((key) => question.state.teams.get(key) ?? []).filter((one) => !isOthers(one));
  return records.find((record) => record.identifier !== undefined) ?? records[0];
}

function recordedTeam(names: Names, record: RecordedTeam, identifier: string): JudgedTeam {
  const isFormer = record.team !== names.team.key;
  const basis = remembered(teamSubject(names.team.key), `present as ${record.name}`, record.at);
  return {
    identity: known(names, recorded(identifier, record.at), identifier),
    findings: isFormer ? [formerName(names.team, record.name, basis)] : [],
  };
}

function judgeByName(names: Names, record: RecordedTeam | undefined, ground: Ground): JudgedTeam {
  const isTaken = (identifier: string) => (ground.claimed.get(identifier) ?? names.team.key) !== names.team.key;
  for (const name of names.names) {
    const candidates = candidatesNamed(name, names.team.account, isTaken, ground.question.facts);
    const [one, ...others] = candidates;
    if (one === undefined) continue;
    const isFormer = name !== foldName(names.team.name);
    const judged = others.length > 0 ? ambiguous(names, candidates) : shown(names, one);
    if (!isFormer) return judged;
    const basis = seen(teamSubject(names.team.key), `present as ${name}`, one.by);
    return { ...judged, findings: [formerName(names.team, name, basis), ...judged.findings] };
  }
  return record === undefined ? judgeAbsentTeam(names, ground.question) : unidentified(names, record);
}

function shown(names: Names, { identifier, by }: TeamCandidate): JudgedTeam {
  if (identifier !== undefined) return { identity: known(names, observed(identifier, by), identifier), findings: [] };
  const restsOn = [seen(teamSubject(names.team.key), "present without an identifier", by)];
  return nameless(names, "Keys show the team by its name alone, without its identifier", restsOn);
}

function unidentified(names: Names, record: RecordedTeam): JudgedTeam {
  const restsOn = [remembered(teamSubject(names.team.key), "present", record.at)];
  return nameless(names, `The team was there at ${record.at}, but its identifier was never learned`, restsOn);
}

function nameless(names: Names, what: string, restsOn: Draft["restsOn"] & object): JudgedTeam {
  const { team } = names;
  const message =
    `${what}. It is not founded again, and nobody can be added to ${team.name} without the identifier: ` +
    "look it up in the service and write it into the roster.";
  const suggestedYaml = `teams:\n  - name: ${yamlScalar(team.name)}\n    identifier: IDENTIFIER\n`;
  return {
    identity: { is: "unidentified", ...names },
    findings: [aboutTeam(team, { code: "team-identifier-unknown", message, restsOn, suggestedYaml })],
  };
}

function ambiguous(names: Names, candidates: readonly TeamCandidate[]): JudgedTeam {
  const { team } = names;
  const identifiers = candidates.map(({ identifier }) => identifier ?? "without identifier");
  const message =
    `The service shows ${candidates.length} teams that may be ${team.name}: ${listed(identifiers)}. Nothing is done for the ` +
    "team until the roster says which one it is, with its identifier.";
  const restsOn = candidates.map(({ identifier, by }) => seen(teamSubject(team.key), `present as ${identifier}`, by));
  const suggestedYaml = `teams:\n  - name: ${yamlScalar(team.name)}\n    identifier: ${identifiers.join(" # or ")}\n`;
  return {
    identity: { is: "withheld", ...names },
    findings: [aboutTeam(team, { code: "ambiguous-team", message, restsOn, suggestedYaml })],
  };
}

function sharedByName({ team, identifier, names, isTwin, recordKeys }: KnownTeam, by: string): JudgedTeam {
  const message =
    `The service shows the team ${identifier}, which may be ${team.name} as well as another team of the roster. Nothing is done for ` +
    "either until the roster says which one it is, with its identifier.";
  const restsOn = [seen(teamSubject(team.key), `present as ${identifier}`, by)];
  const suggestedYaml = `teams:\n  - name: ${yamlScalar(team.name)}\n    identifier: ${identifier}\n`;
  return {
    identity: { is: "withheld", team, names, isTwin, recordKeys },
    findings: [aboutTeam(team, { code: "ambiguous-team", message, restsOn, suggestedYaml })],
  };
}

/** Two teams of the roster that only their name leads to one and the same team of the service are both in doubt. */
function separateTwins(judged: readonly JudgedTeam[]): readonly JudgedTeam[] {
  const claims = new Map<string, number>();
  for (const { identity } of judged) {
    if (identity.is === "known") claims.set(identity.identifier, (claims.get(identity.identifier) ?? 0) + 1);
  }
  return judged.map((one) => {
    const { identity } = one;
    if (identity.is !== "known" || identity.ref.identifier.known !== "observed") return one;
    if ((claims.get(identity.identifier) ?? 0) < 2) return one;
    return sharedByName(identity, identity.ref.identifier.by);
  });
}
