import { unshownUntil } from "./consistency-window.ts";
import type { Roster } from "./roster.ts";
import type { Snapshot } from "./snapshot.ts";
import type { State } from "./state.ts";
import type { ObservedUser, RecordedUser } from "./user.ts";

/** Most of the recorded users are gone: a service that lost its memory, or another one, and not so many single deletions. */
export interface ServiceReset {
  /** Recorded users of the roster that reads prove absent, in the order of the roster. */
  readonly missing: readonly RecordedUser[];
  readonly present: number;
}

/** Fewer may be deleted one by one. */
const fewestMissing = 3;

/**
 * Whether the service is in doubt: of the recorded users that these reads prove present or absent, at least three and more than half are absent.
 * Neither side counts who is gone as the roster wants, not shown yet, or has lost the address to another user. Without `readAt`, every write shows.
 */
export function findServiceReset(
  roster: Roster,
  { users, absences, readAt }: Pick<Snapshot, "users" | "absences"> & Partial<Pick<Snapshot, "readAt">>,
  state: State,
  consistency?: number | undefined,
): ServiceReset | undefined {
  if (state.users.size < fewestMissing) return undefined;
  const wanted = [...roster.users.values()].filter(({ from }) => from === undefined);
  const isLate = (record: RecordedUser) =>
    readAt !== undefined && Date.parse(readAt) < unshownUntil(record, consistency);
  const absent = wanted.flatMap(({ address }) => {
    const record = absences.get(address)?.proven === true ? state.users.get(address) : undefined;
    return record === undefined || isLate(record) ? [] : [record];
  });
  const renamed = new Set(users.filter(({ address }) => !state.users.has(address)).map(({ identifier }) => identifier));
  const isRenamed = ({ identifier }: RecordedUser) => identifier !== undefined && renamed.has(identifier);
  const missing = absent.filter((record) => !isRenamed(record));
  const isRecorded = ({ address, identifier }: ObservedUser) => {
    const record = state.users.get(address);
    return record !== undefined && (record.identifier ?? identifier) === (identifier ?? record.identifier);
  };
  const shown = new Set(users.filter(isRecorded).map(({ address }) => address));
  const present = shown.size + absent.length - missing.length;
  return missing.length >= fewestMissing && missing.length > present ? { missing, present } : undefined;
}
