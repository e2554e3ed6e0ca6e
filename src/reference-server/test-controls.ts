import type { SeedAccount, SeedUser } from "./seed.ts";
import { type Account, active, type Key, type Team, teamRole, type User, type World } from "./world.ts";

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
  get users() {
    return this.#world.userList.map(viewUser);
  }

  /** In the order of their creation of a team, with the addresses of its administrator and members. */
  get teams() {
    return Array.from(this.#world.teams.values(), ({ identifier, name, account, admin, members }) => ({
      identifier,
      name,
      account: account.identifier,
      admin: admin.email,
      members: Array.from(members.keys(), (member) => member.email),
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
    const account = identifier === undefined ? first : this.#world.accounts.get(identifier);
    return foundOrThrow(account, "account", identifier ?? "");
  }
}

function foundOrThrow<T>(thing: T | undefined, what: string, name: string): T {
  if (thing === undefined) throw new Error(`there is no ${what} ${name}`);
  return thing;
}

function viewUser({ account: _, createdAt: __, keys, ...user }: User) {
  return {
    ...user,
    accessKeys: keys.map(({ prefix, status, kind, team, roles, isDefault }) => ({
      prefix,
      status,
      kind,
      team: team === undefined ? null : { identifier: team.identifier, name: team.name },
      roles: roles.map((identifier) => ({ identifier })),
      isDefault,
    })),
  };
}
