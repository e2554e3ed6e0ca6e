import type { Dice } from "./dice.ts";
import type { Year, YearEvent } from "./year.ts";
import {
  addressFor,
  domain,
  type Edition,
  type EditionTeam,
  type Person,
  type RoleSetName,
  roleSets,
  type Team,
  teamFile,
  untouchable,
} from "./year-company.ts";

/** Everything that may happen, with how often each is in the deck. */
const events: Readonly<Record<string, readonly [copies: number, event: YearEvent]>> = {
  // What the company decides about its people.
  join: [14, join],
  leave: [9, leave],
  move: [6, move],
  "move back": [3, moveBack],
  until: [4, until],
  "come back": [6, comeBack],
  "a new address, in the roster first": [3, addressInRoster],
  "a new address, in the service first": [3, addressInService],
  "a namesake of a leaver": [1, namesake],
  // What the company decides about its teams.
  found: [6, found],
  "a new name, told with the former one": [1, rename],
  "other roles": [2, changeRoles],
  dissolve: [1, dissolve],
  // What gets merged although nobody meant it. Each is taken back a merge or more later.
  "a letter too many in an address": [2, typo],
  "a stranger": [2, stranger],
  "a role that is none": [1, unknownRole],
  "a new name, not told to be one": [1, renameUntold],
  "an administration for everybody": [1, privileges],
  "roles for somebody who is protected": [1, protectedRoles],
  "a file lost in a merge": [1, lostFile],
  // What people do to the service behind the roster's back.
  "somebody adds a user": [1, addUser],
  "somebody creates a joiner": [1, createJoiner],
  "somebody deletes a user": [2, deleteUser],
  "somebody adds a member": [2, addMember],
  "somebody removes a member": [2, removeMember],
  "somebody sets roles": [2, setRoles],
  "somebody gives away the administration": [1, setPrivileges],
  "somebody renames a team": [1, renameTeam],
  "somebody switches a user off": [1, switchOff],
};

export interface Card {
  readonly name: string;
  readonly event: YearEvent;
}

/** Deals the events of the year, of each kind its share. */
export interface Deck {
  deal(): Card | undefined;
  /** It could not happen to anybody: it comes again soon. */
  putBack(card: Card): void;
}

export function deckOf(dice: Dice): Deck {
  const all = Object.entries(events).flatMap(([name, [copies, event]]) =>
    Array.from({ length: copies }, () => ({ name, event })),
  );
  let deck: Card[] = [];
  return {
    deal() {
      if (deck.length === 0) deck = [...dice.some(all, all.length)];
      return deck.pop();
    },
    putBack(card) {
      deck.splice(Math.max(0, deck.length - 6), 0, card);
    },
  };
}

/** The names of everything that may happen. */
export const eventNames: readonly string[] = Object.keys(events);

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
function goAway(year: Year, person: Person): void {
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
  const former = takeOtherAddress(year, person);
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
function takeOtherAddress(year: Year, person: Person): string {
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

/** Some of those who were created have an invitation to accept. Most do so soon, others only after somebody has asked them. */
export function greet(year: Year): void {
  for (const person of year.registry.created.splice(0)) {
    const account = year.registry.accountOf(person);
    if (account === undefined || !year.dice.chance(0.35)) continue;
    year.world.setUserStatus(account.identifier, "Invited");
    const isLate = year.dice.chance(0.15);
    year.open({
      what: `${person.email} is invited`,
      people: [person],
      due: isLate ? year.in(12, 16) : year.in(1, 5),
      remedy: () => accept(year, person),
    });
  }
}

function accept(year: Year, person: Person): void {
  const there = year.registry.accountOf(person);
  if (there?.status === "Invited") year.world.setUserStatus(there.identifier, "Active");
}
