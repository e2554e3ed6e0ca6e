import type { FoldedAddress } from "./address.ts";
import type { Snapshot } from "./snapshot.ts";
import type { State } from "./state.ts";

/** What one run has read of a service, kept for plans that are made without a key: all that they rest on but the roster. */
export interface SnapshotFile {
  /** ISO 8601. */
  readonly madeAt: string;
  /** The version of roster that made it. */
  readonly madeBy: string;
  readonly addresses: SnapshotAddresses;
  /** `all`: the accounts of the snapshot are all that the key in use could see. */
  readonly accounts: "all" | "named";
  /** The public prefix of the key in use, where the service itself shows it among somebody's keys. */
  readonly keyInUse?: string;
  /** Everybody was read completely. */
  readonly snapshot: Snapshot;
  /** What planning needs of the state, as it was read: calls that were open are open. */
  readonly state: State;
}

/** `hashed`: no address, name or title is in it; who has the key of this check value finds again whom they know. */
export type SnapshotAddresses = { readonly are: "plain" } | { readonly are: "hashed"; readonly check: string };

/** What a plan has to know of a snapshot that was not read for it. */
export interface SnapshotSource {
  readonly addresses: SnapshotAddresses["are"];
  /** People whose absence no search has shown: the complete list lacks them, and that is all. */
  readonly unsearched: ReadonlySet<FoldedAddress>;
  /** What stands in the state for the digest of a request. */
  readonly hashedDigest: (digest: string) => string;
}
