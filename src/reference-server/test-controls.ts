import type { SeedAccount, SeedUser } from "./seed.ts";
import type { World } from "./world.ts";
import { type Account, active, type Key, type Team, teamRole, type User } from "./world.ts";

/** A team as a test may look at it. */
interface TeamView {
  readonly identifier: string;
  readonly name: string;
  readonly account: string;
  /** Addresses, as those of the members. */
  readonly admin: string;
  readonly members: readonly string[];
}

/**
 * The world's back door, for tests: what no route shows, and what other people do to the service meanwhile. Users are named
 * by address or identifier, teams by identifier or by a name that only one has. Throws where a name leads nowhere.
 */
export class TestControls {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  addAccount({ identifier, name = identifier, status = active }: SeedAccount): void {
    this.#world.addAccount(identifier, name, status);
  }

  /** With a key of their own. Returns the identifier. */
  addUser(wish: SeedUser): string {
    if (this.#world.user(wish.email) !== undefined) throw new Error(`there is a user ${wish.email} already`);
    const owner = this.#world.addUser({ ...wish, account: this.#account(wish.account) });
    this.#world.addKey({ kind: "user", owner, roles: [teamRole] });
    return owner.identifier;
  }

  /** Returns the identifier. */
  addTeam(wish: { account?: string; name: string; admin: string; members?: readonly string[] }): string {
    const { name, account, admin, members = [] } = wish;
    const team = this.#world.addTeam({ name, account: this.#account(account), admin: this.#user(admin) });
    for (const member of members) this.addMember(team.identifier, member);
    return team.identifier;
  }

  /** Without a mail. Returns the prefix of the team key. */
  addMember(intoTeam: string, user: string): string {
    const team = this.#team(intoTeam);
    const owner = this.#user(user);
    if (team.members.has(owner)) throw new Error(`${user} is a member of ${intoTeam} already`);
    return this.#world.addKey({ kind: "team", owner, team, roles: [teamRole] }).prefix;
  }

  /** Returns the prefix. */
  addProjectKey(user: string, roles: readonly string[]): string {
    return this.#world.addKey({ kind: "project", owner: this.#user(user), roles }).prefix;
  }

  /** With the team key. */
  removeMember(fromTeam: string, user: string): void {
    this.#world.removeKey(foundOrThrow(this.#team(fromTeam).members.get(this.#user(user)), "member", user));
  }

  /** With all keys. */
  removeUser(user: string): void {
    this.#world.removeUser(this.#user(user));
  }

  removeKey(prefix: string): void {
    this.#world.removeKey(this.#key(prefix));
  }

  setKeyRoles(prefix: string, roles: readonly string[]): void {
    this.#world.setRoles(this.#key(prefix), roles);
  }

  setKeyStatus(prefix: string, status: string): void {
    this.#world.setKeyStatus(this.#key(prefix), status);
  }

  setUserStatus(user: string, status: string): void {
    this.#world.setUserStatus(this.#user(user), status);
  }

  setAccountStatus(account: string, status: string): void {
    this.#account(account).status = status;
    this.#world.changes += 1;
  }

  changeEmail(user: string, email: string): void {
    this.#world.changeEmail(this.#user(user), email);
  }

  changeProfile(
    user: string,
    profile: Partial<Pick<User, "firstName" | "lastName" | "title" | "externalIdentifier" | "source">>,
  ): void {
    Object.assign(this.#user(user), profile);
    this.#world.changes += 1;
  }

  renameTeam(team: string, name: string): void {
    this.#team(team).name = name;
    this.#world.changes += 1;
  }

  /** As the service would answer them, in the order of their creation. */
  get users(): readonly UserView[] {
    return this.#world.userList.map(viewUser);
  }

  /** In the order of their creation of a team. */
  get teams(): readonly TeamView[] {
    return [...this.#world.teams.values()].map(({ identifier, name, account, admin, members }) => ({
      identifier,
      name,
      account: account.identifier,
      admin: admin.email,
      members: [...members.keys()].map((member) => member.email),
    }));
  }

  /** The full key of a prefix, to call the service with. */
  fullKey(prefix: string): string {
    return `${prefix}.${this.#key(prefix).secret}`;
  }

  #user(who: string): User {
    return foundOrThrow(this.#world.user(who), "user", who);
  }

  #team(name: string): Team {
    const named = [...this.#world.teams.values()].filter((team) => team.name === name);
    const only = named.length === 1 ? named[0] : undefined;
    return foundOrThrow(this.#world.teams.get(name) ?? only, "one team", name);
  }

  #key(prefix: string): Key {
    return foundOrThrow(this.#world.keys.get(prefix), "key", prefix);
  }

  #account(identifier: string | undefined): Account {
    const [first] = this.#world.accounts.values();
    return foundOrThrow(
      identifier === undefined ? first : this.#world.accounts.get(identifier),
      "account",
      identifier ?? "",
    );
  }
}

function foundOrThrow<T>(thing: T | undefined, what: string, name: string): T {
  if (thing === undefined) throw new Error(`there is no ${what} ${name}`);
  return thing;
}

interface RoleReference {
  readonly identifier: string;
}

interface TeamReference {
  readonly identifier: string;
  readonly name: string;
}

/** A key without its secret, as an added member shows it. */
interface TeamKeyView {
  readonly prefix: string;
  readonly status: string;
  readonly kind: Key["kind"];
  readonly team: TeamReference | null;
  readonly roles: readonly RoleReference[];
}

interface KeyView extends TeamKeyView {
  readonly isDefault: boolean;
}

interface UserView {
  readonly identifier: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly title: string | null;
  readonly externalIdentifier: string | null;
  readonly source: string | null;
  readonly status: string;
  readonly accessKeys: readonly KeyView[];
}

function viewUser(user: User): UserView {
  return {
    identifier: user.identifier,
    email: user.email,
    firstName: user.firstName,
    lastName: user.lastName,
    title: user.title,
    externalIdentifier: user.externalIdentifier,
    source: user.source,
    status: user.status,
    accessKeys: Array.from(user.keys, (key) => ({ ...viewTeamKey(key), isDefault: key.isDefault })),
  };
}

function viewTeamKey(key: Key): TeamKeyView {
  return {
    prefix: key.prefix,
    status: key.status,
    kind: key.kind,
    team: key.team === undefined ? null : viewTeam(key.team),
    roles: viewRoles(key.roles),
  };
}

function viewTeam(team: Team): TeamReference {
  return { identifier: team.identifier, name: team.name };
}

function viewRoles(roles: readonly string[]): readonly RoleReference[] {
  return roles.map((identifier) => ({ identifier }));
}
