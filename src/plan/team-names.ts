import { say } from "../codes/message.ts";
import { byCodeUnit, groupBy, multimap } from "../model/collections.ts";
import type { ReadName } from "../model/fact.ts";
import { shownTeam } from "../model/key.ts";
import type { TeamKey } from "../model/recorded.ts";
import { type Basis, observedBasis, teamSubject } from "../model/subject.ts";
import { type DesiredTeam, foldName, teamKeyOf } from "../model/team.ts";
import type { PlanContext } from "./context.ts";
import type { FindingDraft } from "./finding-draft.ts";
import { type ClassifiedTeam, type TeamIdentity, teamFinding } from "./identities.ts";
import { observedAccount, type SnapshotIndex, teamIdentifier } from "./snapshot-index.ts";

/** Tells where the service knows a team by another name than the roster: what it shows counts more than what was recorded. */
export function reportObservedName(judged: ClassifiedTeam, { facts }: PlanContext): ClassifiedTeam {
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

export function formerNameFinding(team: DesiredTeam, former: string, basis: Basis): FindingDraft {
  const texts = say("team-name-differs/former", { team: team.name, former });
  return teamFinding(team, { ...texts, restsOn: [basis] });
}

/**
 * Where a former name is all that leads to a team, and another team of the roster has that name now, it is in doubt which of the
 * two the service knows by it: neither is created or added to until the roster gives an identifier.
 */
export function blockReassignedNames(judged: readonly ClassifiedTeam[]): readonly ClassifiedTeam[] {
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
    if (holder.is !== "blocked") doubts.set(holder.team.key, holder);
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
  switch (identity.is) {
    case "known":
      return identity.identified.known !== "declared";
    case "unidentified":
    case "blocked":
      return true;
    case "absent":
    case "unknown":
      return false;
  }
}

export interface TeamCandidate {
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
  const byIdentifier = multimap((facts.byTeamName.get(name) ?? []).map((held) => [teamIdentifier(held.key), held]));
  const candidates = [...byIdentifier].flatMap(([identifier, keys]): readonly TeamCandidate[] => {
    const isOfAccount = keys.some(({ holder }) => (observedAccount(holder, facts) ?? account) === account);
    if (!isOfAccount || (identifier !== undefined && isTaken(identifier))) return [];
    return [{ identifier, by: keys.map(({ holder }) => holder.by).sort(byCodeUnit)[0] ?? "" }];
  });
  const identified = candidates.filter((one) => one.identifier !== undefined);
  if (identified.length === 0) return candidates;
  return identified.sort((a, b) => byCodeUnit(a.identifier ?? "", b.identifier ?? ""));
}
