import type { Knobs } from "../../src/reference-server/knobs/registry.ts";
import type { Seed } from "../../src/reference-server/seed.ts";
import { type Dice, diceOf } from "./dice.ts";

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
/** More at once stop a run. */
export const mostNewUsers = 25;

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

/** A roster as somebody merged it: plain data, from which its files are written and what it asks for is judged. */
export interface Edition {
  readonly roleSets: Readonly<Record<string, readonly string[]>>;
  readonly users: readonly EditionUser[];
  readonly leavers: readonly { readonly email: string; readonly since: string | undefined }[];
  readonly teams: readonly EditionTeam[];
}

interface EditionUser {
  /** The file where they stand, below the roster's directory. */
  readonly file: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly previously: readonly string[];
  readonly distinctFrom: readonly string[];
  readonly until: string | undefined;
}

export interface EditionTeam {
  readonly id: number;
  readonly name: string;
  readonly previously: readonly string[];
  readonly admin: string;
  /** The names of role sets and of roles; absent where keys are not managed. */
  readonly roles: { readonly sets: readonly string[]; readonly names: readonly string[] } | undefined;
  readonly onRemoval: Team["onRemoval"];
  readonly byGroup: boolean;
  readonly members: readonly EditionMember[];
}

interface EditionMember {
  readonly email: string;
  /** Where they differ from the team's. */
  readonly roles: readonly string[] | undefined;
}

/** What the company would write if nobody ever made a mistake. */
export function editionOf(company: Company): Edition {
  const users = company.people.filter(({ stage, email }) => stage === "user" && email !== untouchable);
  const leavers = company.people.filter(({ stage }) => stage === "leaver");
  return {
    roleSets,
    users: [...users, ...company.people.filter(({ email }) => email === untouchable)].map((person) =>
      userOf(person, company),
    ),
    leavers: leavers.map(({ email, since }) => ({ email, since })),
    teams: company.teams.filter(({ members }) => members.size > 0).map(teamOf),
  };
}

function userOf(person: Person, company: Company): EditionUser {
  const { email, firstName, lastName, previously, distinctFrom, until } = person;
  return { file: fileOf(person, company), email, firstName, lastName, previously, distinctFrom, until };
}

/** With their squad where they are in that alone, else in one of some files that people share. */
function fileOf(person: Person, company: Company): string {
  const [team, ...others] = company.teamsOf(person);
  if (team?.layout === "squad" && others.length === 0) return teamFile(team.id);
  return `people/group-${String(person.id % 12).padStart(2, "0")}.yaml`;
}

export function teamFile(id: number): string {
  return `teams/team-${String(id).padStart(2, "0")}.yaml`;
}

function teamOf({ id, name, previously, admin, roles, onRemoval, layout, members, differing }: Team): EditionTeam {
  return {
    id,
    name,
    previously,
    admin: admin.email,
    roles: roles === undefined ? undefined : { sets: [roles], names: [] },
    onRemoval,
    byGroup: layout === "group",
    members: [...members].map((person) => ({ email: person.email, roles: differing.get(person) })),
  };
}

/** The roles of a member's team key as the edition asks for them; absent where it does not manage them. */
export function rolesOf({ roles: own }: EditionMember, { roles }: EditionTeam, { roleSets: sets }: Edition) {
  if (own !== undefined) return own;
  return roles === undefined ? undefined : [...roles.sets.flatMap((name) => sets[name] ?? []), ...roles.names];
}

/** The edition's files by their path below the roster's directory. JSON is YAML, and leaves out what is undefined. */
export function filesOf({ roleSets: sets, users, leavers, teams }: Edition): ReadonlyMap<string, string> {
  const files = new Map<string, Readonly<Record<string, unknown>>>();
  const write = (file: string, section: string, entries: readonly unknown[] | Readonly<Record<string, unknown>>) => {
    if (Object.keys(entries).length === 0) return;
    files.set(file, { version: 1, account: "acc-1", ...files.get(file), [section]: entries });
  };
  write("roles.yaml", "roleSets", sets);
  for (const file of new Set(users.map((user) => user.file))) {
    const own = users.filter((user) => user.file === file);
    write(
      file,
      "users",
      own.map(({ file: _, ...user }) => user),
    );
  }
  write("leavers.yaml", "leavers", leavers);
  const groups = teams.filter(({ byGroup }) => byGroup).map((team) => [groupName(team), usual(team)] as const);
  write("groups.yaml", "groups", Object.fromEntries(groups));
  for (const team of teams) write(teamFile(team.id), "teams", [entryOf(team)]);
  return new Map([...files].map(([file, content]) => [file, JSON.stringify(content)]));
}

function groupName({ id }: EditionTeam): string {
  return `of-team-${id}`;
}

function usual({ members }: EditionTeam): readonly string[] {
  return members.filter(({ roles }) => roles === undefined).map(({ email }) => email);
}

function entryOf(team: EditionTeam): Readonly<Record<string, unknown>> {
  const { id: _, byGroup, members, roles, onRemoval, ...entry } = team;
  const single = byGroup ? members.filter((member) => member.roles !== undefined) : members;
  const group = byGroup && usual(team).length > 0 ? [{ group: groupName(team) }] : [];
  return {
    ...entry,
    onRemoval: onRemoval === "report" ? undefined : onRemoval,
    roles: roles && [...roles.sets.map((set) => ({ set })), ...roles.names],
    members: [...group, ...single.map(({ email, roles: own }) => ({ user: email, roles: own }))],
  };
}

/** The service as it is on the first day: it knows everybody, and a few whom no roster names. */
export function seedOf(company: Company): Seed {
  return {
    users: [
      ...company.people.map(({ id, email, firstName, lastName }) => ({
        identifier: `u-${id}`,
        email,
        firstName,
        lastName,
      })),
      { email: `printer@${domain}`, firstName: "Print", lastName: "Room" },
      { email: "auditor@elsewhere.example", firstName: "Au", lastName: "Ditor" },
    ],
    teams: company.teams.map(({ id, name, admin, members, roles, differing }) => ({
      identifier: `t-${id}`,
      name,
      admin: admin.email,
      members: [...members].map((person) => ({
        user: person.email,
        roles: differing.get(person) ?? (roles === undefined ? ["TEAM_ROLE"] : roleSets[roles]),
      })),
    })),
    keys: [
      ...admins.map((owner, index) => projectKey(`admin${index}`, owner, "ACCOUNT_ADMIN")),
      ...company.people
        .filter(({ id }) => id % 15 === 7)
        .map(({ id, email }) => projectKey(`project${id}`, email, "PROJECT")),
    ],
  };
}

function projectKey(prefix: string, owner: string, role: string) {
  return { prefix, owner, kind: "project" as const, roles: [role] };
}

/** What the people who run the pipeline have set, outside everybody's reach. */
export const settings = `roster: roster
guards:
  allowed-email-domains: [${domain}]
  privileged-roles: { people: [${admins.join(", ")}] }
  max-new-users: ${mostNewUsers}
  max-invitations: 80
  required-admins: [${admins[0]}]
protect:
  users: [${untouchable}]
`;

/**
 * How the service of a year answers: one of many ways, all of which show everything. Whoever is added again would be mailed
 * again, so that nothing hides an addition too many.
 */
export function dialectOf(seed: number): Partial<Knobs> {
  const dice = diceOf(seed + 1_000_000);
  const one = <T>(...ways: readonly T[]) => dice.one(ways);
  return Object.fromEntries(
    Object.entries({
      create: one("C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "C9", "C12"),
      members: one("M1", "M2", "M3", "M4", "M4-list", "M5", "M5-201", "M6", "M7"),
      search: one("S1", "S2", "S3", "S4", "S5", "S6", "S7"),
      conflict: one("409", "400", "422", "500", "200"),
      accountDetails: one("A1", "A2", "A3", "A4", "no-users"),
      pageBase: one("one-alias", "one-strict", "zero"),
      maxPerPage: one(100, 100, 50),
      showKeys: one("accessKeys", "accessKeys", "listAccessKeys"),
      showKeyRoles: one("objects", "names"),
      readd: "reinvite",
    }).filter(([, value]) => value !== undefined),
  );
}
