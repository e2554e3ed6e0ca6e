import type { Year, YearEvent } from "./year.ts";
import { addressFor, domain, type Person, type Team } from "./year-company.ts";

/** What the company decides about its people. */
export const peopleEvents = {
  join,
  leave,
  move,
  "move back": moveBack,
  until,
  "come back": comeBack,
  "a new address, in the roster first": addressInRoster,
  "a new address, in the service first": addressInService,
  "a namesake of a leaver": namesake,
} satisfies Readonly<Record<string, YearEvent>>;

function join(year: Year): void {
  for (const _ of Array.from({ length: year.dice.between(1, 3) })) {
    const person = year.company.hire();
    const teams = year.dice.some(year.idleTeams(), year.dice.between(0, 2));
    for (const team of teams) team.members.add(person);
    year.happens(`joins: ${person.email}, ${teams.map(({ name }) => name).join(", ")}`);
  }
}

function leave(year: Year): void {
  const person = year.dice.one(year.spare());
  if (person === undefined) return;
  year.company.takeOut(person);
  person.since = year.today;
  goAway(year, person);
}

/** Until somebody deletes the account, the service still has it. */
export function goAway(year: Year, person: Person): void {
  person.stage = "leaver";
  person.until = undefined;
  year.open({
    what: `${person.email} leaves`,
    people: [person],
    due: year.in(2, 8),
    remedy() {
      const account = year.registry.accountOf(person);
      if (account === undefined) return;
      const how = year.dice.below(5);
      if (how < 3) year.world.removeUser(account.identifier);
      else year.world.setUserStatus(account.identifier, how === 3 ? "Deleted" : "Inactive");
      // Whoever was never applied as a leaver would be dropped.
      if (year.dice.chance(0.4) && !year.applied.has(person)) person.stage = "settled";
    },
  });
}

/** Nobody who leaves a team is taken out of it by a call. */
function leaveTeam(year: Year, person: Person, from: Team, what: string): void {
  year.company.takeOutOf(from, person);
  year.open({ what, people: [person], due: year.in(1, 5), remedy: () => year.removeMember(from, person) });
}

function move(year: Year): void {
  const person = year.dice.one(year.spare());
  if (person === undefined) return;
  const [from] = year.company.teamsOf(person).filter((team) => team.id > 0 && !year.isBusyTeam(team));
  const to = year.dice.one(year.idleTeams().filter((team) => team !== from && !year.registry.wasIn(person, team.id)));
  if (from === undefined || to === undefined) return;
  to.members.add(person);
  leaveTeam(year, person, from, `${person.email} moves from ${from.name} to ${to.name}`);
}

/** Into a team that they were taken out of: no second mail is sent, so that somebody adds them by hand. */
function moveBack(year: Year): void {
  const truth = year.registry.truth();
  const teams = year.idleTeams();
  const backs = year
    .idle(truth)
    .flatMap((person) =>
      teams
        .filter(
          (team) =>
            !team.members.has(person) && year.registry.wasIn(person, team.id) && !year.isIn(team, person, truth),
        )
        .map((team) => ({ person, team })),
    );
  const back = year.dice.one(backs);
  if (back === undefined) return;
  const { person, team } = back;
  team.members.add(person);
  year.open({
    what: `${person.email} moves back to ${team.name}`,
    people: [person],
    due: year.in(1, 3),
    remedy: () => year.addMember(team, person),
  });
}

function until(year: Year): void {
  const person = year.dice.one(year.spare());
  if (person === undefined) return;
  const days = year.dice.between(3, 20);
  person.until = year.dayIn(days);
  year.open({
    what: `${person.email} is there until ${person.until}`,
    people: [person],
    due: year.merge + Math.ceil(days / 1.5) + year.dice.between(1, 5),
    remedy() {
      year.company.takeOut(person);
      person.since = person.until !== undefined && person.until <= year.today ? person.until : year.today;
      goAway(year, person);
    },
  });
}

function comeBack(year: Year): void {
  const truth = year.registry.truth();
  const leavers = year.company.people.filter(({ stage }) => stage === "leaver");
  const there = leavers.filter((person) => {
    const account = year.registry.accountOf(person, truth);
    return account?.status === "Active" && account.email.toLowerCase() === person.email.toLowerCase();
  });
  const gone = leavers.filter((person) => year.registry.accountOf(person, truth) === undefined);
  const person = year.dice.one(year.dice.chance(0.5) && gone.length > 0 ? gone : there);
  if (person === undefined) return;
  year.matters = year.matters.filter(({ people }) => !people.includes(person));
  person.stage = "user";
  person.since = undefined;
  if (there.includes(person)) comeBackToAccount(year, person);
  else comeBackAnew(year, person);
}

function comeBackToAccount(year: Year, person: Person): void {
  const truth = year.registry.truth();
  const [first, ...others] = year.idleTeams().filter((team) => year.isIn(team, person, truth));
  first?.members.add(person);
  const left = [...others, ...year.company.teams.filter((team) => team !== first && year.isIn(team, person, truth))];
  year.open({
    what: `${person.email} comes back to the account`,
    people: [person],
    due: year.in(1, 3),
    remedy() {
      for (const team of left) year.removeMember(team, person);
    },
  });
}

function comeBackAnew(year: Year, person: Person): void {
  year.dice.one(year.idleTeams())?.members.add(person);
  year.open({
    what: `${person.email} comes back, and the account is gone`,
    people: [person],
    due: year.in(1, 3),
    allows: [`user-missing:${person.email}`],
  });
}

function addressInRoster(year: Year): void {
  const person = year.dice.one(year.idle());
  if (person === undefined) return;
  const former = rename(year, person);
  person.previously = [former];
  year.open({
    what: `${former} becomes ${person.email} in the roster`,
    people: [person],
    due: year.in(1, 4),
    remedy() {
      const account = year.registry.accountOf(person);
      if (account !== undefined) year.world.changeEmail(account.identifier, person.email);
    },
  });
}

function addressInService(year: Year): void {
  const person = year.dice.one(year.idle());
  const account = person === undefined ? undefined : year.registry.accountOf(person);
  if (person === undefined || account === undefined) return;
  const email = year.otherAddress(person);
  person.addresses.add(email);
  year.world.changeEmail(account.identifier, email);
  year.open({
    what: `${person.email} becomes ${email} in the service`,
    people: [person],
    due: year.in(1, 4),
    remedy() {
      person.previously = year.dice.chance(0.5) ? [person.email] : [];
      person.email = email;
    },
  });
}

/** Returns the former address. */
function rename(year: Year, person: Person): string {
  const former = person.email;
  person.email = year.otherAddress(person);
  person.addresses.add(person.email);
  return former;
}

function namesake(year: Year): void {
  const truth = year.registry.truth();
  const leaver = year.dice.one(
    year.company.people.filter(
      (one) =>
        one.stage === "leaver" &&
        one.email === addressFor(one.firstName, one.lastName) &&
        year.registry.accountOf(one, truth)?.status === "Active",
    ),
  );
  if (leaver === undefined) return;
  const { firstName, lastName } = leaver;
  const email = `${firstName}.${lastName}2@${domain}`.toLowerCase();
  if (year.company.personOf(email) !== undefined) return;
  const person = year.company.hireAs({ firstName, lastName, email });
  year.dice.one(year.idleTeams())?.members.add(person);
  year.open({
    what: `${email} has the name of a leaver`,
    people: [person],
    due: year.in(1, 3),
    remedy() {
      person.distinctFrom = [leaver.email];
    },
  });
}
