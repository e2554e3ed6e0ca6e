import { hashedDigest, type KeyedHash, reidentify } from "../../codec/pseudonymize.ts";
import { rewriteSnapshot, rewriteState } from "../../codec/rewrite-addresses.ts";
import type { Policy } from "../../model/policy.ts";
import type { Roster } from "../../model/roster.ts";
import type { SnapshotFile, SnapshotSource } from "../../model/saved-files.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import { withListedAbsences } from "../../observe/absence.ts";
import { knownAddresses } from "./known-addresses.ts";

/** What a plan is made of that reads neither the service nor the state. */
export interface SnapshotInput {
  readonly snapshot: Snapshot;
  readonly state: State;
  readonly kept: SnapshotSource;
}

export interface SnapshotOptions {
  readonly roster: Roster;
  readonly policy: Policy;
  readonly seal: KeyedHash | undefined;
  /** Addresses that are asked about. */
  readonly about?: readonly string[] | undefined;
}

/**
 * A snapshot file as a plan of this roster needs it: hashed addresses that the roster knows, or that are asked about, are found
 * again, others stay hidden; whoever was not searched for is judged by the complete list. `seal` is there where, and only where,
 * addresses are hashed.
 */
export function inputFromSnapshot(
  file: SnapshotFile,
  { roster, policy, seal, about = [] }: SnapshotOptions,
): SnapshotInput {
  if (seal === undefined) return withAbsences(file, roster, { addresses: "plain", hashedDigest: (digest) => digest });
  const anew = reidentify(seal, [...knownAddresses(roster, policy), ...about]);
  const found = { snapshot: rewriteSnapshot(file.snapshot, anew), state: rewriteState(file.state, anew) };
  return withAbsences(found, roster, { addresses: "hashed", hashedDigest: (digest) => hashedDigest(seal, digest) });
}

function withAbsences(
  { snapshot, state }: Pick<SnapshotFile, "snapshot" | "state">,
  roster: Roster,
  kept: Omit<SnapshotSource, "unsearched">,
): SnapshotInput {
  const { snapshot: whole, unsearched } = withListedAbsences(snapshot, roster, state);
  return { snapshot: whole, state, kept: { ...kept, unsearched } };
}
