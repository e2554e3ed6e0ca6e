import { open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { type PersistedState, serializeState } from "./saved-world.ts";

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

  /** From now on it writes only when it is told to save. */
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
    await replaceFile(this.#path, serializeState(this.#kept()));
    this.#pause = Math.max(writeDelayMs, (performance.now() - began) * minIdleRatio);
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
    // Why it failed matters more than what is left of it.
    await rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
  const directory = await open(dirname(path), "r");
  await directory.sync().finally(() => directory.close());
}
