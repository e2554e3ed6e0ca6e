import { encodeJournalLine, encodeJournalStart, type JournalStart } from "../../codec/encode-journal.ts";
import { encodeState } from "../../codec/state.ts";
import { type FileSystem, type OpenFile, syncDirectory } from "../../files/file-system.ts";
import { replaceFile } from "../../files/replace-file.ts";
import { applyEvents } from "../../journal/fold.ts";
import type { RunEvent } from "../../model/event.ts";
import { type Failure, problem, type Result, success } from "../../model/result.ts";
import type { State } from "../../model/state.ts";
import type { Clock } from "../../ports/clock.ts";
import type { StateSession } from "../../ports/state-store.ts";
import { groupCommit } from "../group-commit.ts";
import { fileFailure } from "./failure.ts";
import { confirmHeld, type HeldLock, LockLostError } from "./lock.ts";
import { ifThere } from "./lock-files.ts";
import type { StateFiles, StoredState } from "./stored-state.ts";

interface SessionBasis {
  readonly disk: FileSystem;
  readonly files: StateFiles;
  readonly stored: StoredState;
  readonly lock: HeldLock;
  readonly clock: Clock;
}

/** A locked state in files. Nothing is written where nothing is appended. */
export function fileSession({ disk, files, stored, lock, clock }: SessionBasis): StateSession {
  const { state } = stored;
  const appended: RunEvent[] = [];
  let { serial } = state;

  async function save(next: State): Promise<State> {
    const numbered: State = { ...next, serial: Math.max(serial, next.serial) + 1 };
    serial = numbered.serial;
    const content = [encodeState(numbered)];
    await replaceFile(files.state, content, { disk, draft: lock.own("state"), permissions: "owner" });
    return numbered;
  }

  const journal = fileJournal({
    disk,
    files,
    lock,
    async begin() {
      if (stored.found?.is === "folded-in") await save(state);
      return { lineage: state.lineage, serial };
    },
    confirm: () => confirmHeld(lock, clock),
  });

  /** The lost lock, where it is what the error comes from; a run without it finds none of its own files any more. */
  async function failureOf(error: unknown, path: string): Promise<Failure> {
    if (error instanceof LockLostError) return error.failure;
    const failure = fileFailure(error, "written", path);
    return (await lock.isHeld().catch(() => true)) ? failure : lock.lost();
  }

  async function saveAll(next: State): Promise<Result<State, Failure>> {
    try {
      await journal.close();
      const saved = await save(next);
      await dropJournal(disk, files, lock);
      return success(saved);
    } catch (error) {
      return problem(await failureOf(error, files.state));
    }
  }

  return {
    state,
    writes: "appended",
    async append(events) {
      if (events.length === 0) return;
      for (const event of events) appended.push(event);
      try {
        await journal.append(events);
      } catch (error) {
        const { message, hint } = await failureOf(error, files.journal);
        throw new Error(hint === undefined ? message : `${message} (${hint})`, { cause: error });
      }
    },
    async close(instead) {
      try {
        if (appended.length === 0 && instead === undefined) return success(state);
        return await saveAll(instead ?? applyEvents(state, appended));
      } finally {
        await lock.release();
      }
    },
  };
}

/** The journal of one run, begun when its first event comes. */
interface FileJournal {
  /** Durable, and confirmed, when it resolves; rejects, from then on always, when the file cannot be written. */
  append(events: readonly RunEvent[]): Promise<void>;
  /** Waits for what is still being written. */
  close(): Promise<void>;
}

interface JournalBasis {
  readonly disk: FileSystem;
  readonly files: StateFiles;
  readonly lock: HeldLock;
  /** Saves what the journal is to begin after; called once, before its first line. */
  begin(): Promise<JournalStart>;
  /** Throws where the lock is lost. */
  confirm(): Promise<void>;
}

function fileJournal(basis: JournalBasis): FileJournal {
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

/** Takes the journal away, whose events are in the state. Until then it is of an older version, and ignored. */
async function dropJournal(disk: FileSystem, files: StateFiles, lock: HeldLock): Promise<void> {
  await ifThere(disk.rename(files.journal, lock.own("journal")));
  await syncDirectory(disk, files.directory);
}
