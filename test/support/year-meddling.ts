import type { Year, YearEvent } from "./year.ts";
import { domain, type Person } from "./year-company.ts";
import { goAway } from "./year-people.ts";

/** What people do to the service behind the roster's back. */
export const meddlingEvents = {
  "somebody adds a user": addUser,
  "somebody creates a joiner": createJoiner,
  "somebody deletes a user": deleteUser,
  "somebody adds a member": addMember,
  "somebody removes a member": removeMember,
  "somebody sets roles": setRoles,
  "somebody gives away the administration": setPrivileges,
  "somebody renames a team": renameTeam,
  "somebody switches a user off": switchOff,
} satisfies Readonly<Record<string, YearEvent>>;

function addUser(year: Year): void {
  const email = `guest${year.merge}@${domain}`;
  if (year.world.users.some((user) => user.email === email)) return;
  year.world.addUser({ email, firstName: "Guest", lastName: `Number${year.merge}` });
  year.happens(`${email} is added in the service, and in no roster`);
}

function createJoiner(year: Year): void {
  const person = year.company.hire();
  const { email, firstName, lastName } = person;
  year.world.addUser({ email, firstName, lastName });
  year.registry.adopt();
  year.dice.one(year.idleTeams())?.members.add(person);
  year.happens(`${email} joins, and somebody has created them already`);
}

/** Nobody is the last member of a team: no read shows a team without members. */
function deleteUser(year: Year): void {
  const truth = year.registry.truth();
  const isOneOfSome = (email: string) =>
    truth.teams.every(({ members }) => !members.includes(email) || members.length > 2);
  const person = year.dice.one(year.spare(truth).filter(({ email }) => isOneOfSome(email)));
  const account = person === undefined ? undefined : year.registry.accountOf(person, truth);
  if (person === undefined || account === undefined) return;
  year.world.removeUser(account.identifier);
  const matter = { what: `${person.email} is deleted in the service`, people: [person], due: year.in(1, 4) };
  const leave = () => {
    year.company.takeOut(person);
    person.since = year.today;
    goAway(year, person);
  };
  year.open({
    ...matter,
    ...(year.dice.chance(0.5) ? { allows: [`user-missing:${person.email}`] } : { remedy: leave }),
  });
}

function addMember(year: Year): void {
  const team = year.dice.one(year.idleTeams());
  const person = year.dice.one(
    year.idle().filter((one) => team !== undefined && !team.members.has(one) && !year.registry.wasIn(one, team.id)),
  );
  if (team === undefined || person === undefined) return;
  year.addMember(team, person);
  const isWelcome = year.dice.chance(0.5);
  year.open({
    what: `${person.email} is added to ${team.name} in the service`,
    people: [person],
    due: year.in(1, 4),
    remedy() {
      if (isWelcome) team.members.add(person);
      else year.removeMember(team, person);
    },
  });
}

function removeMember(year: Year): void {
  const truth = year.registry.truth();
  const team = year.dice.one(year.idleTeams().filter((one) => year.membersThere(one, truth).length > 3));
  const members = team === undefined ? [] : [...team.members].filter((one) => year.isIn(team, one, truth));
  const person = year.dice.one(members.filter((one) => year.idle(truth).includes(one)));
  if (team === undefined || person === undefined) return;
  year.removeMember(team, person);
  const isMissed = year.dice.chance(0.5);
  year.open({
    what: `${person.email} is taken out of ${team.name} in the service`,
    people: [person],
    due: year.in(1, 4),
    remedy() {
      if (isMissed) year.addMember(team, person);
      else {
        year.company.takeOutOf(team, person);
        year.removeMember(team, person);
      }
    },
  });
}

function setRoles(year: Year): void {
  const truth = year.registry.truth();
  const person = year.dice.one(year.idle(truth));
  const account = person === undefined ? undefined : year.registry.accountOf(person, truth);
  const key = year.dice.one(account?.accessKeys ?? []);
  if (key === undefined) return;
  const roles = year.dice.one([[], ["AUDITOR"], ["TEAM_ROLE", "PROJECT"]]) ?? [];
  year.world.setKeyRoles(key.prefix, roles);
  year.happens(`the key ${key.prefix} of ${person?.email} gets ${roles.join(", ") || "nothing"}`);
}

/** On a key that the roster does not manage: only a drift job sees it. Whoever has the role gains nothing by a slip in a roster. */
function setPrivileges(year: Year): void {
  const truth = year.registry.truth();
  const isClear = (one: Person) => year.company.teamsOf(one).every((team) => !year.isBusyTeam(team));
  const person = year.dice.one(year.idle(truth).filter(isClear));
  const account = person === undefined ? undefined : year.registry.accountOf(person, truth);
  const own = account?.accessKeys.find(({ kind }) => kind === "user");
  if (person === undefined || own === undefined) return;
  year.world.setKeyRoles(own.prefix, ["ACCOUNT_ADMIN"]);
  year.privileged.add(own.prefix);
  year.open({
    what: `the own key of ${person.email} gets ACCOUNT_ADMIN in the service`,
    people: [person],
    due: year.in(1, 4),
    remedy() {
      const left = year.registry.accountOf(person)?.accessKeys.some(({ prefix }) => prefix === own.prefix);
      if (left === true) year.world.setKeyRoles(own.prefix, ["TEAM_ROLE"]);
      year.privileged.delete(own.prefix);
    },
  });
}

function renameTeam(year: Year): void {
  const team = year.dice.one(year.idleTeams());
  const identifier = team === undefined ? undefined : year.registry.teamIdentifier(team.id);
  if (team === undefined || identifier === undefined) return;
  const former = team.name;
  const name = year.company.nameOf(3000 + year.merge);
  year.world.renameTeam(identifier, name);
  const isMistake = year.dice.chance(0.5);
  year.open({
    what: `${former} becomes ${name} in the service`,
    people: [],
    teams: [team],
    due: year.in(1, 4),
    remedy() {
      if (isMistake) year.world.renameTeam(identifier, former);
      else year.company.rename(team, name);
    },
  });
}

function switchOff(year: Year): void {
  const person = year.dice.one(year.idle());
  const account = person === undefined ? undefined : year.registry.accountOf(person);
  if (person === undefined || account === undefined) return;
  year.world.setUserStatus(account.identifier, "Inactive");
  year.open({
    what: `${person.email} is switched off in the service`,
    people: [person],
    due: year.in(1, 4),
    remedy: () => year.world.setUserStatus(account.identifier, "Active"),
  });
}
