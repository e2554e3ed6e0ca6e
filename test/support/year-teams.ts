import type { Year, YearEvent } from "./year.ts";
import { type Person, type RoleSetName, roleSets, type Team } from "./year-company.ts";

/** What the company decides about its teams. */
export const teamEvents = {
  found,
  "a new name, told with the former one": rename,
  "other roles": changeRoles,
  dissolve,
} satisfies Readonly<Record<string, YearEvent>>;

function found(year: Year): void {
  const firstMembers = Array.from({ length: year.dice.between(1, 2) }, () => year.company.hire());
  const others: Person[] = [];
  for (const person of year.dice.some(year.idle(), year.dice.between(1, 4))) {
    const left = year.company.teams.filter((team) => team.members.size === 0 || year.isBusyTeam(team));
    if (!left.some((team) => year.looksLike([...others, person], team))) others.push(person);
  }
  const admin = year.dice.one([...firstMembers, ...others]);
  if (admin === undefined) return;
  const team = year.company.found([...firstMembers, ...others], admin);
  year.happens(`creates: ${team.name} with ${[...team.members].map(({ email }) => email).join(", ")}`);
}

function rename(year: Year): void {
  const team = year.dice.one(year.idleTeams());
  const identifier = team === undefined ? undefined : year.registry.teamIdentifier(team.id);
  if (team === undefined || identifier === undefined) return;
  year.company.rename(team, year.company.nameOf(1000 + year.merge));
  year.open({
    what: `${team.previously[0]} becomes ${team.name} in the roster`,
    people: [],
    teams: [team],
    due: year.in(1, 4),
    remedy: () => year.world.renameTeam(identifier, team.name),
  });
}

function changeRoles(year: Year): void {
  const team = year.dice.one(year.idleTeams().filter(({ members }) => members.size < 12));
  if (team === undefined) return;
  team.roles = year.dice.one(Object.keys(roleSets) as RoleSetName[]);
  year.happens(`gives ${team.name} the roles ${team.roles}`);
}

/** Its people stay; the service keeps it. */
function dissolve(year: Year): void {
  const isFree = ({ members }: Team) => [...members].every((one) => !year.isBusy(one));
  const team = year.dice.one(year.idleTeams().filter((one) => isFree(one) && !year.isMissed(one)));
  if (team === undefined || year.company.teams.filter(({ members }) => members.size > 0).length < 6) return;
  year.happens(`dissolves ${team.name}`);
  team.members.clear();
  team.differing.clear();
}
