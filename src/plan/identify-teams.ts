import { type FindingTexts, say } from "../codes/message.ts";
import type { OpenIntent } from "../model/call.ts";
import { byCodeUnit, groupBy, multimap } from "../model/collections.ts";
import { type Basis, declared, type Known, observed, type ReadName, recorded, teamSubject } from "../model/fact.ts";
import { keyBelongsToTeam, shownTeam } from "../model/key.ts";
import type { Objection } from "../model/policy.ts";
import type { TeamInRoster } from "../model/roster.ts";
import { type DesiredTeam, foldName, teamKeyOf } from "../model/team.ts";
import type { TeamKey } from "../model/values.ts";
import type { FindingDraft, PlanContext, Selection } from "./context.ts";
import type { UserIdentities } from "./identify-users.ts";
import {
  observedAccount,
  observedBasis,
  recordedBasis,
  type SnapshotIndex,
  type UserKey,
  unknownBasis,
} from "./snapshot-index.ts";

/** What a team of the roster is to the service. */
export type TeamIdentity = TeamInRoster &
  (
    | { readonly is: "known"; readonly identifier: string; readonly identified: Known<string> }
    /** It is there, but nobody knows by which identifier: nobody can be added, nor is it created again. */
    | { readonly is: "unidentified" }
    /** To be created: its absence is proven, or a person confirms it. */
    | { readonly is: "absent"; readonly absence: Basis }
    /** Not shown as such, but not proven to be absent either: nothing is created, and its first member is kept for it. */
    | {
        readonly is: "unknown";
        readonly code: "unproven-absence" | "incomplete-read" | "team-identifier-unknown";
        readonly why: string;
      }
    /** A call may have created it: nothing is done for it until that is known, and a first member is kept for it. */
    | { readonly is: "in-doubt"; readonly open: OpenIntent }
    /** Nothing is done for it, and a finding says why. */
    | { readonly is: "blocked" }
  );

export type TeamThatIs<Is extends TeamIdentity["is"]> = Extract<TeamIdentity, { readonly is: Is }>;

export type TeamIdentities = ReadonlyMap<TeamKey, TeamIdentity>;

/** What a plan looks at, once it is known who is who. */
export interface Identified extends PlanContext {
  readonly people: UserIdentities;
  readonly teams: TeamIdentities;
  readonly selection: Selection;
}

interface ClassifiedTeam {
  readonly identity: TeamIdentity;
  readonly findings: readonly FindingDraft[];
}

export function teamFinding(
  team: DesiredTeam,
  finding: Omit<FindingDraft, "subject" | "because" | "concerns">,
): FindingDraft {
  return {
    subject: teamSubject(team.key),
    because: team.because.slice(0, 1),
    concerns: [{ team: team.key }],
    ...finding,
  };
}

interface TeamLookup {
  readonly context: PlanContext;
  /** Identifiers that the roster gives to its teams. */
  readonly given: ReadonlyMap<string, TeamKey>;
  /** The same, and those that the state gives: what the roster says counts more than what was recorded. */
  readonly claimed: ReadonlyMap<string, TeamKey>;
}

export function identifyTeams(context: PlanContext) {
  const { roster, state } = context;
  const identifiedBy = (identifierOf: (team: DesiredTeam) => string | undefined) =>
    roster.teams.flatMap((team) => {
      const identifier = identifierOf(team);
      return identifier === undefined ? [] : [[identifier, team.key] as const];
    });
  const given = identifiedBy(({ identifier }) => identifier?.value);
  const known = identifiedBy(({ key }) => state.teams.get(key)?.identifier);
  const lookup: TeamLookup = { context, given: new Map(given), claimed: new Map([...known, ...given]) };
  const classified = blockSharedTeams(context.names().teams.map((fields) => classifyTeam(fields, lookup)));
  const judged = blockReassignedNames(classified).map((one) => reportObservedName(one, context));
  return {
    teams: new Map(judged.map(({ identity }) => [identity.team.key, identity])),
    findings: judged.flatMap(({ findings }) => findings),
  };
}

/** By its identifier in the roster, then by record, then by its names. */
function classifyTeam(fields: TeamInRoster, { context, given, claimed }: TeamLookup): ClassifiedTeam {
  const { team } = fields;
  const subject = teamSubject(team.key);
  const known = (identified: Known<string>, findings: readonly FindingDraft[] = []): ClassifiedTeam => {
    return { identity: { is: "known", ...fields, identifier: identified.value, identified }, findings };
  };
  if (context.closedAccounts.has(team.account)) return { identity: { is: "blocked", ...fields }, findings: [] };
  if (team.identifier !== undefined) return known(declared(team.identifier.value, team.identifier.place));
  // A record of the team that the roster says to be another one of its teams is not this one's.
  const records = fields.recordKeys
    .flatMap((key) => context.state.teams.get(key) ?? [])
    .filter(({ identifier = "" }) => (given.get(identifier) ?? team.key) === team.key);
  const record = records.find(({ identifier }) => identifier !== undefined) ?? records[0];
  if (record?.identifier !== undefined) {
    const basis = recordedBasis(subject, `present as ${record.name}`, record.at);
    const findings = record.team === team.key ? [] : [formerNameFinding(team, record.name, basis)];
    return known(recorded(record.identifier, record.at), findings);
  }
  const isTaken = (identifier: string) => (claimed.get(identifier) ?? team.key) !== team.key;
  for (const name of fields.names) {
    const candidates = teamCandidates(name, team.account, isTaken, context.facts);
    const [one] = candidates;
    if (one === undefined) continue;
    const { identifier, by } = one;
    const isOne = candidates.length === 1 && identifier !== undefined;
    const judged = isOne ? known(observed(identifier, by)) : shownTeamInDoubt(fields, candidates);
    if (name === foldName(team.name)) return judged;
    const basis = observedBasis(subject, `present as ${name}`, by);
    return { ...judged, findings: [formerNameFinding(team, name, basis), ...judged.findings] };
  }
  if (record === undefined) return classifyAbsentTeam(fields, context);
  const texts = say("team-identifier-unknown/recorded", { ...identifierParts(team), at: record.at });
  return inDoubt({ is: "unidentified", ...fields }, texts, [recordedBasis(subject, "present", record.at)]);
}

/** A team that is there, and of which nobody knows by which identifier, or which one it is. */
function inDoubt(identity: TeamIdentity, texts: FindingTexts, restsOn: readonly Basis[]): ClassifiedTeam {
  return { identity, findings: [teamFinding(identity.team, { ...texts, restsOn })] };
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
  if (open !== undefined) return { identity: { is: "in-doubt", ...fields, open }, findings: [] };
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
    ? "the API lists no teams, and keys do not show their team"
    : "the service shows no keys yet, so roster cannot know if it shows teams";
}

/** Tells where the service knows a team by another name than the roster: what it shows counts more than what was recorded. */
function reportObservedName(judged: ClassifiedTeam, { facts }: PlanContext): ClassifiedTeam {
  const { identity, findings } = judged;
  if (identity.is !== "known") return judged;
  const { team, identifier, names } = identity;
  // As the service writes them, by their folded forms.
  const shown = new Map<string, { readonly name: string; readonly basis: Basis }>();
  for (const { key, holder } of facts.byTeamIdentifier.get(identifier) ?? []) {
    const name = shownTeam(key)?.name;
    if (name === undefined || shown.has(foldName(name))) continue;
    shown.set(foldName(name), { name, basis: observedBasis(teamSubject(team.key), `present as ${name}`, holder.by) });
  }
  const [first] = shown.values();
  if (first === undefined) return judged;
  const others = findings.filter(({ code }) => code !== "team-name-differs");
  if (shown.has(foldName(team.name))) return { identity, findings: others };
  const [, former] = [...shown].find(([folded]) => names.has(folded)) ?? [];
  if (former !== undefined)
    return { identity, findings: [formerNameFinding(team, former.name, former.basis), ...others] };
  const texts = say("team-name-differs/renamed", { identifier, team: team.name, shown: first.name });
  return { identity, findings: [teamFinding(team, { ...texts, restsOn: [first.basis] }), ...others] };
}

function formerNameFinding(team: DesiredTeam, former: string, basis: Basis): FindingDraft {
  const texts = say("team-name-differs/former", { team: team.name, former });
  return teamFinding(team, { ...texts, restsOn: [basis] });
}

/**
 * Where a former name is all that leads to a team, and another team of the roster has that name now, it is in doubt which of the
 * two the service knows by it: neither is created or added to until the roster gives an identifier.
 */
function blockReassignedNames(judged: readonly ClassifiedTeam[]): readonly ClassifiedTeam[] {
  const identities = judged.map(({ identity }) => identity);
  // Twins share theirs.
  const byName = groupBy(identities, ({ team }) => teamKeyOf(team.account, team.name));
  // The team that has the name now, by either team.
  const doubts = new Map<TeamKey, TeamIdentity>();
  for (const { is, team } of identities) {
    if (is !== "absent" && is !== "unknown") continue;
    const named = team.previously.flatMap(({ value }) => byName.get(teamKeyOf(team.account, value)) ?? []);
    const holder = named.find((one) => one.team.key !== team.key && mayBeAnother(one));
    if (holder === undefined) continue;
    doubts.set(team.key, holder);
    if (holder.is !== "blocked" && holder.is !== "in-doubt") doubts.set(holder.team.key, holder);
  }
  return judged.map((one) => {
    const holder = doubts.get(one.identity.team.key);
    if (holder === undefined) return one;
    const { team, names, isTwin, recordKeys } = one.identity;
    const shown = holder.is === "known" ? `the team ${holder.identifier}` : "the team of that name";
    const why =
      `its former name ${holder.team.name} is now the name of another team of the roster, ` +
      `so ${shown} may be either team`;
    const code = "team-identifier-unknown";
    return { identity: { is: "unknown", team, names, isTwin, recordKeys, code, why }, findings: [] };
  });
}

/** Not where the name leads nowhere, nor where the roster says by an identifier whose it is. */
function mayBeAnother(identity: TeamIdentity): boolean {
  if (identity.is === "known") return identity.identified.known !== "declared";
  return identity.is === "unidentified" || identity.is === "in-doubt" || identity.is === "blocked";
}

interface TeamCandidate {
  /** Undefined where no key shows it. */
  readonly identifier: string | undefined;
  readonly by: ReadName;
}

/**
 * The distinct teams that keys show under a folded name, apart from those that belong to others: teams whose
 * holders are all known to be in other accounts, and identifiers that are taken. One team that some keys show
 * without its identifier is one team.
 */
export function teamCandidates(
  name: string,
  account: string,
  isTaken: (identifier: string) => boolean,
  facts: SnapshotIndex,
): readonly TeamCandidate[] {
  const byIdentifier = multimap(
    (facts.byTeamName.get(name) ?? []).map((held) => [shownTeam(held.key)?.identifier, held]),
  );
  const candidates = [...byIdentifier].flatMap(([identifier, keys]): readonly TeamCandidate[] => {
    const isOfAccount = keys.some(({ holder }) => (observedAccount(holder, facts) ?? account) === account);
    if (!isOfAccount || (identifier !== undefined && isTaken(identifier))) return [];
    return [{ identifier, by: keys.map(({ holder }) => holder.by).sort(byCodeUnit)[0] ?? "" }];
  });
  const identified = candidates.filter((one) => one.identifier !== undefined);
  if (identified.length === 0) return candidates;
  return identified.sort((a, b) => byCodeUnit(a.identifier ?? "", b.identifier ?? ""));
}

/** Whether the service shows a key as one of this team. A name alone does not tell teams of several accounts apart. */
export function isKeyOfTeam(identity: TeamThatIs<"known" | "unidentified">, held: UserKey, facts: SnapshotIndex) {
  const { key, holder } = held;
  if (keyBelongsToTeam(key, identity) !== "yes") return false;
  const account = observedAccount(holder, facts);
  return shownTeam(key)?.identifier !== undefined || account === undefined || account === identity.team.account;
}
