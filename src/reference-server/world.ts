import type { Identifiers } from "./identifiers.ts";

export interface WorldUserInput {
  readonly identifier?: string | undefined;
  readonly account: Account;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly title?: string | undefined;
  readonly externalIdentifier?: string | undefined;
  readonly source?: string | undefined;
  readonly status?: string | undefined;
  readonly createdAt?: number;
}

export interface WorldTeamInput {
  readonly identifier?: string | undefined;
  readonly account: Account;
  readonly name: string;
  readonly admin: User;
  readonly createdAt?: number;
}

export interface NewKey {
  readonly prefix?: string | undefined;
  readonly secret?: string | undefined;
  readonly kind: Key["kind"];
  readonly owner: User;
  readonly team?: Team | undefined;
  readonly roles: readonly string[];
  readonly status?: string | undefined;
  /** That of the kind, where it is absent. */
  readonly isDefault?: boolean | undefined;
  readonly createdAt?: number;
}

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
  readonly sorted = new WeakMap<readonly unknown[], SortedList>();
  /** By folded address; several users only where letter case tells addresses apart, or a deleted one's is free. */
  readonly #byAddress = new Map<string, User | readonly User[]>();
  readonly #identifiers: Identifiers;

  constructor(identifiers: Identifiers) {
    this.#identifiers = identifiers;
  }

  /** Whatever the letter case, in the order of their creation. */
  usersByAddress(email: string): readonly User[] {
    const found = this.#byAddress.get(foldEmail(email)) ?? [];
    return "identifier" in found ? [found] : found;
  }

  userByAddress(email: string): User | undefined {
    const found = this.#byAddress.get(foldEmail(email));
    return found === undefined || "identifier" in found ? found : found[0];
  }

  /** By identifier, else by address. */
  user(who: string): User | undefined {
    return this.users.get(who) ?? this.userByAddress(who);
  }

  addAccount(identifier: string, name: string, status: string): Account {
    const account: Account = { identifier, name, status, users: [] };
    this.accounts.set(identifier, account);
    this.changes += 1;
    return account;
  }

  addUser(wish: WorldUserInput): User {
    const user: User = {
      identifier: wish.identifier ?? drawUnused(this.users, () => this.#identifiers.user()),
      account: wish.account,
      email: wish.email,
      firstName: wish.firstName,
      lastName: wish.lastName,
      title: wish.title ?? null,
      externalIdentifier: wish.externalIdentifier ?? null,
      source: wish.source ?? null,
      status: wish.status ?? active,
      createdAt: wish.createdAt ?? 0,
      keys: noKeys,
    };
    this.users.set(user.identifier, user);
    this.#noteAddress(user);
    this.userList.push(user);
    user.account.users.push(user);
    this.changes += 1;
    return user;
  }

  addTeam(wish: WorldTeamInput): Team {
    const identifier = wish.identifier ?? drawUnused(this.teams, () => this.#identifiers.team());
    const { account, name, admin, createdAt = 0 } = wish;
    const team: Team = { identifier, account, name, admin, createdAt, members: new Map() };
    this.teams.set(identifier, team);
    this.changes += 1;
    return team;
  }

  addKey(wish: NewKey): Key {
    const key: Key = {
      prefix: wish.prefix ?? drawUnused(this.keys, () => this.#identifiers.prefix()),
      secret: wish.secret ?? this.#identifiers.secret(),
      kind: wish.kind,
      owner: wish.owner,
      team: wish.team,
      isDefault: wish.isDefault ?? wish.kind === "user",
      createdAt: wish.createdAt ?? 0,
      status: wish.status ?? active,
      roles: [...new Set(wish.roles)],
      formerRoles: noFormerRoles,
    };
    this.keys.set(key.prefix, key);
    // A spread would take more memory than it fills.
    key.owner.keys = key.owner.keys.concat(key);
    if (!isDeleted(key)) key.team?.members.set(key.owner, key);
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
    remove(this.userList, user);
    remove(user.account.users, user);
    this.changes += 1;
  }

  setUserStatus(user: User, status: string): void {
    user.status = status;
    this.changes += 1;
  }

  changeEmail(user: User, email: string): void {
    this.#forgetAddress(user);
    user.email = email;
    this.#noteAddress(user);
    this.changes += 1;
  }

  /** Reads show it at once, unless it says when it is done and for how long reads still show what was before. */
  setRoles(key: Key, roles: readonly string[], shown?: { readonly at: number; readonly lag: number }): void {
    key.formerRoles =
      shown === undefined
        ? noFormerRoles
        : [...key.formerRoles, { roles: key.roles, until: shown.at }].filter(
            ({ until }) => shown.at - until < shown.lag,
          );
    key.roles = [...new Set(roles)];
    this.changes += 1;
  }

  #endMembership(key: Key): void {
    if (key.team?.members.get(key.owner) === key) key.team.members.delete(key.owner);
  }

  #noteAddress(user: User): void {
    const others = this.usersByAddress(user.email);
    this.#byAddress.set(foldEmail(user.email), others.length === 0 ? user : [...others, user]);
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

function remove<T>(list: T[], item: T): void {
  const index = list.indexOf(item);
  if (index >= 0) list.splice(index, 1);
}

const noFormerRoles: readonly FormerRoles[] = [];
const noKeys: readonly Key[] = [];

interface SortedList {
  readonly name: string;
  readonly changes: number;
  readonly places: readonly number[];
}

/** A container of users. */
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
  /** Milliseconds since the epoch; 0 for what was there from the start. */
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
  /** Milliseconds since the epoch; 0 for what was there from the start. */
  readonly createdAt: number;
  status: string;
  roles: readonly string[];
  /** What the roles were before, oldest first, as far back as a read may still show it. */
  formerRoles: readonly FormerRoles[];
}

interface FormerRoles {
  readonly roles: readonly string[];
  /** When others took their place, in milliseconds since the epoch. */
  readonly until: number;
}

export interface Role {
  readonly identifier: string;
  readonly name: string;
  readonly description: string;
  readonly type: "user" | "system";
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

/** One form for all letter cases of an address. */
export function foldEmail(email: string): string {
  return email.toLowerCase();
}

/** Carried by a Platform Administrator's key. */
export const systemOwner = "SYSTEM_OWNER";
/** Carried by an Account Administrator's key. */
export const accountAdmin = "ACCOUNT_ADMIN";
/** Carried by every key from its creation on. */
export const teamRole = "TEAM_ROLE";
