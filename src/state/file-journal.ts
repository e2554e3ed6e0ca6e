import { constants, type FileHandle, open, rm } from "node:fs/promises";
import { encodeJournalLine, encodeJournalStart, type JournalStart } from "../codec/encode-journal.ts";
import type { RunEvent } from "../model/run-event.ts";
import { syncDirectory } from "./durable-file.ts";
import { groupCommit } from "./group-commit.ts";
import type { StateFiles } from "./state-files.ts";

/** The journal of one run, opened when its first event comes. */
export interface FileJournal {
  /** Durable when it resolves; rejects, from then on always, when the file cannot be written. */
  append(events: readonly RunEvent[]): Promise<void>;
  /** Waits for what is still being written. */
  close(): Promise<void>;
}

/** `continues` is how many bytes of the file belong to the state; without it the journal begins anew. */
export function fileJournal(
  files: StateFiles,
  begin: { readonly start: JournalStart; readonly continues?: number | undefined },
): FileJournal {
  let opened: FileHandle | undefined;
  let last: Promise<void> = Promise.resolve();

  const commit = groupCommit(async (text) => {
    if (opened !== undefined) return write(opened, text);
    if (begin.continues === undefined) {
      opened = await create(files.journal);
      await write(opened, `${encodeJournalStart(begin.start)}${text}`);
      await syncDirectory(files.directory);
    } else {
      opened = await continueAt(files.journal, begin.continues);
      await write(opened, text);
    }
  });

  return {
    append(events) {
      last = commit(events.map(encodeJournalLine).join(""));
      return last;
    },
    async close() {
      await last.catch(() => undefined);
      await opened?.close();
    },
  };
}

async function create(path: string): Promise<FileHandle> {
  await rm(path, { force: true });
  return open(path, "wx", 0o600);
}

/** Cuts off a last line that a dead run left unfinished. A link in the place of the journal is never followed. */
async function continueAt(path: string, bytes: number): Promise<FileHandle> {
  const handle = await open(path, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW);
  await handle.truncate(bytes);
  return handle;
}

async function write(handle: FileHandle, text: string): Promise<void> {
  await handle.writeFile(text);
  await handle.datasync();
}
