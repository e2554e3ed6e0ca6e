import type { Year, YearEvent } from "./year.ts";
import { type Person, type Team, untouchable } from "./year-company.ts";
import { type Edition, type EditionTeam, teamFile } from "./year-edition.ts";

/** What gets merged although nobody meant it. Each is taken back a merge or more later. */
export const slipEvents = {
  "a letter too many in an address": typo,
  "a stranger": stranger,
  "a role that is none": unknownRole,
  "a new name, not told to be one": renameUntold,
  "an administration for everybody": privileges,
  "roles for somebody who is protected": protectedRoles,
  "a file lost in a merge": lostFile,
} satisfies Readonly<Record<string, YearEvent>>;

function mapTeam(edition: Edition, id: number, change: (team: EditionTeam) => EditionTeam): Edition {
  return { ...edition, teams: edition.teams.map((team) => (team.id === id ? change(team) : team)) };
}

function typo(year: Year): void {
  const person = year.dice.one(year.idle().filter((one) => year.company.teamsOf(one).length > 0));
  if (person === undefined) return;
  const [local = "", at = ""] = person.email.split("@");
  const place = year.dice.between(1, local.length - 1);
  const wrong = `${local.slice(0, place)}${local[place]}${local.slice(place)}@${at}`;
  if (year.company.personOf(wrong) !== undefined) return;
  person.addresses.add(wrong);
  const right = person.email;
  const written = (email: string) => (email === right ? wrong : email);
  year.open({
    what: `${right} is written ${wrong}`,
    people: [person],
    due: year.in(1, 3),
    alter: (edition) => ({
      ...edition,
      users: edition.users.map((user) => ({ ...user, email: written(user.email) })),
      teams: edition.teams.map((team) => ({
        ...team,
        admin: written(team.admin),
        members: team.members.map((member) => ({ ...member, email: written(member.email) })),
      })),
    }),
  });
}

function stranger(year: Year): void {
  const team = year.dice.one(year.idleTeams());
  const email = `mallory${year.merge}@evil.example`;
  if (team === undefined || year.matters.some(({ strangers = [] }) => strangers.includes(email))) return;
  const user = {
    email,
    firstName: "Mallory",
    lastName: "Stranger",
    previously: [],
    distinctFrom: [],
    until: undefined,
  };
  year.open({
    what: `${email} is in ${team.name}`,
    people: [],
    strangers: [email],
    due: year.in(1, 3),
    alter(edition) {
      const added = mapTeam(edition, team.id, (one) => ({
        ...one,
        members: [...one.members, { email, roles: undefined }],
      }));
      return { ...added, users: [...added.users, { file: "people/group-00.yaml", ...user }] };
    },
  });
}

function withRole(team: EditionTeam, role: string): EditionTeam {
  return { ...team, roles: { sets: team.roles?.sets ?? [], names: [...(team.roles?.names ?? []), role] } };
}

function moreRoles(role: string, what: (team: Team) => string): YearEvent {
  return (year) => {
    const isClear = ({ members }: Team) => [...members].every((one) => !year.isPrivileged(one));
    const team = year.dice.one(year.idleTeams().filter(isClear));
    if (team === undefined) return;
    year.open({
      what: what(team),
      people: [],
      teams: [team],
      due: year.in(1, 3),
      alter: (edition) => mapTeam(edition, team.id, (one) => withRole(one, role)),
    });
  };
}

function unknownRole(year: Year): void {
  moreRoles("DEVELOPR", ({ name }) => `${name} asks for DEVELOPR`)(year);
}

function privileges(year: Year): void {
  moreRoles("ACCOUNT_ADMIN", ({ name }) => `everybody in ${name} is to be an administrator`)(year);
}

/** With a new member, so that it could be created. */
function renameUntold(year: Year): void {
  const isClear = (one: Team) => one.members.size > 2 && !year.isMissed(one);
  const team = year.dice.one(year.idleTeams().filter(isClear));
  const identifier = team === undefined ? undefined : year.registry.teamIdentifier(team.id);
  if (team === undefined || identifier === undefined) return;
  const person = year.company.hire();
  team.members.add(person);
  const newcomers = [...team.members].filter((one) => year.registry.accountOf(one) === undefined);
  const former = team.name;
  const names = [former, ...team.previously];
  team.previously = [];
  team.name = year.company.nameOf(2000 + year.merge);
  year.open({
    what: `${former} becomes ${team.name} without a word`,
    people: newcomers,
    teams: [team],
    due: year.in(1, 3),
    remedy() {
      if (year.dice.chance(0.5)) year.world.renameTeam(identifier, team.name);
      team.previously = names;
    },
  });
}

function protectedRoles(year: Year): void {
  const safe = year.company.personOf(untouchable);
  if (safe === undefined || year.isBusy(safe)) return;
  year.open({
    what: `${untouchable} gets other roles`,
    people: [safe],
    due: year.in(1, 2),
    alter: (edition) =>
      mapTeam(edition, 0, (team) => ({
        ...team,
        members: team.members.map((member) => (member.email === untouchable ? { ...member, roles: [] } : member)),
      })),
  });
}

/** A squad's file, with its people: nobody else names them. */
function lostFile(year: Year): void {
  const squads = year.idleTeams().filter((squad) => squad.layout === "squad" && !year.isMissed(squad));
  const team = year.dice.one(squads.filter((squad) => homeOf(year, squad).every((person) => !year.isBusy(person))));
  if (team === undefined) return;
  const people = homeOf(year, team);
  const lost = new Set(people.map(({ email }) => email));
  year.open({
    what: `${teamFile(team.id)} is lost, with ${people.length} people`,
    people,
    teams: [team],
    due: year.in(1, 2),
    alter: (edition) => ({
      ...edition,
      users: edition.users
        .filter(({ email }) => !lost.has(email))
        .map((user) => (user.file === teamFile(team.id) ? { ...user, file: "people/group-00.yaml" } : user)),
      teams: edition.teams.filter(({ id }) => id !== team.id),
    }),
  });
}

function homeOf({ company }: Year, team: Team): readonly Person[] {
  return [...team.members].filter((person) => company.teamsOf(person).length === 1);
}
