import type { EmailKey } from "../model/address.ts";
import type { Policy } from "../model/policy.ts";
import type { Roster } from "../model/roster.ts";
import type { RosterIndex } from "../model/roster-index.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { State } from "../model/state.ts";
import type { SnapshotIndex } from "./snapshot-index.ts";

export interface PlanFacts {
  readonly roster: Roster;
  readonly snapshot: Snapshot;
  /** With what could be resolved of earlier runs already resolved. */
  readonly state: State;
  readonly policy: Policy;
  /** The prefix of the key with which the plan would be applied, where it is known. */
  readonly keyInUse?: string | undefined;
  /**
   * Users whose absence only the complete list shows, without a search. Set for a snapshot that an earlier run kept: then the plan is
   * a preview, and says so.
   */
  readonly unsearched?: ReadonlySet<EmailKey> | undefined;
}

/** The roster beside what reads show and what is recorded. A plan and its drift are made of the same one. */
export interface Comparison extends PlanFacts {
  readonly facts: SnapshotIndex;
  /** Indexed at the first question. */
  readonly names: () => RosterIndex;
}
