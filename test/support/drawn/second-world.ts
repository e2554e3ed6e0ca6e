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
  readonly roles: { readonly since: number; readonly roles: readonly string[] }[];
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

function addTeam(world: World, name: string, since: number): Team {
  const number = world.teams.length + 1;
  const identifier = world.ways.identifiers === "numbers" ? `${500 + number}` : `t-${number}`;
  const team: Team = { identifier, name, since, members: [] };
  world.teams.push(team);
  return team;
}

interface NewRoles {
  readonly roles: readonly string[];
  readonly since: number;
}

function addMember(world: World, team: Team, person: Person, { roles, since }: NewRoles): Key {
  team.members.push(person);
  return addKey(world, person, { kind: "team", team, roles, since });
}

function addKey(world: World, person: Person, made: Pick<Key, "kind" | "team"> & NewRoles): Key {
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

function nextPersonIdentifier({ ways, people }: World, email: string): string {
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

function holder(world: World, email: string): Person | undefined {
  return world.people.find((person) => folded(person.email) === folded(email));
}

export function keyWithPrefix(world: World, prefix: string) {
  for (const person of world.people) {
    const key = person.keys.find((one) => one.prefix === prefix);
    if (key !== undefined) return { person, key };
  }
  return undefined;
}

/** What writes know: some services need a moment until a new thing can be named in the next request. */
function isKnown({ ways, now }: World, thing: { readonly since: number }): boolean {
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

/** A service that answers "later" does what was asked after this time. */
export const doneLaterAfter = 10_000;

export type Done = Created | Added | Replaced;

export interface Refused {
  readonly is: "refused";
  readonly status: number;
  readonly message: string;
  /** Who has the address already, where the service answers with them. */
  readonly holder?: Person;
}

export interface Created {
  readonly is: "created";
  readonly person: Person;
  readonly team?: Team;
}

export interface Added {
  readonly is: "added";
  readonly team: Team;
  readonly members: readonly { readonly person: Person; readonly key: Key }[];
  readonly failures: readonly MemberFailure[];
}

interface MemberFailure {
  readonly named: string;
  readonly status: number;
  readonly message: string;
}

export interface Replaced {
  readonly is: "replaced";
  readonly person: Person;
  readonly key: Key;
}

/** What JSON text says, where nobody has looked at it yet. */
type Decoded = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Decoded {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function refused(status: number, message: string): Refused {
  return { is: "refused", status, message };
}

function invalid({ ways }: World, message: string): Refused {
  return refused(Number(ways.invalidStatus), message);
}

function missing(message: string): Refused {
  return refused(404, message);
}

export function createUser(world: World, account: string, body: unknown): Created | Refused {
  if (account !== world.account) return missing(`The account ${account} was not found`);
  const user = decodeUser(body);
  if (typeof user === "string") return invalid(world, user);
  const { team } = user;
  const wrongRole = team?.accessKeyRoles?.find((role) => !isTeamRole(world, role));
  if (wrongRole !== undefined) return invalid(world, `The role ${wrongRole} cannot be used`);
  const admin = team?.adminUserIdentifier;
  if (admin !== undefined && findPerson(world, admin, world.ways.adminNamedBy) === undefined) {
    return refused(Number(world.ways.unknownMember), "The team administrator was not found");
  }
  return conflictOf(world, user.email) ?? enterUser(world, user);
}

interface NewUser {
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly title: string | undefined;
  readonly externalIdentifier: string | undefined;
  readonly team: NewTeam | undefined;
}

interface NewTeam {
  readonly name: string | undefined;
  readonly adminUserIdentifier: string | undefined;
  readonly accessKeyRoles: readonly string[] | undefined;
}

/** A text says what is wrong. */
function decodeUser(body: unknown): NewUser | string {
  if (!isObject(body)) return "A user is an object";
  const { firstName, lastName, email } = body;
  if (typeof firstName !== "string" || firstName.trim() === "") return "firstName is missing";
  if (typeof lastName !== "string" || lastName.trim() === "") return "lastName is missing";
  if (typeof email !== "string" || !/^[^\s@]+@[^\s@]+$/u.test(email)) return "email is not an address";
  const team = decodeTeam(body["team"]);
  if (typeof team === "string") return team;
  const title = optionalText(body["title"]);
  if (title !== undefined && title.length > 50) return "title is too long";
  const externalIdentifier = optionalText(body["externalIdentifier"]);
  return { firstName, lastName, email, title, externalIdentifier, team };
}

function decodeTeam(team: unknown): NewTeam | undefined | string {
  if (team === undefined) return undefined;
  if (!isObject(team)) return "team is an object";
  const roles = team["accessKeyRoles"];
  if (roles !== undefined && !isTexts(roles)) return "accessKeyRoles is a list of role identifiers";
  return {
    name: optionalText(team["name"]),
    adminUserIdentifier: optionalText(team["adminUserIdentifier"]),
    accessKeyRoles: roles,
  };
}

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function optionalText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function isTeamRole({ roles }: World, role: string): boolean {
  return role !== "PROJECT" && roles.includes(role);
}

function conflictOf(world: World, email: string): Refused | undefined {
  const { ways, asked, hidden } = world;
  const there = holder(world, email);
  if (there === undefined && !asked.has(folded(email))) {
    asked.add(folded(email));
    if (asked.size === ways.hiddenHolder) hidden.add(folded(email));
  }
  const message = "A user with this address already exists";
  if (there !== undefined && ways.conflict === "200") return { ...refused(200, message), holder: there };
  if (there === undefined && !hidden.has(folded(email))) return undefined;
  return refused(ways.conflict === "200" ? 409 : Number(ways.conflict), message);
}

function enterUser(world: World, user: NewUser): Created {
  const { ways } = world;
  const since = world.now() + (ways.creationStatus === "202-later" ? doneLaterAfter : 0);
  const kept = (name: string) => (ways.names === "trimmed" ? name.trim() : name);
  const externalIdentifier = ways.externalIdentifiers === "address" ? user.email : user.externalIdentifier;
  const person: Person = {
    identifier: nextPersonIdentifier(world, user.email),
    email: user.email,
    firstName: kept(user.firstName),
    lastName: kept(user.lastName),
    ...(user.title === undefined || ways.titles === "dropped" ? {} : { title: user.title }),
    ...(externalIdentifier === undefined ? {} : { externalIdentifier }),
    status: ways.statusOfNew,
    since,
    keys: [],
    isProtected: false,
    isNamed: true,
  };
  world.people.push(person);
  if (user.team === undefined || ways.firstMemberKeys === "team-key-and-own") {
    addKey(world, person, { kind: "own", roles: ways.teamRole === "every-key" ? ["TEAM_ROLE"] : [], since });
  }
  if (user.team === undefined) return { is: "created", person };
  const team = addTeam(world, kept(user.team.name ?? `Team${person.firstName} ${person.lastName}`), since);
  addMember(world, team, person, { roles: firstMemberRoles(world, user.team.accessKeyRoles), since });
  return { is: "created", person, team };
}

function firstMemberRoles({ ways }: World, given: readonly string[] | undefined): readonly string[] {
  if (given === undefined) return ["ACCOUNT_ADMIN", "TEAM_ROLE"];
  const administers = ways.firstMemberAdministers === "always" ? ["ACCOUNT_ADMIN"] : [];
  return [...new Set([...administers, ...firstTeamRoles(ways), ...given])];
}

function firstTeamRoles(ways: World["ways"]): readonly string[] {
  return ways.teamRole === "no-key" ? [] : ["TEAM_ROLE"];
}

function findPerson(world: World, named: string, by: World["ways"]["memberNamedBy"]): Person | undefined {
  const person = world.people.find(({ identifier, email }) => {
    const byAddress = folded(email) === folded(named);
    // Where the identifier is the address, both names are one.
    if (world.ways.identifiers === "e-mails") return byAddress;
    return (by !== "address" && identifier === named) || (by !== "identifier" && byAddress);
  });
  return person !== undefined && isKnown(world, person) ? person : undefined;
}

/** Some answers can say of each person what became of them. With the others one refusal refuses all. */
const tellsEach: ReadonlySet<string> = new Set(["outcomes", "outcome-rows", "errors"]);
const showsBody: ReadonlySet<string> = new Set(["200", "201", "202", "207"]);

export function addMembers(world: World, teamIdentifier: string, body: unknown): Added | Refused {
  const { ways } = world;
  const team = world.teams.find(({ identifier }) => identifier === teamIdentifier);
  if (team === undefined || !isKnown(world, team)) return missing(`The team ${teamIdentifier} was not found`);
  const names = decodeIdentifiers(body);
  if (names === undefined || names.length === 0) return invalid(world, "Members are a list of objects with identifier");
  const found = names.map((named) => ({ named, person: findPerson(world, named, ways.memberNamedBy) }));
  const failures = found.flatMap(({ named, person }) => memberFailure(world, team, { named, person }));
  const first = failures[0];
  const each = ways.refusedBatch === "each" && tellsEach.has(ways.additionShape) && showsBody.has(ways.additionStatus);
  if (first !== undefined && !each) return refused(first.status, first.message);
  const failed = new Set(failures.map(({ named }) => named));
  const people = new Set(
    found.flatMap(({ named, person }) => (person === undefined || failed.has(named) ? [] : [person])),
  );
  return {
    is: "added",
    team,
    members: [...people].map((person) => ({ person, key: join(world, team, person) })),
    failures,
  };
}

export function decodeIdentifiers(body: unknown): readonly string[] | undefined {
  if (!Array.isArray(body)) return undefined;
  const identifiers = body.map((item) => (isObject(item) ? item["identifier"] : undefined));
  return isTexts(identifiers) ? [...new Set(identifiers)] : undefined;
}

function memberFailure(
  { ways }: World,
  team: Team,
  { named, person }: { readonly named: string; readonly person: Person | undefined },
): MemberFailure[] {
  const shown = ways.refusalNames === "person" ? named : "of this request";
  if (person === undefined) {
    return [{ named, status: Number(ways.unknownMember), message: `The user ${shown} was not found` }];
  }
  if (ways.readded === "refused" && team.members.includes(person)) {
    return [{ named, status: 409, message: `The user ${shown} is already a member` }];
  }
  return [];
}

function join(world: World, team: Team, person: Person): Key {
  const { ways } = world;
  const at = world.now() + (ways.additionStatus === "202-later" ? doneLaterAfter : 0);
  const there = person.keys.find((key) => key.team === team);
  if (there === undefined || ways.readded === "mailed-again") {
    world.mails.push({ at, email: person.email, team: team.identifier });
  }
  return there ?? addMember(world, team, person, { roles: firstTeamRoles(ways), since: at });
}

export function replaceRoles(world: World, prefix: string, body: unknown): Replaced | Refused {
  const { ways } = world;
  const found = keyWithPrefix(world, prefix);
  if (found === undefined || !isKnown(world, found.key)) return missing(`The access key ${prefix} was not found`);
  const { key } = found;
  const roles = decodeIdentifiers(body);
  if (roles === undefined) return invalid(world, "Roles are a list of objects with identifier");
  if (key.kind === "project") return invalid(world, "The roles of a project key cannot be changed");
  const wrong = roles.find((role) => !isTeamRole(world, role));
  if (wrong !== undefined) return invalid(world, `The role ${wrong} cannot be used`);
  if (ways.replacement === "needs-TEAM_ROLE" && !roles.includes("TEAM_ROLE"))
    return invalid(world, "TEAM_ROLE is needed");
  const since = world.now() + (ways.replacementStatus === "202-later" ? doneLaterAfter : 0);
  key.roles.push({ since, roles: rolesAfter(ways, newestRoles(key), roles) });
  return { is: "replaced", ...found };
}

function rolesAfter(ways: World["ways"], before: readonly string[], sent: readonly string[]): readonly string[] {
  switch (ways.replacement) {
    case "replaces":
    case "needs-TEAM_ROLE":
      return sent;
    case "merges":
      return [...new Set([...before, ...sent])];
    case "keeps-TEAM_ROLE":
      return before.includes("TEAM_ROLE") ? [...new Set(["TEAM_ROLE", ...sent])] : sent;
  }
}
