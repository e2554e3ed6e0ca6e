import { keyInRoster, keyInService, keyInState, keyUnmanaged } from "./about-key.ts";
import { roleCarriers, roleInRoster, roleInService, roleInState, roleUnmanaged } from "./about-role.ts";
import { teamInRoster, teamInService, teamInState, teamUnmanaged } from "./about-team.ts";
import { userInRoster, userInService, userInState, userUnmanaged } from "./about-user.ts";
import { keyFilter, personFilter, roleFilter, teamFilter } from "./concerns.ts";
import { explainPlanPart, planPartsAbout } from "./explain-planned.ts";
import type { ExplainContext, ExplainedTarget, ExplainTarget, ResolvedTeam } from "./explanation.ts";
import { resolvePerson } from "./person-meant.ts";
import { missingSubjects, roleGrantStatuses } from "./role-standings.ts";
import { findTeams } from "./teams-named.ts";

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

function explainTeam(team: ResolvedTeam, known: ExplainContext): ExplainedTarget {
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
