import {
  addKey,
  addMember,
  addTeam,
  folded,
  holder,
  isKnown,
  type Key,
  keyWithPrefix,
  newestRoles,
  nextPersonIdentifier,
  type Person,
  type Team,
  type World,
} from "./second-world.ts";

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

export interface MemberFailure {
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
export type Decoded = Readonly<Record<string, unknown>>;

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

/** The identifiers of a list of objects. */
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
