import { type FileHandle, open, readFile, rm, stat, writeFile } from "node:fs/promises";
import { errorCode, replaceFile } from "../files/file-system.ts";
import {
  changedRows,
  type IdentifierDraws,
  type InitialData,
  type KeptData,
  restoreData,
  UnusableData,
  wholeFile,
} from "./data-rows.ts";

/** Hears when changes cannot be written any more, and why; and when they are written again. */
export type OnDataWriting = (
  event: { readonly is: "failed"; readonly error: unknown } | { readonly is: "works" },
) => void;

/**
 * Keeps a server's world in a file: a heading, then lines of what is there, then a line for each change. What was written is on
 * the disk before anybody is answered. At the start, after a failure and at the end the file is written anew, as a whole.
 */
export class DataFile {
  readonly #path: string;
  readonly #kept: KeptData;
  readonly #onWriting: OnDataWriting;
  /** Open at its end; absent where the next writing writes the whole file. */
  #file: FileHandle | undefined;
  #mailsWritten = 0;
  #writing: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #fails = false;

  constructor(path: string, kept: KeptData, onWriting: OnDataWriting) {
    this.#path = path;
    this.#kept = kept;
    this.#onWriting = onWriting;
    kept.world.changes = new Set();
  }

  /** Settles when everything that has changed so far is on the disk, or cannot be written; undefined where it is there. */
  saved(): Promise<void> | undefined {
    if (!this.#hasUnwritten()) return this.#writing;
    this.#next ??= this.#writeNext();
    return this.#next;
  }

  /** Writes the whole file; resolves when it is on the disk. */
  async saveWhole(): Promise<void> {
    await this.#writing?.catch(() => undefined);
    await this.#file?.close();
    this.#file = undefined;
    await this.saved();
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }

  #hasUnwritten(): boolean {
    const { world, mails } = this.#kept;
    return world.changes?.size !== 0 || this.#file === undefined || mails.length > this.#mailsWritten;
  }

  /** Changes that come while others are written are written together after them. */
  async #writeNext(): Promise<void> {
    await this.#writing?.catch(() => undefined);
    this.#writing = this.#next;
    this.#next = undefined;
    try {
      await (this.#file !== undefined && (await this.#isInPlace(this.#file))
        ? this.#append(this.#file)
        : this.#replace());
      if (this.#fails) this.#onWriting({ is: "works" });
      this.#fails = false;
    } catch (error) {
      await this.#file?.close().catch(() => undefined);
      this.#file = undefined;
      if (!this.#fails) this.#onWriting({ is: "failed", error });
      this.#fails = true;
      throw error;
    } finally {
      this.#writing = undefined;
    }
  }

  /** Whether the path still leads to the file that is open: somebody may have removed it. */
  async #isInPlace(file: FileHandle): Promise<boolean> {
    const [there, opened] = await Promise.all([stat(this.#path).catch(() => undefined), file.stat()]);
    return there?.ino === opened.ino && there.dev === opened.dev;
  }

  async #append(file: FileHandle): Promise<void> {
    const { world, mails, identifiers } = this.#kept;
    const line = changedRows(world, mails.slice(this.#mailsWritten), identifiers.counters);
    world.changes = new Set();
    this.#mailsWritten = mails.length;
    await file.appendFile(`${JSON.stringify(line)}\n`);
    await file.datasync();
  }

  async #replace(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
    // All pieces are made at once: between two of them the world would change. Only the owner may read the keys in it.
    const lines = [...wholeFile(this.#kept)];
    this.#kept.world.changes = new Set();
    this.#mailsWritten = this.#kept.mails.length;
    await replaceFile(this.#path, lines, { draft: `${this.#path}.${process.pid}.new`, permissions: "owner" });
    this.#file = await open(this.#path, "a");
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

/** What a file holds; undefined where there is none. Throws `UnusableData` where no reference server wrote it. */
export async function readDataFile(path: string, draws: IdentifierDraws): Promise<InitialData | undefined> {
  try {
    return restoreData(await readFile(path), draws);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
