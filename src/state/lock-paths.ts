import { join } from "node:path";

/**
 * Where a lock and whoever wants it keep what is theirs. The lock is a directory that holds nothing but the directory of
 * its holder, which is named by the holder's id: so one rename takes it whole or not at all, and one rename that names
 * the holder breaks this holding of it or none.
 *
 * That a former holder changes nothing rests on three things. A run changes the state, the journal and their like only by
 * a rename out of, or into, its own directory. Whoever breaks its lock renames that directory and removes it, and whoever
 * takes the lock next removes what is left of such directories before it reads: each change of a former holder was there
 * before, or fails. And what a run appends to its journal it tells to be durable only if its directory is there
 * afterwards, so before anybody else has read; the journal of another run is never continued.
 */
export interface LockPaths {
  /** The holder's own directory, while it holds the lock. */
  readonly held: string;
  readonly owner: string;
  /** What is to become the lock. */
  readonly prepared: string;
  readonly preparedOwner: string;
  /** What was the holder's own directory, on its way out. */
  readonly gone: string;
  /** A file that is written only to learn what time it is for the file system. */
  readonly now: string;
}

export function lockPaths(lock: string, id: string): LockPaths {
  return {
    held: join(lock, id),
    owner: join(lock, id, "owner.json"),
    prepared: `${lock}.${id}.new`,
    preparedOwner: join(`${lock}.${id}.new`, id, "owner.json"),
    gone: `${lock}.${id}.gone`,
    now: `${lock}.${id}.now`,
  };
}

/** The id of a lock in whose place there is a file. */
export const staleLockId = "unreadable";
