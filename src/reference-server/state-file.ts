import { open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { type Kept, savedPieces } from "./saved-world.ts";

/** The least time between a change and its writing, in milliseconds, so that changes that come together are written once. */
const gathering = 200;
/** Of the time at most one part in so many is spent on writing. */
const share = 10;

/** Keeps a server's world in a file, which is always a whole one: the former, or the new. */
export class StateFile {
  readonly #path: string;
  readonly #kept: () => Kept;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #pause = gathering;

  constructor(path: string, kept: () => Kept) {
    this.#path = path;
    this.#kept = kept;
  }

  /** Something has changed and is to be written soon. */
  touch(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#writing = this.#writing.then(() => this.#write()).catch(() => this.touch());
    }, this.#pause);
  }

  /** Writes now; resolves when everything is on the disk. */
  async save(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#writing;
    await this.#write();
  }

  async #write(): Promise<void> {
    const began = performance.now();
    await replaceFile(this.#path, savedPieces(this.#kept()));
    this.#pause = Math.max(gathering, (performance.now() - began) * share);
  }
}

/** The text of the file; undefined where there is none. */
export async function readStateFile(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** Only the owner may read it, for it holds whole keys. */
async function replaceFile(path: string, pieces: Iterable<string>): Promise<void> {
  const draft = `${path}.${process.pid}.new`;
  // All pieces are made at once: between two of them the world would change.
  const texts = [...pieces];
  try {
    const file = await open(draft, "w", 0o600);
    try {
      for (const text of texts) await file.write(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  const directory = await open(dirname(path), "r");
  await directory.sync().finally(() => directory.close());
}
