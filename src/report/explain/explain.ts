import { factValue, type ReadName } from "../../model/fact.ts";
import type { Plan } from "../../model/plan.ts";
import type { ReadRecord } from "../../model/snapshot.ts";
import { subjectTeam } from "../../model/subject.ts";
import { foldName } from "../../model/team.ts";
import { planNames } from "../plan-names.ts";
import {
  type ExplainContext,
  type ExplainedTarget,
  type ExplainedTeam,
  type ExplainTarget,
  resolvePerson,
} from "./explanation.ts";
import { keyInRoster, keyInService, keyInState, keyUnmanaged } from "./key.ts";
import {
  explainPlanPart,
  keyFilter,
  noStatements,
  personFilter,
  planPartsAbout,
  roleFilter,
  teamFilter,
  unlessEmpty,
} from "./plan-parts.ts";
import {
  missingSubjects,
  roleCarriers,
  roleGrantStatuses,
  roleInRoster,
  roleInService,
  roleInState,
  roleUnmanaged,
} from "./role.ts";
import { findTeams, teamInRoster, teamInService, teamInState, teamUnmanaged } from "./team.ts";
import { userInRoster, userInService, userInState, userUnmanaged } from "./user.ts";

/** The whole story of a thing, as the roster, the service, the state and the plan have it; none where nobody knows it. */
export function explainTarget(thing: ExplainTarget, known: ExplainContext): readonly ExplainedTarget[] {
  const { roster, snapshot, plan, agreements } = known;
  const { readings } = snapshot;
  switch (thing.is) {
    case "user": {
      const address = resolvePerson(thing.address, roster);
      const named = roster.users.get(address) ?? roster.leavers.get(address);
      const shown = snapshot.users.find((user) => user.address === address);
      const isKnown = named !== undefined || shown !== undefined || known.state.users.has(address);
      const told = {
        ...planPartsAbout(plan, personFilter(address, named?.because[0]), address),
        ...({
          is: thing.is,
          name: named?.email ?? shown?.email ?? address,
          from: "the service",
          readings,
          refused: known.refused,
        } as const),
        roster: userInRoster(address, known),
        service: userInService(address, known),
        state: userInState(address, known),
        settled: agreements.filter((one) => one.address === address),
        unasked: userUnmanaged(address, known),
      };
      return isKnown || told.roster.length + told.actions.length + told.findings.length > 0 ? [told] : [];
    }
    case "team":
      return findTeams(thing.written, known).map((team) => explainTeam(team, known));
    case "key": {
      const { prefix } = thing;
      const told = {
        ...planPartsAbout(plan, keyFilter(prefix)),
        ...({ is: thing.is, name: prefix, from: "the service", readings, refused: known.refused } as const),
        roster: keyInRoster(prefix, known),
        service: keyInService(prefix, known),
        state: keyInState(prefix, known),
        settled: agreements.filter((one) => one.prefix === prefix),
        unasked: keyUnmanaged(prefix, known),
      };
      const isShown = snapshot.users.some(({ keys = [] }) => keys.some((key) => key.prefix === prefix));
      const isNamed = told.roster.length + told.state.length + told.actions.length + told.findings.length > 0;
      return isShown || isNamed ? [told] : [];
    }
    case "role":
      return explainRole(thing.role, known);
    case "action":
    case "finding":
      return explainPlanPart(thing, plan, { from: "the service", readings, refused: known.refused });
  }
}

function explainTeam(team: ExplainedTeam, known: ExplainContext): ExplainedTarget {
  const inRoster = known.roster.teams.find(({ key }) => key === team.key);
  return {
    ...planPartsAbout(known.plan, teamFilter(team.key, inRoster?.because[0])),
    is: "team",
    name: team.name,
    from: "the service",
    readings: known.snapshot.readings,
    refused: known.refused,
    roster: teamInRoster(team, known),
    service: teamInService(team, known),
    state: teamInState(team, known),
    settled: known.agreements.filter((one) => one.team === team.key),
    unasked: teamUnmanaged(team, known),
  };
}

function explainRole(role: string, known: ExplainContext): readonly ExplainedTarget[] {
  const { plan, snapshot, roster, refused } = known;
  const standings = roleGrantStatuses(role, known);
  const carriers = roleCarriers(role, known);
  const told: ExplainedTarget = {
    ...planPartsAbout(plan, roleFilter(role, missingSubjects(standings))),
    is: "role",
    name: role,
    from: "the service",
    readings: snapshot.readings,
    refused,
    roster: roleInRoster(role, standings, known),
    service: roleInService(role, carriers, known),
    state: roleInState(role, known),
    settled: [],
    unasked: roleUnmanaged(role, carriers, standings, known),
  };
  const isOffered = snapshot.roles.known === "observed" && snapshot.roles.value.some((one) => one.identifier === role);
  const isInSet = [...roster.roleSets.values()].some(({ value }) => value.includes(role));
  const isMet = standings.length + carriers.length + told.state.length + told.actions.length > 0;
  return isOffered || isInSet || isMet ? [told] : [];
}

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
  const subjects = findings.flatMap(({ subject }) => subjectTeam(subject) ?? []);
  const key = subjects.find((one) => name !== undefined && one.endsWith(`/${foldName(name)}`));
  return name === undefined || key === undefined ? [] : [{ key, name }];
}
