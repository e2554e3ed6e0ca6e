import { factValue, type ReadName } from "../../model/fact.ts";
import type { Plan } from "../../model/plan.ts";
import type { ReadRecord } from "../../model/snapshot.ts";
import { foldName } from "../../model/team.ts";
import { planNames } from "../plan-names.ts";
import { keyFilter, personFilter, roleFilter, teamFilter } from "./concerns.ts";
import { explainPlanPart, noStatements, planPartsAbout, unlessEmpty } from "./explain-planned.ts";
import type { ExplainedTarget, ExplainTarget } from "./explanation.ts";

/** What a saved plan holds about a thing; nothing where it holds nothing. */
export function explainFromSavedPlan(thing: ExplainTarget, plan: Plan): readonly ExplainedTarget[] {
  const about = { from: "a saved plan", readings: new Map<ReadName, ReadRecord>() } as const;
  switch (thing.is) {
    case "user":
      return unlessEmpty({
        ...noStatements,
        ...about,
        ...planPartsAbout(plan, personFilter(thing.address, undefined), thing.address),
        is: thing.is,
        name: planNames(plan).email(thing.address),
      });
    case "team":
      return teamsIn(plan, thing.written).flatMap((team) =>
        unlessEmpty({
          ...noStatements,
          ...about,
          ...planPartsAbout(plan, teamFilter(team.key, undefined)),
          is: thing.is,
          name: team.name,
        }),
      );
    case "key":
      return unlessEmpty({
        ...noStatements,
        ...about,
        ...planPartsAbout(plan, keyFilter(thing.prefix)),
        is: thing.is,
        name: thing.prefix,
      });
    case "role":
      return unlessEmpty({
        ...noStatements,
        ...about,
        ...planPartsAbout(plan, roleFilter(thing.role)),
        is: thing.is,
        name: thing.role,
      });
    case "action":
    case "finding":
      return explainPlanPart(thing, plan, about);
  }
}

/** A team as a plan names it. */
interface PlannedTeam {
  readonly key: string;
  readonly name: string;
  readonly identifier?: string | undefined;
}

/** Teams that a plan names, by name or identifier. */
function teamsIn({ actions, findings }: Plan, written: string): readonly PlannedTeam[] {
  const refs = actions.flatMap((action): readonly PlannedTeam[] => {
    if (action.kind === "create-user")
      return action.founds === undefined ? [] : [{ key: action.founds.team, name: action.founds.name }];
    const team =
      action.kind === "add-members" ? action.team : action.key.of === "own-key" ? undefined : action.key.team;
    if (team === undefined) return [];
    return [{ key: team.team, name: team.name, identifier: factValue(team.identifier) }];
  });
  const told = findings.flatMap(({ because }) => because.flatMap(({ as, name = "" }) => (as === "team" ? [name] : [])));
  const isMeant = ({ name, identifier }: PlannedTeam) => identifier === written || foldName(name) === foldName(written);
  const meant = [...new Map(refs.filter(isMeant).map((team) => [team.key, team])).values()];
  if (meant.length > 0) return meant;
  const name = told.find((one) => foldName(one) === foldName(written));
  const subjects = findings.flatMap(({ subject }) => /team (.+)$/u.exec(subject)?.[1] ?? []);
  const key = subjects.find((one) => name !== undefined && one.endsWith(`/${foldName(name)}`));
  return name === undefined || key === undefined ? [] : [{ key, name }];
}
