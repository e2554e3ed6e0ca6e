import type { Policy } from "../model/policy.ts";
import type { Roster } from "../model/roster.ts";
import type { SnapshotSource } from "../model/saved-files.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { State } from "../model/state.ts";
import type { SnapshotIndex } from "./facts.ts";
import type { HeldResources } from "./held-resources.ts";
import type { KeyHolderIndex } from "./key-holders.ts";

/** All that the steps of a plan look at. */
export interface PlanContext {
  readonly roster: Roster;
  readonly snapshot: Snapshot;
  readonly state: State;
  readonly policy: Policy;
  readonly facts: SnapshotIndex;
  readonly holders: KeyHolderIndex;
  /** A stable digest of a text, in hexadecimal. */
  readonly digest: (text: string) => string;
  /** Accounts in which nothing can be done. */
  readonly closedAccounts: ReadonlySet<string>;
  /** Where the snapshot was not read for this plan. */
  readonly kept?: SnapshotSource | undefined;
  /** What guards hold, once they have seen what is asked for. */
  readonly held: HeldResources;
}
