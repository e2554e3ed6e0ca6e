import { readFile, rm, writeFile } from "node:fs/promises";
import { errorCode, replaceFile } from "../files/file-system.ts";
import { countingIdentifiers, type IdentifierKind, type Identifiers } from "./identifiers.ts";
import type { InvitationMail } from "./service-context.ts";
import { type Key, World } from "./world.ts";

/** What a server starts with, and keeps over a restart. */
export interface ServerData {
  readonly world: World;
  readonly mails: readonly InvitationMail[];
  readonly identifiers: Identifiers;
  readonly administrator: Key;
}

/** Called when changes cannot be written any more, and why; and when they are written again. */
export type OnDataWriting = (
  event: { readonly is: "failed"; readonly error: unknown } | { readonly is: "works" },
) => void;

/** Keeps a server's world in a file, which is replaced whole. What was changed is on the disk before anybody is answered. */
export class DataFile {
  readonly #path: string;
  readonly #data: ServerData;
  readonly #onWriting: OnDataWriting;
  /** What the last writing took of the changes; absent where the next one must take all. */
  #taken: number | undefined;
  #writing: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #fails = false;

  constructor(path: string, data: ServerData, onWriting: OnDataWriting = () => {}) {
    this.#path = path;
    this.#data = data;
    this.#onWriting = onWriting;
  }

  /** Resolves when everything that has changed so far is on the disk, or cannot be written; undefined where it is there. */
  saved(): Promise<void> | undefined {
    if (this.#taken === this.#changes()) return this.#writing;
    this.#next ??= this.#writeNext();
    return this.#next;
  }

  /** Grows with whatever changes. */
  #changes(): number {
    return this.#data.world.changes + this.#data.mails.length;
  }

  /** Changes that come while others are written are written together after them. */
  async #writeNext(): Promise<void> {
    await this.#writing?.catch(() => undefined);
    this.#writing = this.#next;
    this.#next = undefined;
    this.#taken = this.#changes();
    try {
      // Only the owner may read the keys in it.
      const draft = `${this.#path}.${process.pid}.new`;
      const text = `${JSON.stringify({ ...mark, ...encodeData(this.#data) })}\n`;
      await replaceFile(this.#path, [text], { draft, permissions: "owner" });
      if (this.#fails) this.#onWriting({ is: "works" });
      this.#fails = false;
    } catch (error) {
      this.#taken = undefined;
      if (!this.#fails) this.#onWriting({ is: "failed", error });
      this.#fails = true;
      throw error;
    } finally {
      this.#writing = undefined;
    }
  }
}

/** Takes the data file for this process. Throws `UnusableData` where another process that runs has it. */
export async function lockData(path: string): Promise<{ readonly release: () => Promise<void> }> {
  const lock = `${path}.lock`;
  try {
    await writeFile(lock, String(process.pid), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    const holder = Number(await readFile(lock, "utf8"));
    if (holder !== process.pid && isRunning(holder))
      throw new UnusableData(`another service uses it, as process ${holder}`);
    await writeFile(lock, String(process.pid), { mode: 0o600 });
  }
  return { release: () => rm(lock, { force: true }) };
}

function isRunning(processId: number): boolean {
  try {
    return processId > 0 && process.kill(processId, 0);
  } catch (error) {
    return errorCode(error) === "EPERM";
  }
}

/** The file is not what a reference server keeps, or another one has it. */
export class UnusableData extends Error {
  override readonly name = "UnusableData";
}

const mark = { format: "roster-reference-server", version: 3 };

/** Things of the world name one another by identifier. JSON leaves out what is undefined. */
function encodeData({ world, mails, identifiers, administrator }: ServerData) {
  return {
    administrator: administrator.prefix,
    counters: identifiers.counters,
    roles: [...world.roles.values()],
    accounts: Array.from(world.accounts.values(), (account) => ({ ...account, users: undefined })),
    users: world.userList.map((user) => ({ ...user, account: user.account.identifier, keys: undefined })),
    teams: Array.from(world.teams.values(), (team) => ({
      ...team,
      account: team.account.identifier,
      admin: team.admin.identifier,
      members: undefined,
    })),
    keys: Array.from(world.keys.values(), (key) => ({
      ...key,
      owner: key.owner.identifier,
      team: key.team?.identifier,
      formerRoles: undefined,
    })),
    mails,
  };
}

/** What a file holds; undefined where there is none. Throws `UnusableData` where no reference server wrote it. */
export async function readDataFile(path: string, draws: IdentifierDraws): Promise<ServerData | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
  const document = parseJson(text);
  if (typeof document !== "object" || document === null || !("format" in document) || document.format !== mark.format) {
    throw new UnusableData("it is not the data of a reference server");
  }
  if (!("version" in document) || document.version !== mark.version) throw new UnusableData("it is of another version");
  // The mark says who wrote it; what names something that is not there is found on the way.
  return restoreData(document as unknown as ReturnType<typeof encodeData>, draws);
}

export interface IdentifierDraws {
  readonly start: number;
  readonly kind: IdentifierKind;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnusableData("it is not JSON");
  }
}

function restoreData(written: ReturnType<typeof encodeData>, { start, kind }: IdentifierDraws): ServerData {
  const identifiers = countingIdentifiers(start, kind, written.counters);
  const world = new World(identifiers);
  for (const { identifier, name, status } of written.accounts) world.addAccount(identifier, name, status);
  for (const role of written.roles) world.roles.set(role.identifier, role);
  for (const user of written.users) {
    world.addUser({ ...user, account: lookUp(world.accounts, "account", user.account) });
  }
  for (const team of written.teams) {
    const admin = lookUp(world.users, "user", team.admin);
    world.addTeam({ ...team, account: lookUp(world.accounts, "account", team.account), admin });
  }
  for (const key of written.keys) {
    const team = key.team === undefined ? undefined : lookUp(world.teams, "team", key.team);
    world.addKey({ ...key, team, owner: lookUp(world.users, "user", key.owner) });
  }
  const administrator = lookUp(world.keys, "key", written.administrator);
  return { world, identifiers, mails: written.mails, administrator };
}

function lookUp<T>(things: ReadonlyMap<string, T>, what: string, identifier: string): T {
  const thing = things.get(identifier);
  if (thing === undefined) throw new UnusableData(`it names the ${what} ${identifier}, which is not in it`);
  return thing;
}
