import type { ReadName } from "../../model/fact.ts";
import { byCodeUnit, groupBy, multimap } from "../../model/role-set.ts";
import type { RosterTeam } from "../../model/roster.ts";
import { type Basis, observedBasis, teamSubject } from "../../model/subject.ts";
import { foldName, type TeamKey, teamKeyOf } from "../../model/team.ts";
import type { PlanContext } from "../context.ts";
import { type FindingDraft, yamlScalar } from "../finding-draft.ts";
import { type ClassifiedTeam, type TeamIdentity, teamFinding, type UnprovenTeam } from "../identities.ts";
import { observedAccount, type SnapshotIndex, teamIdentifier, type UserKey } from "../snapshot-index.ts";

/** A name under which keys show a team, as the service writes it. */
interface ObservedTeamName {
  readonly name: string;
  readonly by: string;
}

/** Tells where the service knows a team by another name than the roster: what it shows counts more than what was recorded. */
export function reportObservedName(judged: ClassifiedTeam, context: PlanContext): ClassifiedTeam {
  const { identity, findings } = judged;
  if (identity.is !== "known") return judged;
  const shown = observedNames(identity.identifier, context);
  const [first] = shown.values();
  if (first === undefined) return judged;
  const others = findings.filter(({ code }) => code !== "team-name-differs");
  const { team } = identity;
  if (shown.has(foldName(team.name))) return { identity, findings: others };
  const former = [...shown].find(([folded]) => identity.names.has(folded));
  const finding =
    former === undefined
      ? renamedTeamFinding(team, identity.identifier, first)
      : formerNameFinding(team, former[1].name, presentBasis(team, former[1]));
  return { identity, findings: [finding, ...others] };
}

/** By their folded forms. */
function observedNames(identifier: string, { facts }: PlanContext): ReadonlyMap<string, ObservedTeamName> {
  const names = new Map<string, ObservedTeamName>();
  for (const { key, holder } of facts.byTeamIdentifier.get(identifier) ?? []) {
    const name = key.team === undefined || key.team === "none" ? undefined : key.team.name;
    if (name !== undefined && !names.has(foldName(name))) names.set(foldName(name), { name, by: holder.by });
  }
  return names;
}

function renamedTeamFinding(team: RosterTeam, identifier: string, { name, by }: ObservedTeamName): FindingDraft {
  const message =
    `The team ${identifier} is ${team.name} in the roster and ${name} in the service. It was renamed there. roster uses it as it is. ` +
    `To hide this notice, write ${name} as its name, and ${team.name} under \`previously\`.`;
  const suggestedYaml = `teams:\n  - name: ${yamlScalar(name)}\n    previously: [${yamlScalar(team.name)}]\n`;
  const restsOn = [presentBasis(team, { name, by })];
  return teamFinding(team, { code: "team-name-differs", message, restsOn, suggestedYaml });
}

function presentBasis(team: RosterTeam, { name, by }: ObservedTeamName): Basis {
  return observedBasis(teamSubject(team.key), `present as ${name}`, by);
}

export function formerNameFinding(team: RosterTeam, former: string, basis: Basis): FindingDraft {
  const message =
    `The service has ${team.name} under its former name ${former}. The API cannot rename teams. roster uses it as it is. ` +
    "To hide this notice, rename the team in the service.";
  return teamFinding(team, { code: "team-name-differs", message, restsOn: [basis] });
}

/**
 * Where a former name is all that leads to a team, and another team of the roster has that name now, it is in doubt which of the
 * two the service knows by it: neither is created or added to until the roster gives an identifier.
 */
export function blockReassignedNames(judged: readonly ClassifiedTeam[]): readonly ClassifiedTeam[] {
  const byName = indexByName(judged);
  /** The team that has the name now, by either team. */
  const doubts = new Map<TeamKey, TeamIdentity>();
  for (const { identity: former } of judged) {
    const holder = former.is === "new" || former.is === "unproven" ? currentHolder(former, byName) : undefined;
    if (holder === undefined) continue;
    doubts.set(former.team.key, holder);
    if (holder.is !== "withheld") doubts.set(holder.team.key, holder);
  }
  return judged.map((one) => {
    const holder = doubts.get(one.identity.team.key);
    return holder === undefined ? one : { identity: teamInDoubt(one.identity, holder), findings: [] };
  });
}

/** By account and folded name; twins share theirs. */
type TeamsByName = ReadonlyMap<TeamKey, readonly TeamIdentity[]>;

function indexByName(judged: readonly ClassifiedTeam[]): TeamsByName {
  return groupBy(
    judged.map(({ identity }) => identity),
    ({ team }) => teamKeyOf(team.account, team.name),
  );
}

/** None where the name leads nowhere, or where the roster says by an identifier whose it is. */
function currentHolder({ team }: TeamIdentity, byName: TeamsByName): TeamIdentity | undefined {
  const named = team.previously.flatMap(({ value }) => byName.get(teamKeyOf(team.account, value)) ?? []);
  return named.find((one) => one.team.key !== team.key && mayBeAnother(one));
}

function mayBeAnother(identity: TeamIdentity): boolean {
  switch (identity.is) {
    case "known":
      return identity.ref.identifier.known !== "declared";
    case "unidentified":
    case "withheld":
      return true;
    case "new":
    case "unproven":
      return false;
  }
}

function teamInDoubt({ team, names, isTwin, recordKeys }: TeamIdentity, holder: TeamIdentity): UnprovenTeam {
  const shown = holder.is === "known" ? `the team ${holder.identifier}` : "the team of that name";
  const why =
    `its former name ${holder.team.name} is now the name of another team of the roster, ` +
    `so ${shown} may be either team`;
  return { is: "unproven", team, names, isTwin, recordKeys, code: "team-identifier-unknown", why };
}

/** A team that keys show under a name. */
export interface TeamCandidate {
  /** Absent where no key shows it. */
  readonly identifier?: string;
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
  const byIdentifier = multimap((facts.byTeamName.get(name) ?? []).map((held) => [teamIdentifier(held.key), held]));
  const candidates = [...byIdentifier]
    .filter(
      ([identifier, keys]) =>
        (identifier === undefined || !isTaken(identifier)) && keys.some((one) => mayBeOfAccount(account, one, facts)),
    )
    .map(([identifier, keys]) => toCandidate(identifier, keys));
  const identified = candidates.filter((one) => one.identifier !== undefined);
  return identified.length > 0 ? identified.sort(byIdentifierOrder) : candidates;
}

function mayBeOfAccount(account: string, { holder }: UserKey, facts: SnapshotIndex): boolean {
  const shown = observedAccount(holder, facts);
  return shown === undefined || shown === account;
}

function toCandidate(identifier: string | undefined, keys: readonly UserKey[]): TeamCandidate {
  const by = keys.map(({ holder }) => holder.by).sort(byCodeUnit)[0] ?? "";
  return identifier === undefined ? { by } : { identifier, by };
}

function byIdentifierOrder(a: TeamCandidate, b: TeamCandidate): number {
  return byCodeUnit(a.identifier ?? "", b.identifier ?? "");
}
