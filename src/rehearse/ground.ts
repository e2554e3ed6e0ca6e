import type { Plan } from "../model/plan.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { State } from "../model/state.ts";

/** All that is known of a service without asking it. */
export interface KnownService {
  readonly snapshot: Snapshot;
  /** What it remembers fills in what the service does not show. */
  readonly state: State;
  /** What its actions name is taken to be there, whoever says so: the roster may know what no read shows. */
  readonly plan: Plan;
  /** The public part of the key in use. */
  readonly keyInUse?: string | undefined;
}
