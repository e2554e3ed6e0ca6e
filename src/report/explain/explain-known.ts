import { keyInRoster, keyInService, keyInState, keyUnasked } from "./about-key.ts";
import { carriersOf, roleInRoster, roleInService, roleInState, roleUnasked } from "./about-role.ts";
import { teamInRoster, teamInService, teamInState, teamUnasked } from "./about-team.ts";
import { userInRoster, userInService, userInState, userUnasked } from "./about-user.ts";
import { aboutKey, aboutPerson, aboutRole, aboutTeam } from "./concerns.ts";
import { explainPart, planned } from "./explain-planned.ts";
import type { Known, NamedTeam, Thing, ThingExplained } from "./explanation.ts";
import { personMeant } from "./person-meant.ts";
import { missingSubjects, roleStandings } from "./role-standings.ts";
import { teamsNamed } from "./teams-named.ts";

/** The whole story of a thing, as the roster, the service, the state and the plan have it; none where nobody knows it. */
export function explainKnown(thing: Thing, known: Known): readonly ThingExplained[] {
  const { roster, snapshot, plan, agreements } = known;
  const { readings } = snapshot;
  switch (thing.is) {
    case "user": {
      const address = personMeant(thing.address, roster);
      const named = roster.users.get(address) ?? roster.leavers.get(address);
      const shown = snapshot.users.find((user) => user.address === address);
      const isKnown = named !== undefined || shown !== undefined || known.state.users.has(address);
      const told = {
        ...planned(plan, aboutPerson(address, named?.because[0]), address),
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
        unasked: userUnasked(address, known),
      };
      return isKnown || told.roster.length + told.actions.length + told.findings.length > 0 ? [told] : [];
    }
    case "team":
      return teamsNamed(thing.written, known).map((team) => explainTeam(team, known));
    case "key": {
      const { prefix } = thing;
      const told = {
        ...planned(plan, aboutKey(prefix)),
        ...({ is: thing.is, name: prefix, from: "the service", readings, refused: known.refused } as const),
        roster: keyInRoster(prefix, known),
        service: keyInService(prefix, known),
        state: keyInState(prefix, known),
        settled: agreements.filter((one) => one.prefix === prefix),
        unasked: keyUnasked(prefix, known),
      };
      const isShown = snapshot.users.some(({ keys = [] }) => keys.some((key) => key.prefix === prefix));
      const isNamed = told.roster.length + told.state.length + told.actions.length + told.findings.length > 0;
      return isShown || isNamed ? [told] : [];
    }
    case "role":
      return explainRole(thing.role, known);
    case "action":
    case "finding":
      return explainPart(thing, plan, { from: "the service", readings, refused: known.refused });
  }
}

function explainTeam(team: NamedTeam, known: Known): ThingExplained {
  const inRoster = known.roster.teams.find(({ key }) => key === team.key);
  return {
    ...planned(known.plan, aboutTeam(team.key, inRoster?.because[0])),
    is: "team",
    name: team.name,
    from: "the service",
    readings: known.snapshot.readings,
    refused: known.refused,
    roster: teamInRoster(team, known),
    service: teamInService(team, known),
    state: teamInState(team, known),
    settled: known.agreements.filter((one) => one.team === team.key),
    unasked: teamUnasked(team, known),
  };
}

function explainRole(role: string, known: Known): readonly ThingExplained[] {
  const { plan, snapshot, roster, refused } = known;
  const standings = roleStandings(role, known);
  const carriers = carriersOf(role, known);
  const told: ThingExplained = {
    ...planned(plan, aboutRole(role, missingSubjects(standings))),
    is: "role",
    name: role,
    from: "the service",
    readings: snapshot.readings,
    refused,
    roster: roleInRoster(role, standings, known),
    service: roleInService(role, carriers, known),
    state: roleInState(role, known),
    settled: [],
    unasked: roleUnasked(role, carriers, standings, known),
  };
  const isOffered = snapshot.roles.known === "observed" && snapshot.roles.value.some((one) => one.identifier === role);
  const isInSet = [...roster.roleSets.values()].some(({ value }) => value.includes(role));
  const isMet = standings.length + carriers.length + told.state.length + told.actions.length > 0;
  return isOffered || isInSet || isMet ? [told] : [];
}
