import type { ActionId } from "./action.ts";
import type { FoldedAddress } from "./address.ts";
import type { AllowanceReason } from "./policy.ts";
import type { RoleSet } from "./role-set.ts";
import type { Ownership } from "./subject.ts";

/**
 * What a run did, for people who ask later: one record for each person of a call. Never a key. A field without a value
 * is the same as none.
 */
export type AuditRecord = AuditedRunStart | AuditedPlan | AuditedCall | AuditedKey | AuditedStateChange | AuditedRunEnd;

interface AuditRecordCommon {
  /** ISO 8601. */
  readonly at: string;
  readonly run: string;
}

/** The first record of a run that changes something. */
export interface AuditedRunStart extends AuditRecordCommon {
  readonly kind: "run-started";
  /** Such as `apply` or `state resolve`. */
  readonly command: string;
  readonly actor: AuditActor;
  /** The commit of the roster, where a pipeline or git names it. */
  readonly commit?: string | undefined;
  /** Where the pipeline shows this run. */
  readonly pipeline?: string | undefined;
  /** The lineage of the state. */
  readonly state: string;
  /** The exceptions that were allowed, as they were typed. */
  readonly allowed: readonly string[];
  /** Why they were allowed. */
  readonly reason?: AllowanceReason | undefined;
  /** The address or number of the change request that the run applies. */
  readonly changeRequest?: string | undefined;
  /** Who approved it, as the script of the pipeline verified. */
  readonly approvers?: readonly string[] | undefined;
}

/** `source`: the pipeline's system, such as `github`, or `os` for the user of the machine. */
export interface AuditActor {
  readonly name: string;
  readonly source: string;
}

/** The plan that the run applies. */
export interface AuditedPlan extends AuditRecordCommon {
  readonly kind: "plan";
  readonly plan: string;
  readonly service: string;
  readonly actions: number;
}

/** `failed`: it had no effect. `there-before`: the user existed already, and was not created. `unknown`: only a later read can tell. */
export type AuditedOutcome = "done" | "failed" | "there-before" | "unknown";

export interface AuditedCall extends AuditRecordCommon {
  readonly kind: "call";
  readonly action: ActionId;
  readonly call: "create-user" | "add-member" | "replace-roles";
  readonly outcome: AuditedOutcome;
  /** Absent for a key whose owner is not known. */
  readonly person?: FoldedAddress | undefined;
  readonly team?: AuditedTeam | undefined;
  /** Of the key that the call made or changed, where it is known. */
  readonly prefix?: string | undefined;
  readonly rolesBefore?: RoleSet | undefined;
  /** As the service showed them, else as they were sent. Only where the call was done. */
  readonly rolesAfter?: RoleSet | undefined;
  /** When the call was announced. */
  readonly announcedAt: string;
  /** The earlier run that announced the call, where this run learned the outcome by reading. */
  readonly announcedBy?: string | undefined;
  /** Why it failed or is unknown. */
  readonly why?: string | undefined;
  /** Whose it is, as the roster says. */
  readonly ownership?: Ownership | undefined;
}

export interface AuditedTeam {
  readonly name: string;
  readonly account?: string | undefined;
  readonly identifier?: string | undefined;
}

/** A read showed the prefix of a key that an earlier call made. */
export interface AuditedKey extends AuditRecordCommon {
  readonly kind: "key-learned";
  readonly person: FoldedAddress;
  readonly prefix: string;
  /** Absent for the user's own key. */
  readonly team?: AuditedTeam | undefined;
}

/** A command replaced the state as a whole. */
export interface AuditedStateChange extends AuditRecordCommon {
  readonly kind: "state-changed";
}

export interface AuditedRunEnd extends AuditRecordCommon {
  readonly kind: "run-ended";
  /** `none`: the run had no plan to apply. `aborted`: it ended before the plan did. */
  readonly plan: "completed" | "stopped" | "interrupted" | "aborted" | "none";
}
