import type { Dice } from "./dice.ts";

/** Somebody of flesh and blood: one person, whatever addresses and accounts they come to have. */
export interface Person {
  readonly id: number;
  readonly firstName: string;
  readonly lastName: string;
  /** As it is right now. */
  email: string;
  /** In small letters, all that were ever used for them, be it by mistake. */
  readonly addresses: Set<string>;
  /** `settled`: left, and in no roster any more. */
  stage: "user" | "leaver" | "settled";
  previously: readonly string[];
  distinctFrom: readonly string[];
  until: string | undefined;
  since: string | undefined;
}

export interface Team {
  readonly id: number;
  name: string;
  previously: readonly string[];
  admin: Person;
  readonly members: Set<Person>;
  /** Of those whose key differs from the team's. */
  readonly differing: Map<Person, readonly string[]>;
  /** The name of a role set; absent where keys are not managed. */
  roles: RoleSetName | undefined;
  readonly onRemoval: "report" | "revoke";
  /** Whether its people stand in its own file, and whether its members are named by a group. */
  readonly layout: "plain" | "squad" | "group";
}

export const roleSets = {
  engineer: ["DEVELOPER", "TEAM_ROLE"],
  scientist: ["DATA_SCIENTIST", "TEAM_ROLE"],
  auditor: ["AUDITOR", "TEAM_ROLE"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type RoleSetName = keyof typeof roleSets;

export const domain = "acme.example";
/** Hold ACCOUNT_ADMIN by the word of the settings, and are members of the first team. */
export const admins = [`root@${domain}`, `chief@${domain}`] as const;
/** Whom the settings protect. */
export const untouchable = `safe@${domain}`;

const firstNames =
  "Ada Bo Cy Di Eve Fay Gus Hal Ida Jo Kim Lea Max Nia Oz Pia Quin Rae Sol Tia Ugo Val Wim Xia Yan Zoe Ann Ben Cleo Dag Emil Finn Gro Hana Ines Jan Kaj Lars Mia Nils".split(
    " ",
  );
const starts = "Ander Berg Carl Dahl Engel Fors Gran Holm Iver Jans Kvist Lund Malm Norr Oster Palm Qvarn Ros".split(
  " ",
);
const ends = "son sen berg gren strom quist by feld mann lind dal".split(" ");
const trades = "Atlas Beacon Cobalt Delta Ember Falcon Garnet Harbor Indigo Juniper Kestrel Lagoon".split(" ");
const tasks = "Search Billing Ingest Reports Mobile Models Storage Access".split(" ");

/** What people know of their company: who is there, and in which team. Changes as the year goes. */
export class Company {
  readonly people: Person[] = [];
  readonly teams: Team[] = [];
  readonly #dice: Dice;
  readonly #names = new Set<string>();

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  /** Somebody whose name nobody else has. */
  hire(email?: string): Person {
    for (;;) {
      const firstName = firstNames[this.#dice.below(firstNames.length)] ?? "";
      const lastName = `${starts[this.#dice.below(starts.length)]}${ends[this.#dice.below(ends.length)]}`;
      const name = `${firstName} ${lastName}`;
      if (this.#names.has(name)) continue;
      this.#names.add(name);
      return this.hireAs({ firstName, lastName, email: email ?? addressFor(firstName, lastName) });
    }
  }

  hireAs({ firstName, lastName, email }: Pick<Person, "firstName" | "lastName" | "email">): Person {
    const person: Person = {
      id: this.people.length,
      firstName,
      lastName,
      email,
      addresses: new Set([email.toLowerCase()]),
      stage: "user",
      previously: [],
      distinctFrom: [],
      until: undefined,
      since: undefined,
    };
    this.people.push(person);
    return person;
  }

  found(members: readonly Person[], admin: Person): Team {
    const id = this.teams.length;
    const layouts = ["plain", "plain", "squad", "group"] as const;
    const team: Team = {
      id,
      name: this.nameOf(id),
      previously: [],
      admin,
      members: new Set(members),
      differing: new Map(),
      roles: this.#dice.one(["engineer", "engineer", "scientist", "auditor", undefined] as const),
      onRemoval: id % 3 === 1 ? "revoke" : "report",
      layout: layouts[id % layouts.length] ?? "plain",
    };
    this.teams.push(team);
    return team;
  }

  /** A name that no team ever had. */
  nameOf(number: number): string {
    const trade = trades[number % trades.length];
    const task = tasks[Math.floor(number / trades.length) % tasks.length];
    const round = Math.floor(number / (trades.length * tasks.length));
    const name = round === 0 ? `${trade} ${task}` : `${trade} ${task} ${round + 1}`;
    const isTaken = this.teams.some((team) => team.name === name || team.previously.includes(name));
    return isTaken ? this.nameOf(number + 10_000) : name;
  }

  teamsOf(person: Person): readonly Team[] {
    return this.teams.filter(({ members }) => members.has(person));
  }

  /** Out of every team, and out of the place of its administrator. */
  takeOut(person: Person): void {
    for (const team of this.teams) this.takeOutOf(team, person);
  }

  /** In the roster, with the former names told: the service may still know the first one. */
  rename(team: Team, name: string): void {
    team.previously = [team.name, ...team.previously];
    team.name = name;
  }

  takeOutOf(team: Team, person: Person): void {
    team.members.delete(person);
    team.differing.delete(person);
    if (team.admin === person) team.admin = [...team.members][0] ?? person;
  }

  personOf(address: string): Person | undefined {
    const folded = address.toLowerCase();
    return this.people.find(({ addresses }) => addresses.has(folded));
  }
}

export function addressFor(firstName: string, lastName: string): string {
  return `${firstName}.${lastName}@${domain}`.toLowerCase();
}

/** Sixty people and eight teams, or four hundred and thirty-five: all of them were there before roster came. */
export function companyOf(dice: Dice, { people, teams }: { readonly people: number; readonly teams: number }): Company {
  const company = new Company(dice);
  const leaders = admins.map((email) => company.hire(email));
  const safe = company.hire(untouchable);
  while (company.people.length < people) company.hire();
  const others = company.people.slice(leaders.length + 1);
  for (let id = 0; id < teams; id += 1) {
    const size = dice.between(3, Math.max(4, Math.floor((2.5 * people) / teams)));
    const own = id === 0 ? [...leaders, safe, ...dice.some(others, 3)] : dice.some(others, size);
    const [admin] = own;
    if (admin === undefined) continue;
    const team = company.found(own, admin);
    if (id === 0) team.roles = "engineer";
  }
  for (const team of company.teams.slice(1)) {
    const special = dice.one([...team.members]);
    if (special !== undefined && dice.chance(0.3)) team.differing.set(special, ["TEAM_ROLE"]);
  }
  return company;
}
