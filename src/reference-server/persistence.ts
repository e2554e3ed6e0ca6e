import { readFile } from "node:fs/promises";
import { errorCode, replaceFile } from "../files/file-system.ts";
import { type Counters, type CountingIdentifiers, countingIdentifiers, type IdentifierKind } from "./identifiers.ts";
import type { InvitationMail } from "./service-context.ts";
import {
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

/** The least time between a change and its writing, in milliseconds, so that changes that come together are written once. */
const writeDelayMs = 200;
/** Of the time at most one part in so many is spent on writing. */
const minIdleRatio = 10;

/** The longest pause between two tries to write, in milliseconds. */
const maxWriteDelayMs = 10_000;

/** Hears when changes cannot be written any more, and why; and when they are written again. */
export type OnStateWriting = (
  event: { readonly is: "failed"; readonly error: unknown } | { readonly is: "works" },
) => void;

/** Keeps a server's world in a file, which is always a whole one: the former, or the new. */
export class StateFile {
  readonly #path: string;
  readonly #kept: () => PersistedState;
  readonly #onWriting: OnStateWriting;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #pause = writeDelayMs;
  #fails = false;
  #isStopped = false;

  constructor(path: string, kept: () => PersistedState, onWriting: OnStateWriting) {
    this.#path = path;
    this.#kept = kept;
    this.#onWriting = onWriting;
  }

  /** Something has changed and is to be written soon. What cannot be written is tried again. */
  scheduleWrite(): void {
    if (this.#isStopped) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.save().then(
        () => this.#works(),
        (error: unknown) => this.#failed(error),
      );
    }, this.#pause);
  }

  /** Writes now; resolves when everything is on the disk. */
  async save(): Promise<void> {
    const written = this.#writing.then(() => this.#write());
    this.#writing = written.catch(() => undefined);
    await written;
  }

  /** From now on it writes only when `save` is called. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #works(): void {
    if (this.#fails) this.#onWriting({ is: "works" });
    this.#fails = false;
  }

  #failed(error: unknown): void {
    if (!this.#fails) this.#onWriting({ is: "failed", error });
    this.#fails = true;
    this.#pause = Math.min(this.#pause * 2, maxWriteDelayMs);
    this.scheduleWrite();
  }

  async #write(): Promise<void> {
    const began = performance.now();
    // All pieces are made at once: between two of them the world would change. Only the owner may read the keys in it.
    await replaceFile(this.#path, [...serializeState(this.#kept())], {
      draft: `${this.#path}.${process.pid}.new`,
      permissions: "owner",
    });
    this.#pause = Math.max(writeDelayMs, (performance.now() - began) * minIdleRatio);
  }
}

/** The text of the file; undefined where there is none. */
export async function readStateFile(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** What a server keeps over a restart. */
interface PersistedState {
  readonly world: World;
  readonly mails: readonly InvitationMail[];
  readonly counters: Counters;
  /** The prefix of the administrator's key. */
  readonly administrator: string;
}

/** The mark by which such a file is known. */
const stateFormat = "roster-reference-server";

const rowsPerChunk = 1000;

/** The JSON text of what is kept, in pieces of a bounded size, one row on a line. What is as usual is left out. */
function* serializeState({ world, mails, counters, administrator }: PersistedState): Generator<string> {
  yield `{\n"format": ${JSON.stringify(stateFormat)},\n"version": 1,\n`;
  yield `"administrator": ${JSON.stringify(administrator)},\n"counters": ${JSON.stringify(counters)}`;
  yield* serializeList("accounts", world.accounts.values(), ({ users, ...account }) => account);
  yield* serializeList("roles", world.roles.values(), (role) => role);
  yield* serializeList("users", world.userList, userRow);
  yield* serializeList("teams", world.teams.values(), teamRow);
  yield* serializeList("keys", world.keys.values(), keyRow);
  yield* serializeList("mails", mails, (mail) => mail);
  yield "\n}\n";
}

function* serializeList<T>(name: string, items: Iterable<T>, row: (item: T) => object): Generator<string> {
  yield `,\n${JSON.stringify(name)}: [`;
  let rows: string[] = [];
  let before = "\n";
  for (const item of items) {
    rows.push(JSON.stringify(row(item)));
    if (rows.length < rowsPerChunk) continue;
    yield before + rows.join(",\n");
    before = ",\n";
    rows = [];
  }
  yield rows.length === 0 ? "]" : `${before}${rows.join(",\n")}]`;
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
export interface InitialState {
  readonly world: World;
  readonly identifiers: CountingIdentifiers;
  readonly mails: readonly InvitationMail[];
  readonly administrator: Key;
}

/** The document that `savedPieces` writes. */
interface WorldDocument {
  readonly format: typeof stateFormat;
  readonly version: 1;
  readonly administrator: string;
  readonly counters: Counters;
  readonly accounts: readonly { readonly identifier: string; readonly name: string; readonly status: string }[];
  readonly roles: readonly Role[];
  readonly users: readonly WorldRow<WorldUserInput, "account">[];
  readonly teams: readonly (WorldRow<WorldTeamInput, "account" | "admin"> & { readonly identifier: string })[];
  readonly keys: readonly (Omit<WorldRow<NewKey, "owner">, "team"> & { readonly team?: string })[];
  readonly mails: readonly InvitationMail[];
}

/** The file is not what a reference server keeps. */
export class UnusableState extends Error {
  override readonly name = "UnusableState";
}

/** Throws `UnusableState` where the text is not one that `savedPieces` wrote. */
export function restoreState(
  text: string,
  draws: { readonly start: number; readonly kind: IdentifierKind },
): InitialState {
  const saved = parseState(text);
  // Draws go on elsewhere than at the beginning, where the prefixes that are there were drawn.
  const identifiers = countingIdentifiers(draws.start + saved.keys.length + 1, draws.kind, saved.counters);
  const world = new World(identifiers);
  for (const { identifier, name, status } of saved.accounts) world.addAccount(identifier, name, status);
  for (const role of saved.roles) world.roles.set(role.identifier, role);
  for (const { account, ...user } of saved.users) {
    world.addUser({ ...user, account: lookUp(world.accounts, "account", account) });
  }
  for (const { account, admin, ...team } of saved.teams) {
    const wish = { account: lookUp(world.accounts, "account", account), admin: lookUp(world.users, "user", admin) };
    world.addTeam({ ...team, ...wish });
  }
  for (const { owner, team, ...key } of saved.keys) {
    const into = team === undefined ? {} : { team: lookUp(world.teams, "team", team) };
    world.addKey({ ...key, ...into, owner: lookUp(world.users, "user", owner) });
  }
  return { world, identifiers, mails: saved.mails, administrator: lookUp(world.keys, "key", saved.administrator) };
}

function parseState(text: string): WorldDocument {
  const saved = parseJson(text);
  if (typeof saved !== "object" || saved === null || !("format" in saved) || saved.format !== stateFormat) {
    throw new UnusableState("it is not the state of a reference server");
  }
  if (!("version" in saved) || saved.version !== 1) throw new UnusableState("it is of another version");
  for (const list of ["accounts", "roles", "users", "teams", "keys", "mails"]) {
    if (!Array.isArray(Object.entries(saved).find(([name]) => name === list)?.[1])) {
      throw new UnusableState(`its list of ${list} is missing`);
    }
  }
  // The mark says who wrote it; what names something that is not there is found on the way.
  return saved as WorldDocument;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnusableState("it is not JSON");
  }
}

function lookUp<T>(things: ReadonlyMap<string, T>, what: string, identifier: string): T {
  const thing = things.get(identifier);
  if (thing === undefined) throw new UnusableState(`it names the ${what} ${identifier}, which is not in it`);
  return thing;
}
