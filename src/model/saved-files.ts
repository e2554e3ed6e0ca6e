import type { FoldedAddress } from "./address.ts";
import type { Capabilities } from "./capabilities.ts";
import type {
  BreakGlassClosed,
  PeopleSeen,
  RecordsMoved,
  RefusalsReviewed,
  RosterApplied,
  ServiceLearned,
} from "./event.ts";
import type { Plan } from "./plan.ts";
import type { RoleSet } from "./role-set.ts";
import type { Snapshot, UserListStatus } from "./snapshot.ts";
import type { State } from "./state.ts";

/** A plan that was saved to be applied later, perhaps by another machine: the file is its approval. */
export interface PlanFile {
  /** Names this file apart from every other: it is applied once. */
  readonly id: string;
  /** ISO 8601. */
  readonly madeAt: string;
  /** The version of roster that made it. */
  readonly madeBy: string;
  /** ISO 8601: from then on it is not applied any more. */
  readonly expiresAt: string;
  readonly basis: PlanFileBasis;
  readonly policy: PlanFilePolicy;
  /** What the plan's reads have taught beyond the plan. */
  readonly lessons: readonly PlanningEvent[];
  readonly plan: Plan;
}

/** What the plan rests on. */
interface PlanFileBasis {
  readonly roster: RosterBasis;
  readonly state: StateBasis | "none";
  /** What the state says of whom and what the actions are about, digested. What it says nothing of is not in it. */
  readonly records: readonly RecordDigest[];
  /** ISO 8601, when the oldest read began. */
  readonly readAt: string;
  readonly everyone: UserListStatus;
  readonly capabilities: Capabilities;
  /** Some of those whom the reads showed: a search that does not find them proves nobody's absence. */
  readonly witnesses: readonly UserAddress[];
}

export interface RosterCounts {
  readonly files: number;
  readonly users: number;
  readonly leavers: number;
  readonly teams: number;
  readonly keys: number;
}

interface RosterBasis extends RosterCounts {
  /** Of what it says, wherever its lines are. */
  readonly digest: string;
}

export interface UserAddress {
  readonly address: FoldedAddress;
  /** As written. */
  readonly email: string;
}

/** The very version of a state. */
export interface StateBasis {
  readonly lineage: string;
  readonly serial: number;
  /** Of what it knows of people, teams, keys and calls, and of the roster that was applied. */
  readonly digest: string;
}

export interface RecordDigest {
  /** Such as `creation ada@acme.example`. */
  readonly about: string;
  readonly digest: string;
}

interface PlanFilePolicy {
  /** A person's words for this plan alone, as flags. */
  readonly words: readonly string[];
  readonly privilegedRoles: RoleSet;
  /** A digest of the guards that have checked the plan. */
  readonly guards: string;
}

/** An event that planning alone has taught: it tells of no call. */
export type PlanningEvent =
  | RosterApplied
  | RecordsMoved
  | PeopleSeen
  | ServiceLearned
  | RefusalsReviewed
  | BreakGlassClosed;

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
