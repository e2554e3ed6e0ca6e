import type { Identifiers } from "./identifiers.ts";

export interface Account {
  readonly identifier: string;
  name: string;
  status: string;
  /** In the order of their creation. */
  readonly users: User[];
}

export interface User {
  readonly identifier: string;
  readonly account: Account;
  /** Milliseconds since the epoch; 0 for what was there from the start. */
  readonly createdAt: number;
  /** As it was sent. */
  email: string;
  firstName: string;
  lastName: string;
  title: string | null;
  externalIdentifier: string | null;
  source: string | null;
  status: string;
  /** In the order of their creation. */
  keys: readonly Key[];
}

/** A user with one of its keys is its member. */
export interface Team {
  readonly identifier: string;
  readonly account: Account;
  readonly createdAt: number;
  name: string;
  admin: User;
  /** The one team key of each member. */
  readonly members: Map<User, Key>;
}

export interface Key {
  readonly prefix: string;
  readonly secret: string;
  readonly kind: "user" | "team" | "project";
  readonly owner: User;
  /** For a team key, and for no other. */
  readonly team: Team | undefined;
  /** True for the key that a user has without any team. */
  readonly isDefault: boolean;
  readonly createdAt: number;
  status: string;
  roles: readonly string[];
  /** What the roles were before, oldest first, as far back as a read may still show it. */
  formerRoles: readonly { readonly roles: readonly string[]; readonly until: number }[];
}

export interface Role {
  readonly identifier: string;
  readonly name: string;
  readonly description: string;
  readonly type: "user" | "system";
}

/** What a thing is made from: some of it must be given, the rest may be. */
type New<Thing, Given extends keyof Thing> = Pick<Thing, Given> & {
  readonly [Field in Exclude<keyof Thing, Given>]?: Thing[Field] | undefined;
};

export type NewUser = New<Omit<User, "keys">, "account" | "email" | "firstName" | "lastName">;
type NewTeam = New<Omit<Team, "members">, "account" | "name" | "admin">;
type NewKey = New<Omit<Key, "formerRoles">, "kind" | "owner" | "roles">;

/**
 * Everything that the service holds, with an index for each question it is asked. It checks nothing: the route that changes it
 * has made sure that identifiers, addresses, prefixes and memberships are free.
 */
export class World {
  readonly accounts = new Map<string, Account>();
  readonly users = new Map<string, User>();
  /** In the order of their creation, so that a page is a slice. */
  readonly userList: User[] = [];
  readonly teams = new Map<string, Team>();
  readonly keys = new Map<string, Key>();
  readonly roles = new Map<string, Role>();
  /** How often anything was added, changed or removed. */
  changes = 0;
  /** The order of each list that was sorted last, as of so many changes. */
  readonly sorted = new WeakMap<readonly unknown[], { name: string; changes: number; places: readonly number[] }>();
  /** By folded address; several users only where letter case tells addresses apart, or a deleted one's is free. */
  readonly #byAddress = new Map<string, readonly User[]>();
  readonly #identifiers: Identifiers;

  constructor(identifiers: Identifiers) {
    this.#identifiers = identifiers;
  }

  /** Whatever the letter case, in the order of their creation. */
  usersByAddress(email: string): readonly User[] {
    return this.#byAddress.get(foldEmail(email)) ?? [];
  }

  /** By identifier, else by address. */
  user(who: string): User | undefined {
    return this.users.get(who) ?? this.usersByAddress(who)[0];
  }

  addAccount(identifier: string, name: string, status: string): Account {
    const account: Account = { identifier, name, status, users: [] };
    this.accounts.set(identifier, account);
    this.changes += 1;
    return account;
  }

  addUser({ account, email, firstName, lastName, ...given }: NewUser): User {
    const user: User = {
      identifier: given.identifier ?? drawUnused(this.users, this.#identifiers.user),
      account,
      email,
      firstName,
      lastName,
      title: given.title ?? null,
      externalIdentifier: given.externalIdentifier ?? null,
      source: given.source ?? null,
      status: given.status ?? active,
      createdAt: given.createdAt ?? 0,
      keys: [],
    };
    this.users.set(user.identifier, user);
    this.#byAddress.set(foldEmail(email), [...this.usersByAddress(email), user]);
    this.userList.push(user);
    account.users.push(user);
    this.changes += 1;
    return user;
  }

  addTeam({ account, name, admin, createdAt = 0, identifier }: NewTeam): Team {
    const known = identifier ?? drawUnused(this.teams, this.#identifiers.team);
    const team: Team = { identifier: known, account, name, admin, createdAt, members: new Map() };
    this.teams.set(known, team);
    this.changes += 1;
    return team;
  }

  addKey({ kind, owner, team, roles, ...given }: NewKey): Key {
    const key: Key = {
      prefix: given.prefix ?? drawUnused(this.keys, this.#identifiers.prefix),
      secret: given.secret ?? this.#identifiers.secret(),
      kind,
      owner,
      team,
      isDefault: given.isDefault ?? kind === "user",
      createdAt: given.createdAt ?? 0,
      status: given.status ?? active,
      roles: [...new Set(roles)],
      formerRoles: [],
    };
    this.keys.set(key.prefix, key);
    // A spread would take more memory than it fills.
    owner.keys = owner.keys.concat(key);
    if (!isDeleted(key)) team?.members.set(owner, key);
    this.changes += 1;
    return key;
  }

  /** A deleted key makes nobody a member: it remains after a member has left the team. */
  setKeyStatus(key: Key, status: string): void {
    this.#endMembership(key);
    key.status = status;
    const { team, owner } = key;
    if (!isDeleted(key) && team?.members.has(owner) === false) team.members.set(owner, key);
    this.changes += 1;
  }

  removeKey(key: Key): void {
    this.keys.delete(key.prefix);
    key.owner.keys = key.owner.keys.filter((other) => other !== key);
    this.#endMembership(key);
    this.changes += 1;
  }

  removeUser(user: User): void {
    for (const key of user.keys) this.removeKey(key);
    this.users.delete(user.identifier);
    this.#forgetAddress(user);
    this.userList.splice(this.userList.indexOf(user), 1);
    user.account.users.splice(user.account.users.indexOf(user), 1);
    this.changes += 1;
  }

  setUserStatus(user: User, status: string): void {
    user.status = status;
    this.changes += 1;
  }

  changeEmail(user: User, email: string): void {
    this.#forgetAddress(user);
    user.email = email;
    this.#byAddress.set(foldEmail(email), [...this.usersByAddress(email), user]);
    this.changes += 1;
  }

  /** Reads show it at once, unless it says when it is done and for how long reads still show what was before. */
  setRoles(key: Key, roles: readonly string[], shown?: { readonly at: number; readonly lag: number }): void {
    const former = shown === undefined ? [] : [...key.formerRoles, { roles: key.roles, until: shown.at }];
    key.formerRoles = former.filter(({ until }) => shown !== undefined && shown.at - until < shown.lag);
    key.roles = [...new Set(roles)];
    this.changes += 1;
  }

  #endMembership({ team, owner, prefix }: Key): void {
    if (team?.members.get(owner)?.prefix === prefix) team.members.delete(owner);
  }

  #forgetAddress(user: User): void {
    const others = this.usersByAddress(user.email).filter((other) => other !== user);
    if (others.length > 0) this.#byAddress.set(foldEmail(user.email), others);
    else this.#byAddress.delete(foldEmail(user.email));
  }
}

function drawUnused(taken: ReadonlyMap<string, unknown>, draw: () => string): string {
  for (;;) {
    const candidate = draw();
    if (!taken.has(candidate)) return candidate;
  }
}

/** The one status with which a key, a user or an account works. */
export const active = "Active";

/** A status that is final. */
export function isDeleted(holder: { readonly status: string }): boolean {
  return holder.status.toLowerCase() === "deleted";
}

export function isActive(holder: { readonly status: string }): boolean {
  return holder.status.toLowerCase() === active.toLowerCase();
}

/** The account that a key acts in: its team's, else its owner's. */
export function accountOfKey(key: Key): Account {
  return key.team?.account ?? key.owner.account;
}

export function foldEmail(email: string): string {
  return email.toLowerCase();
}

/** Carried by a Platform Administrator's key. */
export const systemOwner = "SYSTEM_OWNER";
/** Carried by an Account Administrator's key. */
export const accountAdmin = "ACCOUNT_ADMIN";
/** Carried by every key from its creation on. */
export const teamRole = "TEAM_ROLE";
