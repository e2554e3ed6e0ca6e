import type { FoldedAddress } from "../model/address.ts";
import type { Failure } from "../model/failure.ts";
import type { Result } from "../model/result.ts";
import type { Absence, ObservedUser } from "../model/snapshot.ts";

/** Somebody to look for: folded for comparison, and as the address is sent. */
export interface UserQuery {
  readonly address: FoldedAddress;
  readonly email: string;
}

/** Reads people again in the course of a run, as carefully as a plan reads them. */
export interface UserReader {
  /**
   * Searches for everybody, in batches. A failure is a failed read, never somebody's absence. `purpose` names the
   * reads: `recheck` becomes `recheck 1` and so on.
   */
  read(people: readonly UserQuery[], purpose: string, signal?: AbortSignal): Promise<Result<UserLookup, Failure>>;
}

export interface UserLookup {
  /** Whoever was found at one of the addresses: two users of one address are both in it. */
  readonly users: readonly ObservedUser[];
  /** For each address at which nobody was found, whether that proves anything. */
  readonly absences: ReadonlyMap<FoldedAddress, Absence>;
}
