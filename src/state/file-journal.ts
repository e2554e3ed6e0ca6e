import { encodeJournalLine, encodeJournalStart, type JournalStart } from "../codec/encode-journal.ts";
import type { RunEvent } from "../model/run-event.ts";
import { syncDirectory } from "./durable-file.ts";
import type { FileSystem, OpenFile } from "./file-system.ts";
import { groupCommit } from "./group-commit.ts";
import type { HeldLock } from "./held-lock.ts";
import type { StateFiles } from "./state-files.ts";

/** The journal of one run, begun when its first event comes. */
export interface FileJournal {
  /** Durable, and confirmed, when it resolves; rejects, from then on always, when the file cannot be written. */
  append(events: readonly RunEvent[]): Promise<void>;
  /** Waits for what is still being written. */
  close(): Promise<void>;
}

export interface JournalBasis {
  readonly disk: FileSystem;
  readonly files: StateFiles;
  readonly lock: HeldLock;
  /** Saves what the journal is to begin after; called once, before its first line. */
  begin(): Promise<JournalStart>;
  /** Throws where the lock is lost. */
  confirm(): Promise<void>;
}

export function fileJournal(basis: JournalBasis): FileJournal {
  let opened: OpenFile | undefined;
  let last: Promise<void> = Promise.resolve();

  const commit = groupCommit(async (text) => {
    // Asked before for the sake of what is read later, and after for the sake of the calls that follow.
    await basis.confirm();
    if (opened === undefined) opened = await create(basis, text);
    else {
      await opened.write(text);
      await opened.datasync();
    }
    await basis.confirm();
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

/**
 * No journal is ever continued, since whoever wrote it may be alive: what it still writes then goes to a file that nobody
 * reads any more. With its first lines in it, the new one takes the place of any other.
 */
async function create({ disk, files, lock, begin }: JournalBasis, text: string): Promise<OpenFile> {
  const start = await begin();
  const path = lock.own("journal");
  await disk.remove(path);
  const file = await disk.open(path, "create");
  try {
    await file.write(`${encodeJournalStart(start)}${text}`);
    await file.sync();
    await disk.rename(path, files.journal);
    await syncDirectory(disk, files.directory);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
