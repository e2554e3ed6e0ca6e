import { type Counters, type CountingIdentifiers, countingIdentifiers, type IdentifierKind } from "./identifiers.ts";
import type { InvitationMail } from "./service-context.ts";
import {
  type Account,
  active,
  type Key,
  type NewKey,
  type Role,
  type Team,
  type User,
  World,
  type WorldTeamInput,
  type WorldUserInput,
} from "./world.ts";

/** What a server keeps over a restart. */
export interface KeptData {
  readonly world: World;
  readonly mails: readonly InvitationMail[];
  readonly identifiers: CountingIdentifiers;
  /** The prefix of the administrator's key. */
  readonly administrator: string;
}

/** The mark by which such a file is known. */
const dataFormat = "roster-reference-server";
const dataVersion = 2;

const rowsPerLine = 1000;

/** The lines of a whole file, each of a bounded size. */
export function* wholeFile({ world, mails, identifiers, administrator }: KeptData): Generator<string> {
  const heading = { format: dataFormat, version: dataVersion, administrator };
  yield `${JSON.stringify({ ...heading, roles: [...world.roles.values()], counters: identifiers.counters })}\n`;
  yield* rowLines("accounts", world.accounts.values(), accountRow);
  yield* rowLines("users", world.userList, userRow);
  yield* rowLines("teams", world.teams.values(), teamRow);
  yield* rowLines("keys", world.keys.values(), keyRow);
  yield* rowLines("mails", mails, (mail) => mail);
}

function* rowLines<T>(name: string, items: Iterable<T>, row: (item: T) => object): Generator<string> {
  let rows: object[] = [];
  for (const item of items) {
    rows.push(row(item));
    if (rows.length < rowsPerLine) continue;
    yield `${JSON.stringify({ [name]: rows })}\n`;
    rows = [];
  }
  if (rows.length > 0) yield `${JSON.stringify({ [name]: rows })}\n`;
}

export function changedRows(world: World, mails: readonly InvitationMail[], counters: Counters): object {
  const changed = [...(world.changes ?? [])];
  const accounts = changed.filter((thing): thing is Account => "users" in thing);
  const users = changed.filter((thing): thing is User => "email" in thing);
  const teams = changed.filter((thing): thing is Team => "members" in thing);
  const keys = changed.filter((thing): thing is Key => "prefix" in thing);
  const isThere = (user: User) => world.users.get(user.identifier) === user;
  const isKept = (key: Key) => world.keys.get(key.prefix) === key;
  return {
    ...filledList("accounts", accounts.map(accountRow)),
    ...filledList("users", users.filter(isThere).map(userRow)),
    ...filledList("teams", teams.map(teamRow)),
    ...filledList("keys", keys.filter(isKept).map(keyRow)),
    ...filledList("removedUsers", identifiersOf(users.filter((user) => !isThere(user)))),
    ...filledList("removedKeys", prefixesOf(keys.filter((key) => !isKept(key)))),
    ...filledList("mails", mails),
    counters,
  };
}

function identifiersOf(users: readonly User[]): readonly string[] {
  return users.map(({ identifier }) => identifier);
}

function prefixesOf(keys: readonly Key[]): readonly string[] {
  return keys.map(({ prefix }) => prefix);
}

function filledList(name: string, rows: readonly unknown[]): object {
  return rows.length === 0 ? {} : { [name]: rows };
}

function accountRow({ identifier, name, status }: Account): object {
  return { identifier, name, status };
}

function userRow({ account, keys, title, externalIdentifier, source, status, createdAt, ...user }: User): object {
  return {
    ...user,
    account: account.identifier,
    ...(title === null ? {} : { title }),
    ...(externalIdentifier === null ? {} : { externalIdentifier }),
    ...(source === null ? {} : { source }),
    ...nonDefaultFields(status, createdAt),
  };
}

function teamRow({ identifier, name, account, admin, createdAt }: Team): object {
  return {
    identifier,
    name,
    account: account.identifier,
    admin: admin.identifier,
    ...nonDefaultFields(active, createdAt),
  };
}

function keyRow({ prefix, secret, kind, owner, team, roles, status, createdAt }: Key): object {
  const into = team === undefined ? {} : { team: team.identifier };
  return { prefix, secret, kind, owner: owner.identifier, ...into, roles, ...nonDefaultFields(status, createdAt) };
}

function nonDefaultFields(status: string, createdAt: number): object {
  return { ...(status === active ? {} : { status }), ...(createdAt === 0 ? {} : { createdAt }) };
}

type WorldRow<New, Named extends string> = Omit<New, Named> & { readonly [Name in Named]: string };

/** What a server starts with. */
export interface InitialData {
  readonly world: World;
  readonly identifiers: CountingIdentifiers;
  readonly mails: readonly InvitationMail[];
  readonly administrator: Key;
}

/** Any line of a file. The first one has all of the heading; a later row takes the place of an earlier one. */
interface DataLine {
  readonly administrator?: string;
  readonly roles?: readonly Role[];
  readonly counters?: Counters;
  readonly accounts?: readonly AccountRow[];
  readonly users?: readonly UserRow[];
  readonly teams?: readonly TeamRow[];
  readonly keys?: readonly KeyRow[];
  readonly removedUsers?: readonly string[];
  readonly removedKeys?: readonly string[];
  readonly mails?: readonly InvitationMail[];
}

type AccountRow = Pick<Account, "identifier" | "name" | "status">;
type UserRow = WorldRow<WorldUserInput, "account" | "identifier">;
type TeamRow = WorldRow<WorldTeamInput, "account" | "admin" | "identifier">;
type KeyRow = Omit<WorldRow<NewKey, "owner" | "prefix">, "team"> & { readonly team?: string };

/** The file is not what a reference server keeps, or another one has it. */
export class UnusableData extends Error {
  override readonly name = "UnusableData";
}

/** What a file holds. Throws `UnusableData` where no reference server wrote it. */
export function restoreData(bytes: Buffer, draws: IdentifierDraws): InitialData {
  return restoreLines(linesOf(bytes), draws);
}

export interface IdentifierDraws {
  readonly start: number;
  readonly kind: IdentifierKind;
}

/** The last line may be torn: nobody was answered what it says. */
function linesOf(bytes: Buffer): readonly unknown[] {
  const lines: unknown[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf("\n", start);
    const value = end < 0 ? undefined : parseJson(bytes.toString("utf8", start, end));
    const isLast = end < 0 || end + 1 === bytes.length;
    if (value === undefined && (!isLast || lines.length === 0))
      throw new UnusableData(`its line ${lines.length + 1} is not JSON`);
    if (value !== undefined) lines.push(value);
    start = end < 0 ? bytes.length : end + 1;
  }
  return lines;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function restoreLines(lines: readonly unknown[], draws: IdentifierDraws): InitialData {
  const [heading] = lines;
  if (typeof heading !== "object" || heading === null || !("format" in heading) || heading.format !== dataFormat) {
    throw new UnusableData("it is not the data of a reference server");
  }
  if (!("version" in heading) || heading.version !== dataVersion) throw new UnusableData("it is of another version");
  // The mark says who wrote it; what names something that is not there is found on the way.
  const { administrator = "", roles = [], counters, ...rows } = gatherRows(lines as readonly DataLine[]);
  const identifiers = countingIdentifiers(draws.start, draws.kind, counters);
  const world = new World(identifiers);
  for (const { identifier, name, status } of rows.accounts.values()) world.addAccount(identifier, name, status);
  for (const role of roles) world.roles.set(role.identifier, role);
  for (const { account, ...user } of rows.users.values()) {
    world.addUser({ ...user, account: lookUp(world.accounts, "account", account) });
  }
  for (const { account, admin, ...team } of rows.teams.values()) {
    const wish = { account: lookUp(world.accounts, "account", account), admin: lookUp(world.users, "user", admin) };
    world.addTeam({ ...team, ...wish });
  }
  for (const { owner, team, ...key } of rows.keys.values()) {
    const into = team === undefined ? {} : { team: lookUp(world.teams, "team", team) };
    world.addKey({ ...key, ...into, owner: lookUp(world.users, "user", owner) });
  }
  return { world, identifiers, mails: rows.mails, administrator: lookUp(world.keys, "key", administrator) };
}

function gatherRows(lines: readonly DataLine[]) {
  const { administrator, roles } = lines[0] ?? {};
  return {
    administrator,
    roles,
    counters: lines.findLast((line) => line.counters !== undefined)?.counters,
    accounts: lastRows(
      lines,
      ({ accounts }) => accounts,
      ({ identifier }) => identifier,
    ),
    users: lastRows(
      lines,
      ({ users }) => users,
      ({ identifier }) => identifier,
      ({ removedUsers }) => removedUsers,
    ),
    teams: lastRows(
      lines,
      ({ teams }) => teams,
      ({ identifier }) => identifier,
    ),
    keys: lastRows(
      lines,
      ({ keys }) => keys,
      ({ prefix }) => prefix,
      ({ removedKeys }) => removedKeys,
    ),
    mails: lines.flatMap(({ mails = [] }) => mails),
  };
}

/** The last row of each name, in the order of the first ones. */
function lastRows<Row>(
  lines: readonly DataLine[],
  rowsOf: (line: DataLine) => readonly Row[] | undefined,
  nameOf: (row: Row) => string,
  removedBy: (line: DataLine) => readonly string[] | undefined = () => undefined,
): ReadonlyMap<string, Row> {
  const rows = new Map<string, Row>();
  for (const line of lines) {
    for (const row of rowsOf(line) ?? []) rows.set(nameOf(row), row);
    for (const name of removedBy(line) ?? []) rows.delete(name);
  }
  return rows;
}

function lookUp<T>(things: ReadonlyMap<string, T>, what: string, identifier: string): T {
  const thing = things.get(identifier);
  if (thing === undefined) throw new UnusableData(`it names the ${what} ${identifier}, which is not in it`);
  return thing;
}
