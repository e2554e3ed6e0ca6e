import type { DrawnSeed, WorldMail, WorldPerson, WorldTeam } from "./drawn-service.ts";
import type { SecondWays } from "./second-ways.ts";

/** Everything that the second service knows, with the time at which each thing came to be. */
export interface World {
  readonly ways: SecondWays;
  readonly now: () => number;
  readonly random: () => number;
  readonly account: string;
  readonly roles: readonly string[];
  readonly people: Person[];
  readonly teams: Team[];
  readonly mails: WorldMail[];
  /** Folded addresses that creations asked for, and those of them that somebody hidden holds. */
  readonly asked: Set<string>;
  readonly hidden: Set<string>;
}

export interface Person {
  readonly identifier: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly title?: string;
  readonly externalIdentifier?: string;
  readonly status: "active" | "invited";
  readonly since: number;
  readonly keys: Key[];
  readonly isProtected: boolean;
  readonly isNamed: boolean;
}

export interface Key {
  readonly prefix: string;
  readonly secret: string;
  readonly kind: "own" | "team" | "project";
  readonly team?: Team;
  readonly since: number;
  /** The oldest first. */
  readonly roles: RolesSince[];
}

export interface RolesSince {
  readonly since: number;
  readonly roles: readonly string[];
}

export interface Team {
  readonly identifier: string;
  readonly name: string;
  readonly since: number;
  readonly members: Person[];
}

const rootAddress = "root@acme.example";
const builtInRoles = [
  "SYSTEM_OWNER",
  "ACCOUNT_ADMIN",
  "TEAM_ROLE",
  "DEVELOPER",
  "DATA_SCIENTIST",
  "AUDITOR",
  "PROJECT",
] as const;
const seededAgo = 90 * 24 * 3_600_000;

export function makeWorld(ways: SecondWays, seed: DrawnSeed, now: () => number, random: () => number): World {
  const since = now() - seededAgo;
  const world: World = {
    ways,
    now,
    random,
    account: seed.account,
    roles: [...new Set([...builtInRoles, ...rolesOf(seed)])],
    people: [],
    teams: [],
    mails: [],
    asked: new Set(),
    hidden: new Set(),
  };
  for (const given of seed.people) {
    const { email, firstName, lastName } = given;
    const identifier = nextPersonIdentifier(world, email);
    const person: Person = {
      identifier,
      email,
      firstName,
      lastName,
      status: "active",
      since,
      keys: [],
      isProtected: given.isProtected ?? false,
      isNamed: given.isNamed ?? true,
    };
    world.people.push(person);
    addKey(world, person, { kind: "own", roles: given.ownRoles, since });
    if (ways.projectKeys === "one-each") addKey(world, person, { kind: "project", roles: ["PROJECT"], since });
  }
  for (const given of seed.teams) {
    const team = addTeam(world, given.name, since);
    for (const { email, roles } of given.members) {
      const person = holder(world, email);
      if (person !== undefined) addMember(world, team, person, { roles, since });
    }
  }
  return world;
}

function rolesOf(seed: DrawnSeed): string[] {
  return [
    ...seed.people.flatMap((person) => person.ownRoles),
    ...seed.teams.flatMap((team) => team.members.flatMap(({ roles }) => roles)),
  ];
}

export function keyInUse(world: World): { readonly person: Person; readonly key: Key } {
  const person = holder(world, rootAddress);
  const key = person?.keys.find(({ kind }) => kind === "own");
  if (person === undefined || key === undefined) throw new Error(`The seed needs ${rootAddress}.`);
  return { person, key };
}

export function addTeam(world: World, name: string, since: number): Team {
  const number = world.teams.length + 1;
  const identifier = world.ways.identifiers === "numbers" ? `${500 + number}` : `t-${number}`;
  const team: Team = { identifier, name, since, members: [] };
  world.teams.push(team);
  return team;
}

export interface NewRoles {
  readonly roles: readonly string[];
  readonly since: number;
}

export function addMember(world: World, team: Team, person: Person, { roles, since }: NewRoles): Key {
  team.members.push(person);
  return addKey(world, person, { kind: "team", team, roles, since });
}

export function addKey(world: World, person: Person, made: Pick<Key, "kind" | "team"> & NewRoles): Key {
  const { kind, team, roles, since } = made;
  const key: Key = {
    prefix: newPrefix(world),
    secret: letters(world.random, 12),
    kind,
    ...(team === undefined ? {} : { team }),
    since,
    roles: [{ since, roles }],
  };
  person.keys.push(key);
  return key;
}

function newPrefix({ ways, random }: World): string {
  const prefix = letters(random, 12);
  return ways.prefixes === "alphanumeric" ? prefix : `${prefix.slice(0, 4)}/${prefix.slice(4, 8)}%+${prefix.slice(8)}`;
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

function letters(random: () => number, count: number): string {
  let word = "";
  for (let index = 0; index < count; index += 1) word += alphabet[Math.floor(random() * alphabet.length)];
  return word;
}

export function nextPersonIdentifier({ ways, people }: World, email: string): string {
  const number = people.length + 1;
  if (ways.identifiers === "numbers") return `${1_000 + number}`;
  return ways.identifiers === "e-mails" ? storedAddress(ways, email) : `u-${number}`;
}

export function storedAddress(ways: SecondWays, email: string): string {
  return ways.addresses === "lowered" ? folded(email) : email;
}

export function folded(email: string): string {
  return email.toLowerCase();
}

export function holder(world: World, email: string): Person | undefined {
  return world.people.find((person) => folded(person.email) === folded(email));
}

export function keyWithPrefix(
  world: World,
  prefix: string,
): { readonly person: Person; readonly key: Key } | undefined {
  for (const person of world.people) {
    const key = person.keys.find((one) => one.prefix === prefix);
    if (key !== undefined) return { person, key };
  }
  return undefined;
}

/** What writes know: some services need a moment until a new thing can be named in the next request. */
export function isKnown({ ways, now }: World, thing: { readonly since: number }): boolean {
  return thing.since + (ways.writesKnowNewThings === "at-once" ? 0 : 2_000) <= now();
}

/** The roles as they are, and as they will be where a replacement is done later. */
export function newestRoles(key: Key): readonly string[] {
  return key.roles.at(-1)?.roles ?? [];
}

export function worldPeople({ people, account }: World): WorldPerson[] {
  return people.map(({ identifier, email, keys }) => ({
    identifier,
    email,
    account,
    keys: keys.map((key) => ({
      prefix: key.prefix,
      kind: key.kind,
      ...(key.team === undefined ? {} : { team: key.team.identifier }),
      roles: newestRoles(key),
    })),
  }));
}

export function worldTeams({ teams, account }: World): WorldTeam[] {
  return teams.map(({ identifier, name, members }) => ({
    identifier,
    name,
    account,
    members: members.map((person) => person.identifier),
  }));
}
