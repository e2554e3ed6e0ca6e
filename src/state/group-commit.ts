/** Adds a text; resolves when it is durable. */
export type Commit = (text: string) => Promise<void>;

/**
 * Texts that come while one is written are written together after it, in their order, and share one sync. Once a
 * write has failed, every later one fails with the same error: what was written in part must not be continued.
 */
export function groupCommit(write: Commit): Commit {
  let waiting: string[] = [];
  let next: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();

  async function writeWaiting(): Promise<void> {
    const batch = waiting.join("");
    waiting = [];
    next = undefined;
    await write(batch);
  }

  return (text) => {
    waiting.push(text);
    if (next === undefined) {
      next = last.then(writeWaiting);
      last = next;
    }
    return next;
  };
}
