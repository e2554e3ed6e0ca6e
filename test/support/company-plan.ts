import type { Action, Plan } from "../../src/model/plan.ts";
import {
  aCreation,
  anAddition,
  aPlan,
  createId,
  newPerson,
  newTeam,
  rolesOfAdded,
  rolesOfFirstMember,
} from "./action-builders.ts";

/** A plan that brings about so many teams of ten new people each: 21 calls a team. */
export function companyPlan(teams: number, nameOf = (team: number) => `Team ${team}`): Plan {
  return aPlan(Array.from({ length: teams }, (_, team) => teamOf(`p${team}n`, nameOf(team))).flat());
}

function teamOf(prefix: string, name: string): readonly Action[] {
  const firstMember = `${prefix}0`;
  const others = Array.from({ length: 9 }, (_, person) => `${prefix}${person + 1}`);
  const team = newTeam(name, firstMember);
  return [
    aCreation(firstMember, { createsTeam: name, roles: ["DEVELOPER"] }),
    rolesOfFirstMember(firstMember, team, ["DEVELOPER"]),
    ...others.map((person) => aCreation(person, { after: [createId(firstMember)] })),
    anAddition(team, others.map(newPerson)),
    ...others.map((person) => rolesOfAdded(person, team, ["DEVELOPER"])),
  ];
}
