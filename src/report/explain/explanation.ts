import type { Action, ActionId } from "../../model/action.ts";
import type { FoldedAddress } from "../../model/address.ts";
import type { Place, ReadName, Reason } from "../../model/fact.ts";
import type { Finding } from "../../model/finding.ts";
import type { InSyncItem, Plan } from "../../model/plan.ts";
import type { Roster } from "../../model/roster.ts";
import type { ReadRecord, Snapshot } from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import type { TeamKey } from "../../model/team.ts";
import type { CatalogueEntry } from "../codes/catalogue.ts";

/** What `explain` has to tell. */
export type Explanation =
  | { readonly of: "codes"; readonly codes: readonly CatalogueEntry[]; readonly as: "whole" | "list" }
  | { readonly of: "things"; readonly things: readonly ExplainedTarget[] };

/** One sentence about a thing, and how it is known. */
export interface Statement {
  readonly says: string;
  /** Where the YAML says so. */
  readonly place?: Place;
  /** The chain that asks for it. */
  readonly because?: readonly Reason[];
  /** The read that showed it. */
  readonly by?: ReadName;
  /** ISO 8601, when it was recorded. */
  readonly at?: string;
}

/** The whole story of one thing. */
export interface ExplainedTarget {
  readonly is: ExplainTarget["is"];
  /** As a person would name it. */
  readonly name: string;
  readonly from: "the service" | "a saved plan";
  readonly roster: readonly Statement[];
  readonly service: readonly Statement[];
  readonly state: readonly Statement[];
  readonly actions: readonly ExplainedAction[];
  readonly findings: readonly Finding[];
  /** What is so already, so that nothing is done about it. */
  readonly settled: readonly InSyncItem[];
  /** What is there and nobody asked for. */
  readonly unasked: readonly Statement[];
  readonly plan: Plan;
  /** Why guards refuse the plan as a whole, where they do. */
  readonly refused?: string | undefined;
  readonly readings: ReadonlyMap<ReadName, ReadRecord>;
}

export interface ExplainedAction {
  readonly action: Action;
  /** Whose part of it is told, where it is for several people. */
  readonly person?: FoldedAddress;
  /** Actions of the plan that it, or that part, waits for. */
  readonly waitsFor: readonly ActionId[];
  /** Actions of the plan that wait for it, or for that part. */
  readonly neededBy: readonly ActionId[];
}

/** What is asked about. */
export type ExplainTarget =
  | { readonly is: "user"; readonly address: FoldedAddress }
  | { readonly is: "team"; readonly written: string }
  | { readonly is: "key"; readonly prefix: string }
  | { readonly is: "role"; readonly role: string }
  | { readonly is: "action"; readonly id: ActionId }
  | { readonly is: "finding"; readonly fingerprint: string };

/** A team as the roster, the state, a key or a plan names it. */
export interface ResolvedTeam {
  readonly key: TeamKey;
  readonly name: string;
  readonly identifier?: string | undefined;
}

/** All that is known, where the service was read. */
export interface ExplainContext {
  readonly roster: Roster;
  readonly snapshot: Snapshot;
  readonly state: State;
  readonly plan: Plan;
  readonly agreements: readonly InSyncItem[];
  /** Why guards refuse the plan as a whole, where they do. */
  readonly refused?: string | undefined;
}
