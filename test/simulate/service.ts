import { foldAddress } from "../../src/model/address.ts";
import { type Acquaintance, type Call, callOf, namedBy } from "../support/auditor/calls.ts";
import type { Dice } from "../support/dice.ts";

/** How the account service of a simulation answers as long as it lives. */
export interface Ways {
  /** Milliseconds after which searches and lists show a write. */
  readonly lag: { readonly searches: number; readonly lists: number };
  readonly namesUsers: boolean;
  readonly showsKeys: boolean;
  readonly showsRoles: boolean;
  /** What an answer to a creation or an addition tells: all of it, no key, or nothing. */
  readonly answers: "whole" | "without-keys" | "empty";
  readonly tellsTime: boolean;
  /** What an address that is taken comes to: a refusal, or a second account. */
  readonly takenAddress: "conflict" | "second-user";
  readonly addsAgain: "conflict" | "mails-again";
  /** By what additions may name people. */
  readonly names: "either" | "identifiers" | "addresses";
  /** Milliseconds after which calls may name what is new. */
  readonly takesNewAfter: number;
}

export function drawnWays(dice: Dice): Ways {
  const lags = [0, 0, 0, 0, 800, 3000, 20_000, 240_000] as const;
  return {
    lag: { searches: dice.one(lags) ?? 0, lists: dice.one(lags) ?? 0 },
    namesUsers: dice.chance(0.7),
    showsKeys: dice.chance(0.85),
    showsRoles: dice.chance(0.7),
    answers: dice.one(["whole", "whole", "whole", "whole", "without-keys", "empty"] as const) ?? "whole",
    tellsTime: dice.chance(0.9),
    takenAddress: dice.chance(0.7) ? "conflict" : "second-user",
    addsAgain: dice.chance(0.7) ? "conflict" : "mails-again",
    names: dice.one(["either", "either", "identifiers", "addresses"] as const) ?? "either",
    takesNewAfter: dice.one([0, 0, 0, 0, 0, 0, 2000, 2000, 45_000, 200_000] as const) ?? 0,
  };
}

interface Team {
  readonly identifier: string;
  readonly name: string;
}

export interface Key {
  readonly prefix: string;
  readonly team: Team | undefined;
  readonly born: number;
  /** Every set that it ever had, with the time from which on it had it. */
  readonly roles: { readonly since: number; readonly are: readonly string[] }[];
}

interface User {
  readonly identifier: string;
  readonly email: string;
  readonly profile: Readonly<Record<string, unknown>>;
  readonly born: number;
  /** From when on an administrator has deleted them. */
  gone: number;
  readonly keys: Key[];
}

export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: string | undefined;
}

export interface WireAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  readonly gave: readonly string[];
}

/** An account service in memory, which remembers what was asked of it and what must never have been. */
export interface Service {
  readonly users: readonly User[];
  /** What should not have been asked for, one sentence each. */
  readonly breaches: string[];
  readonly writes: () => number;
  readonly readsAreLate: boolean;
  answer(request: WireRequest): WireAnswer;
  /** Does nothing, and answers a write as if another had been asked for; undefined where nobody could tell. */
  misanswer(request: WireRequest): WireAnswer | undefined;
  /** Answers a replacement with the roles that the key had before, where reads show the new ones at once. */
  answerFormer(request: WireRequest): WireAnswer;
  /** What it knows of people and keys, be they deleted. */
  readonly known: Acquaintance;
  put(email: string): void;
  remove(address: string): void;
  rolesOf(address: string, team: string | undefined): readonly string[] | undefined;
}

export const account = "acc-1";

const keyInUse = "k";

export function rolesAt({ roles }: Key, at: number): readonly string[] {
  return roles.findLast(({ since }) => since <= at)?.are ?? [];
}

const roleNames = ["ACCOUNT_ADMIN", "TEAM_ROLE", "DEVELOPER", "DATA_SCIENTIST", "AUDITOR"] as const;

const named = (identifiers: readonly string[]) => identifiers.map((identifier) => ({ identifier }));

export function simulatedService(ways: Ways, now: () => number): Service {
  const users: User[] = [];
  const teams: Team[] = [];
  const breaches: string[] = [];
  let writes = 0;
  let given = 0;
  const readsAreLate = ways.lag.searches + ways.lag.lists > 0;
  const created = new Set<string>();
  const next = (word: string) => {
    given += 1;
    return `${word}-${given}`;
  };
  const latest = Number.POSITIVE_INFINITY;

  const newKey = (team: Team | undefined, roles: readonly string[]): Key => ({
    prefix: `pre${next("fix")}`.replace("-", "0"),
    team,
    born: now(),
    roles: [{ since: now(), are: [...new Set(roles)] }],
  });

  function newUser(email: string, profile: User["profile"], keys: Key[], born = now()): User {
    const user: User = { identifier: next("u"), email, profile, born, gone: latest, keys };
    users.push(user);
    return user;
  }

  const isThere = (user: User, at: number) => user.born <= at && at < user.gone;
  const namedUser = (name: string) =>
    users.find(
      (user) => isThere(user, now()) && (user.identifier === name || foldAddress(user.email) === foldAddress(name)),
    );
  function known(name: string): User | undefined {
    const user = namedUser(name);
    return user === undefined || user.born > now() - ways.takesNewAfter ? undefined : user;
  }

  function keyRow(key: Key, at: number) {
    const roles = ways.showsRoles ? { roles: named(rolesAt(key, at)) } : {};
    const { prefix, team } = key;
    return { prefix, status: "Active", kind: team === undefined ? "user" : "team", team: team ?? null, ...roles };
  }

  function userRow(user: User, at: number, keys: readonly Key[] | "hidden") {
    const { identifier, email, profile } = user;
    const shown =
      keys === "hidden" ? {} : { accessKeys: keys.filter(({ born }) => born <= at).map((key) => keyRow(key, at)) };
    return { identifier, email, status: "Active", ...profile, ...shown };
  }

  const shownUsers = (lag: number, isAsked: (user: User) => boolean = () => true) => {
    const at = now() - lag;
    return users
      .filter((user) => isThere(user, at) && isAsked(user))
      .map((user) => userRow(user, at, ways.showsKeys ? user.keys : "hidden"));
  };

  function reply(status: number, body: unknown, gave: readonly string[] = []): WireAnswer {
    const date: [string, string][] = ways.tellsTime ? [["date", new Date(now()).toUTCString()]] : [];
    return { status, headers: new Map(date), body: body === undefined ? "" : JSON.stringify(body), gave };
  }

  const refuse = (status: number, message: string) => reply(status, { message });

  function told(status: number, body: unknown, keys: readonly Key[]): WireAnswer {
    if (ways.answers === "empty") return reply(204, undefined);
    const gave = ways.answers === "whole" ? keys.map(({ prefix }) => prefix) : [];
    return reply(status, body, gave);
  }

  function noteCreation({ email, team }: Creation): void {
    const address = foldAddress(email);
    const hasLeft = users.some((user) => user.gone <= now() && foldAddress(user.email) === address);
    if (created.has(address)) breaches.push(`created ${email} again`);
    else if (hasLeft) breaches.push(`created ${email} again, who had left`);
    if (teams.some(({ name }) => name === team?.name)) breaches.push(`created the team ${team?.name} again`);
  }

  function create(creation: Creation): WireAnswer {
    const { email, team, ...profile } = creation;
    noteCreation(creation);
    if (namedUser(email) !== undefined && ways.takenAddress === "conflict") return refuse(409, `${email} exists`);
    const admin = team?.adminUserIdentifier;
    if (admin !== undefined && known(admin) === undefined) return refuse(400, `no user ${admin}`);
    const made = team === undefined ? undefined : { identifier: next("t"), name: team.name };
    if (made !== undefined) teams.push(made);
    created.add(foldAddress(email));
    const key = newKey(made, ["TEAM_ROLE", ...(team?.accessKeyRoles ?? [])]);
    const user = newUser(email, profile, [key]);
    const shown = userRow(user, now(), ways.answers === "whole" ? [key] : "hidden");
    return told(201, { ...shown, ...(made === undefined ? {} : { team: made }) }, [key]);
  }

  function addMembers(identifier: string, names: readonly string[]): WireAnswer {
    const team = teams.find((one) => one.identifier === identifier);
    if (team === undefined) return refuse(404, `no team ${identifier}`);
    const isRight = (name: string) => ways.names === "either" || name.includes("@") === (ways.names === "addresses");
    const people = names.map((name) => (isRight(name) ? known(name) : undefined));
    if (people.includes(undefined)) return refuse(400, "one of them does not exist");
    const added = people.filter((user) => user !== undefined);
    const again = added.filter(({ keys }) => keys.some((key) => key.team === team));
    for (const { email } of again) breaches.push(`added ${email} to ${team.name} again`);
    if (again.length > 0 && ways.addsAgain === "conflict") return refuse(409, `${again[0]?.email} is a member`);
    const keys = added.map((user) => {
      const key = newKey(team, ["TEAM_ROLE"]);
      user.keys.push(key);
      return { user, key };
    });
    const rows = keys.map(({ user, key }) => ({
      identifier: user.identifier,
      email: user.email,
      ...(ways.answers === "whole" ? { accessKey: keyRow(key, now()) } : {}),
    }));
    return told(
      200,
      rows,
      keys.map(({ key }) => key),
    );
  }

  function replaceRoles(prefix: string, roles: readonly string[]): WireAnswer {
    const key = users.flatMap(({ keys }) => keys).find((one) => one.prefix === prefix);
    if (prefix === keyInUse) breaches.push("changed the key in use");
    if (key === undefined || key.born > now() - ways.takesNewAfter) return refuse(404, `no key ${prefix}`);
    key.roles.push({ since: now(), are: [...new Set(roles)] });
    return ways.answers === "empty" ? reply(204, undefined) : reply(200, keyRow(key, now()));
  }

  function misanswer(request: WireRequest): WireAnswer | undefined {
    const write = writeOf(request);
    if (write === undefined || ways.answers !== "whole") return undefined;
    const row = { prefix: keyInUse, status: "Active" };
    switch (write.is) {
      case "create-user": {
        const { email, team } = write.body as Creation;
        const kind = team === undefined ? { kind: "user", team: null } : { kind: "team", team: { name: team.name } };
        return reply(201, { identifier: next("u"), email, accessKeys: [{ ...row, ...kind }] });
      }
      case "add-members": {
        const people = write.identifiers.flatMap((name) => namedUser(name) ?? []);
        const rows = people.map(({ identifier, email }) => ({ identifier, email }));
        const other = { team: { identifier: next("t"), name: "Elsewhere" }, members: rows };
        const [first] = rows;
        writes += 1;
        return reply(200, writes % 2 === 0 && first !== undefined ? [{ ...first, accessKey: row }] : other);
      }
      case "replace-roles":
        return reply(200, { ...row, prefix: "another", roles: named(write.roles) });
    }
  }

  function answerFormer(request: WireRequest): WireAnswer {
    const write = writeOf(request);
    const key = users
      .flatMap(({ keys }) => keys)
      .find(({ prefix }) => write?.is === "replace-roles" && prefix === write.prefix);
    const former = key && named(rolesAt(key, now()));
    const given = answer(request);
    if (key === undefined || readsAreLate || ways.answers !== "whole" || given.status >= 300) return given;
    return { ...given, body: JSON.stringify({ ...keyRow(key, now()), roles: former }) };
  }

  function read({ method, path: whole, body }: WireRequest): WireAnswer {
    const path = whole.replace(/^.*\/api\/accounting\//u, "").replace(/\?.*$/u, "");
    if (method === "POST") {
      const { identifiers } = JSON.parse(body ?? "{}") as { readonly identifiers: readonly string[] };
      const asked = new Set(identifiers.map(foldAddress));
      const found = shownUsers(ways.lag.searches, ({ email }) => asked.has(foldAddress(email)));
      return reply(200, found);
    }
    if (path === "roles") return reply(200, named(roleNames));
    if (path === "accounts") return reply(200, [{ identifier: account, status: "Active" }]);
    if (path === `accounts/${account}`) {
      const there = shownUsers(ways.lag.lists).map(({ email, status }) => ({ email, status }));
      return reply(200, { identifier: account, status: "Active", ...(ways.namesUsers ? { users: there } : {}) });
    }
    if (path === "users") {
      const [page = 1, size = 10] = [/[?&]page=(\d+)/u, /[?&]per-page=(\d+)/u].map((parameter) =>
        Number(parameter.exec(whole)?.[1] ?? 1),
      );
      const all = shownUsers(ways.lag.lists);
      const first = (Math.max(page, 1) - 1) * size;
      return reply(200, { total: all.length, users: all.slice(first, first + size) });
    }
    return refuse(404, `no ${path}`);
  }

  function answer(request: WireRequest): WireAnswer {
    const write = writeOf(request);
    if (write === undefined) return read(request);
    writes += 1;
    switch (write.is) {
      case "create-user":
        return create(write.body as Creation);
      case "add-members":
        return addMembers(write.team, write.identifiers);
      case "replace-roles":
        return replaceRoles(write.prefix, write.roles);
    }
  }

  return {
    users,
    breaches,
    writes: () => writes,
    readsAreLate,
    answer,
    misanswer,
    answerFormer,
    known: {
      named: (text) => namedBy(text, users),
      roles: (prefix) =>
        users.flatMap(({ keys }) => keys.filter((key) => key.prefix === prefix).flatMap((key) => rolesAt(key, now()))),
    },
    put(email) {
      const prefix = email.startsWith("root@") ? { prefix: keyInUse } : {};
      const key = { ...newKey(undefined, []), ...prefix, born: 0, roles: [{ since: 0, are: ["TEAM_ROLE"] }] };
      newUser(email, { firstName: "Old", lastName: "Hand" }, [key], 0);
    },
    remove(address) {
      const user = namedUser(address);
      if (user !== undefined) user.gone = now();
    },
    rolesOf(address, team) {
      const key = namedUser(address)?.keys.find((one) => one.team?.name === team);
      return key === undefined ? undefined : rolesAt(key, now());
    },
  };
}

interface Creation extends Readonly<Record<string, unknown>> {
  readonly email: string;
  readonly team?: {
    readonly name: string;
    readonly adminUserIdentifier?: string;
    readonly accessKeyRoles?: readonly string[];
  };
}

export function writeOf({
  method,
  path,
  body,
}: WireRequest): Exclude<Call, { readonly is: "read" | "none" }> | undefined {
  const call = callOf({ method, path, body: body === undefined ? undefined : JSON.parse(body) });
  return call.is === "read" || call.is === "none" ? undefined : call;
}
