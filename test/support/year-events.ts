import type { Dice } from "./dice.ts";
import type { ServiceUser, Year, YearEvent } from "./year.ts";
import {
  addressFor,
  domain,
  type Edition,
  type EditionTeam,
  mostNewUsers,
  type Person,
  type RoleSetName,
  roleSets,
  type Team,
  teamFile,
  untouchable,
} from "./year-company.ts";

/** Something that may happen, and how often it is in the deck. */
interface Happening {
  readonly copies: number;
  readonly event: YearEvent;
}

const times = (copies: number, event: YearEvent): Happening => ({ copies, event });

function toPerson(
  copies: number,
  some: (year: Year) => readonly Person[],
  event: (year: Year, person: Person, account: ServiceUser) => void,
): Happening {
  return times(copies, (year) => {
    const person = year.dice.one(some(year));
    const account = person === undefined ? undefined : year.registry.accountOf(person);
    if (person !== undefined && account !== undefined) event(year, person, account);
  });
}

function toTeam(
  copies: number,
  some: (year: Year) => readonly Team[],
  event: (year: Year, team: Team, identifier: string) => void,
): Happening {
  return times(copies, (year) => {
    const team = year.dice.one(some(year));
    const identifier = team === undefined ? undefined : year.registry.teamIdentifier(team.id);
    if (team !== undefined && identifier !== undefined) event(year, team, identifier);
  });
}

const idle = (year: Year) => year.idle();
const spare = (year: Year) => year.spare();
const idleTeams = (year: Year) => year.idleTeams();

const decisions: Readonly<Record<string, Happening>> = {
  join: times(14, (year) => {
    for (const _ of Array.from({ length: year.dice.between(1, 3) })) {
      const person = year.company.hire();
      const teams = year.dice.some(year.idleTeams(), year.dice.between(0, 2));
      for (const team of teams) team.members.add(person);
      year.happens(`joins: ${person.email}, ${teams.map(({ name }) => name).join(", ")}`);
    }
  }),
  leave: toPerson(9, spare, leave),
  move: toPerson(6, spare, (year, person) => {
    const [from] = year.company.teamsOf(person).filter((team) => team.id > 0 && !year.isBusyTeam(team));
    const to = year.dice.one(year.idleTeams().filter((team) => team !== from && !year.registry.wasIn(person, team.id)));
    if (from === undefined || to === undefined) return;
    to.members.add(person);
    year.company.takeOutOf(from, person);
    year.open({
      what: `${person.email} moves from ${from.name} to ${to.name}`,
      people: [person],
      due: year.in(1, 5),
      // Nobody who leaves a team is taken out of it by a call.
      remedy: () => year.removeMember(from, person),
    });
  }),
  // Into a team that they were taken out of: no second mail is sent, so that somebody adds them by hand.
  "move back": times(3, (year) => {
    const truth = year.registry.truth();
    const wasIn = (person: Person, team: Team) =>
      !team.members.has(person) && year.registry.wasIn(person, team.id) && !year.isIn(team, person, truth);
    const teams = year.idleTeams();
    const backs = year
      .idle(truth)
      .flatMap((person) => teams.filter((team) => wasIn(person, team)).map((team) => ({ person, team })));
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
  }),
  until: toPerson(4, spare, (year, person) => {
    const days = year.dice.between(3, 20);
    person.until = year.dayIn(days);
    year.open({
      what: `${person.email} is there until ${person.until}`,
      people: [person],
      due: year.merge + Math.ceil(days / 1.5) + year.dice.between(1, 5),
      remedy: () => leave(year, person),
    });
  }),
  "come back": times(6, (year) => {
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
    const teams = year.idleTeams();
    const left = year.company.teams.filter((team) => year.isIn(team, person, truth));
    const isThere = there.includes(person);
    const team = isThere ? teams.find((one) => left.includes(one)) : year.dice.one(teams);
    team?.members.add(person);
    const leaveOthers = () => {
      for (const one of left) if (one !== team) year.removeMember(one, person);
    };
    year.open({
      what: `${person.email} comes back${isThere ? " to the account" : ", and the account is gone"}`,
      people: [person],
      due: year.in(1, 3),
      ...(isThere ? { remedy: leaveOthers } : { allows: [`user-missing:${person.email}`] }),
    });
  }),
  "a new address, in the roster first": toPerson(3, idle, (year, person) => {
    const former = person.email;
    person.email = year.otherAddress(person);
    person.addresses.add(person.email);
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
  }),
  "a new address, in the service first": toPerson(3, idle, (year, person, account) => {
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
  }),
  "a namesake of a leaver": toPerson(1, presentLeavers, (year, leaver) => {
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
  }),
  found: times(6, (year) => {
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
  }),
  "a company is bought": times(1, (year) => {
    const people = Array.from({ length: mostNewUsers + 1 }, () => year.company.hire());
    year.open({
      what: `${people.length} people of a company that was bought join`,
      people,
      due: year.in(1, 2),
      stops: true,
      allows: ["max-new-users"],
    });
  }),
  "a new name, told with the former one": toTeam(1, idleTeams, (year, team, identifier) => {
    year.company.rename(team, year.company.nameOf(1000 + year.merge));
    year.open({
      what: `${team.previously[0]} becomes ${team.name} in the roster`,
      teams: [team],
      due: year.in(1, 4),
      remedy: () => year.world.renameTeam(identifier, team.name),
    });
  }),
  "other roles": toTeam(
    2,
    (year) => year.idleTeams().filter(({ members }) => members.size < 12),
    (year, team) => {
      team.roles = year.dice.one(Object.keys(roleSets) as RoleSetName[]);
      year.happens(`gives ${team.name} the roles ${team.roles}`);
    },
  ),
  // Its people stay; the service keeps it.
  dissolve: toTeam(
    1,
    (year) => year.idleTeams().filter((one) => !year.isMissed(one) && [...one.members].every((p) => !year.isBusy(p))),
    (year, team) => {
      if (year.company.teams.filter(({ members }) => members.size > 0).length < 6) return;
      year.happens(`dissolves ${team.name}`);
      team.members.clear();
      team.differing.clear();
    },
  ),
};

function leave(year: Year, person: Person): void {
  year.company.takeOut(person);
  person.since = person.until !== undefined && person.until <= year.today ? person.until : year.today;
  person.stage = "leaver";
  person.until = undefined;
  year.open({
    what: `${person.email} leaves`,
    people: [person],
    due: year.in(2, 8),
    // Until somebody deletes the account, the service still has it.
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

function presentLeavers({ company, registry }: Year): readonly Person[] {
  const truth = registry.truth();
  return company.people.filter(
    (one) =>
      one.stage === "leaver" &&
      one.email === addressFor(one.firstName, one.lastName) &&
      registry.accountOf(one, truth)?.status === "Active",
  );
}

function mapTeam(edition: Edition, id: number, change: (team: EditionTeam) => EditionTeam): Edition {
  return { ...edition, teams: edition.teams.map((team) => (team.id === id ? change(team) : team)) };
}

/** What gets merged although nobody meant it. Each is taken back a merge or more later. */
const slips: Readonly<Record<string, Happening>> = {
  "a letter too many in an address": toPerson(
    2,
    (year) => year.idle().filter((one) => year.company.teamsOf(one).length > 0),
    (year, person) => {
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
    },
  ),
  "a stranger": toTeam(2, idleTeams, (year, team) => {
    const email = `mallory${year.merge}@evil.example`;
    if (year.matters.some(({ strangers = [] }) => strangers.includes(email))) return;
    const names = { firstName: "Mallory", lastName: "Stranger", previously: [], distinctFrom: [], until: undefined };
    const member = { email, roles: undefined };
    year.open({
      what: `${email} is in ${team.name}`,
      strangers: [email],
      due: year.in(1, 3),
      alter(edition) {
        const added = mapTeam(edition, team.id, (one) => ({ ...one, members: [...one.members, member] }));
        return { ...added, users: [...added.users, { file: "people/group-00.yaml", email, ...names }] };
      },
    });
  }),
  "a role that is none": moreRoles("DEVELOPR"),
  // With a new member, so that it could be created.
  "a new name, not told to be one": toTeam(
    1,
    (year) => year.idleTeams().filter((one) => one.members.size > 2 && !year.isMissed(one)),
    (year, team, identifier) => {
      team.members.add(year.company.hire());
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
    },
  ),
  "an administration for everybody": moreRoles("ACCOUNT_ADMIN"),
  "roles for somebody who is protected": times(1, (year) => {
    const safe = year.company.personOf(untouchable);
    if (safe === undefined || year.isBusy(safe)) return;
    const without = ({ members, ...team }: EditionTeam) => ({
      ...team,
      members: members.map((member) => (member.email === untouchable ? { ...member, roles: [] } : member)),
    });
    year.open({
      what: `${untouchable} gets other roles`,
      people: [safe],
      due: year.in(1, 2),
      alter: (edition) => mapTeam(edition, 0, without),
    });
  }),
  // A squad's file, with its people: nobody else names them.
  "a file lost in a merge": toTeam(
    1,
    (year) => year.idleTeams().filter((squad) => squad.layout === "squad" && isClear(year, squad)),
    (year, team) => {
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
    },
  ),
};

/** Of a team of which nobody has the administration. */
function moreRoles(role: string): Happening {
  return toTeam(
    1,
    (year) => year.idleTeams().filter(({ members }) => [...members].every((one) => !year.isPrivileged(one))),
    (year, team) =>
      year.open({
        what: `everybody in ${team.name} is to have ${role}`,
        teams: [team],
        due: year.in(1, 3),
        alter: (edition) =>
          mapTeam(edition, team.id, (one) => ({
            ...one,
            roles: { sets: one.roles?.sets ?? [], names: [...(one.roles?.names ?? []), role] },
          })),
      }),
  );
}

function isClear(year: Year, squad: Team): boolean {
  return !year.isMissed(squad) && homeOf(year, squad).every((person) => !year.isBusy(person));
}

function homeOf({ company }: Year, team: Team): readonly Person[] {
  return [...team.members].filter((person) => company.teamsOf(person).length === 1);
}

const deeds: Readonly<Record<string, Happening>> = {
  "somebody adds a user": times(1, (year) => {
    const email = `guest${year.merge}@${domain}`;
    if (year.world.users.some((user) => user.email === email)) return;
    year.world.addUser({ email, firstName: "Guest", lastName: `Number${year.merge}` });
    year.happens(`${email} is added in the service, and in no roster`);
  }),
  "somebody creates a joiner": times(1, (year) => {
    const person = year.company.hire();
    const { email, firstName, lastName } = person;
    year.world.addUser({ email, firstName, lastName });
    year.registry.adopt();
    year.dice.one(year.idleTeams())?.members.add(person);
    year.happens(`${email} joins, and somebody has created them already`);
  }),
  "somebody deletes a user": toPerson(2, oneOfSome, (year, person, account) => {
    year.world.removeUser(account.identifier);
    year.open({
      what: `${person.email} is deleted in the service`,
      people: [person],
      due: year.in(1, 4),
      ...(year.dice.chance(0.5) ? { allows: [`user-missing:${person.email}`] } : { remedy: () => leave(year, person) }),
    });
  }),
  "somebody adds a member": toTeam(2, idleTeams, (year, team) => {
    const isOther = (one: Person) => !team.members.has(one) && !year.registry.wasIn(one, team.id);
    const person = year.dice.one(year.idle().filter(isOther));
    if (person === undefined) return;
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
  }),
  "somebody removes a member": toTeam(
    2,
    (year) => year.idleTeams().filter((one) => year.membersThere(one).length > 3),
    (year, team) => {
      const people = year.idle();
      const isThere = (one: Person) => people.includes(one) && year.isIn(team, one);
      const person = year.dice.one([...team.members].filter(isThere));
      if (person === undefined) return;
      year.removeMember(team, person);
      const isMissed = year.dice.chance(0.5);
      year.open({
        what: `${person.email} is taken out of ${team.name} in the service`,
        people: [person],
        due: year.in(1, 4),
        remedy() {
          if (isMissed) return year.addMember(team, person);
          year.company.takeOutOf(team, person);
          return year.removeMember(team, person);
        },
      });
    },
  ),
  "somebody sets roles": toPerson(2, idle, (year, { email }, { accessKeys }) => {
    const key = year.dice.one(accessKeys);
    if (key === undefined) return;
    const roles = year.dice.one([[], ["AUDITOR"], ["TEAM_ROLE", "PROJECT"]]) ?? [];
    year.world.setKeyRoles(key.prefix, roles);
    year.happens(`the key ${key.prefix} of ${email} gets ${roles.join(", ") || "nothing"}`);
  }),
  // On a key that the roster does not manage: only a drift job sees it. Whoever has the role gains nothing by a slip in a roster.
  "somebody gives away the administration": toPerson(
    1,
    (year) => year.idle().filter((one) => year.company.teamsOf(one).every((team) => !year.isBusyTeam(team))),
    (year, person, account) => {
      const own = account.accessKeys.find(({ kind }) => kind === "user");
      if (own === undefined) return;
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
    },
  ),
  "somebody renames a team": toTeam(1, idleTeams, (year, team, identifier) => {
    const former = team.name;
    const name = year.company.nameOf(3000 + year.merge);
    year.world.renameTeam(identifier, name);
    const isMistake = year.dice.chance(0.5);
    year.open({
      what: `${former} becomes ${name} in the service`,
      teams: [team],
      due: year.in(1, 4),
      remedy() {
        if (isMistake) year.world.renameTeam(identifier, former);
        else year.company.rename(team, name);
      },
    });
  }),
  "somebody switches a user off": toPerson(1, idle, (year, person, account) => {
    year.world.setUserStatus(account.identifier, "Inactive");
    year.open({
      what: `${person.email} is switched off in the service`,
      people: [person],
      due: year.in(1, 4),
      remedy: () => year.world.setUserStatus(account.identifier, "Active"),
    });
  }),
};

/** Nobody is the last member of a team: no read shows a team without members. */
function oneOfSome(year: Year): readonly Person[] {
  const truth = year.registry.truth();
  return year
    .spare(truth)
    .filter(({ email }) => truth.teams.every(({ members }) => !members.includes(email) || members.length > 2));
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
      remedy() {
        const there = year.registry.accountOf(person);
        if (there?.status === "Invited") year.world.setUserStatus(there.identifier, "Active");
      },
    });
  }
}

const events: readonly (readonly [name: string, Happening])[] = Object.entries({ ...decisions, ...slips, ...deeds });

export const eventNames: readonly string[] = events.map(([name]) => name);

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
  const all = events.flatMap(([name, { copies, event }]) => Array.from({ length: copies }, () => ({ name, event })));
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
