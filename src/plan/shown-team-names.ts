import type { Basis } from "../model/fact.ts";
import type { RosterTeam } from "../model/roster.ts";
import { foldName } from "../model/team.ts";
import type { FindingDraft } from "./draft.ts";
import type { PlanContext } from "./question.ts";
import { observedBasis, teamSubject, yamlScalar } from "./subjects.ts";
import { type ClassifiedTeam, teamFinding } from "./team-identity.ts";

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
  const others = findings.filter(({ code }) => code !== "former-team-name");
  const { team } = identity;
  if (shown.has(foldName(team.name))) return { identity, findings: others };
  const former = [...shown].find(([folded]) => identity.names.has(folded));
  const told =
    former === undefined
      ? renamedTeamFinding(team, identity.identifier, first)
      : formerNameFinding(team, former[1].name, presentBasis(team, former[1]));
  return { identity, findings: [told, ...others] };
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
    `The service shows the team ${identifier} as ${name}, which the roster calls ${team.name}: it was renamed there. The team is used as it is; ` +
    `write ${name} as its name in the roster, and ${team.name} under \`previously\`, to silence this notice.`;
  const suggestedYaml = `teams:\n  - name: ${yamlScalar(name)}\n    previously: [${yamlScalar(team.name)}]\n`;
  const restsOn = [presentBasis(team, { name, by })];
  return teamFinding(team, { code: "team-renamed", message, restsOn, suggestedYaml });
}

function presentBasis(team: RosterTeam, { name, by }: ObservedTeamName): Basis {
  return observedBasis(teamSubject(team.key), `present as ${name}`, by);
}

export function formerNameFinding(team: RosterTeam, former: string, basis: Basis): FindingDraft {
  const message =
    `${team.name} is known to the service by its former name ${former}, and no call renames a team. The team is used as it is; ` +
    "have it renamed by hand to silence this notice.";
  return teamFinding(team, { code: "former-team-name", message, restsOn: [basis] });
}
