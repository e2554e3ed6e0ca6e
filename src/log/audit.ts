import type { ActionId } from "../model/action.ts";
import type { EmailKey } from "../model/address.ts";
import type { Allowance } from "../model/allowance.ts";
import type { EventOf } from "../model/event.ts";
import type { Ownership } from "../model/recorded.ts";
import type { RoleSet } from "../model/role-set.ts";

/** What a log says that a run did, for people who ask later: one record for each person of a call. */
export type AuditRecord =
  | AuditedRunStart
  | (AuditRecordCommon & { readonly kind: "plan"; readonly plan: string })
  | AuditedAllowance
  | AuditedCall
  | AuditedKey
  | AuditedChange
  | AuditedRunEnd;

interface AuditRecordCommon {
  readonly at: string;
  readonly run: string;
}

export interface AuditedRunStart extends Omit<EventOf<"command-started">, "type"> {
  readonly kind: "run-started";
}

export interface AuditedAllowance extends AuditRecordCommon, Allowance {
  readonly kind: "allowance-used";
  readonly person?: EmailKey | undefined;
  readonly team?: AuditedTeam | undefined;
}

/** `failed`: it had no effect. `there-before`: the user existed already, and was not created. `unknown`: only a later read can tell. */
export type AuditedOutcome = "done" | "failed" | "there-before" | "unknown";

export interface AuditedCall extends AuditRecordCommon {
  readonly kind: "call";
  readonly action: ActionId;
  readonly call: "create-user" | "add-member" | "replace-roles";
  readonly outcome: AuditedOutcome;
  /** Absent for a key whose owner is not known. */
  readonly person?: EmailKey | undefined;
  readonly team?: AuditedTeam | undefined;
  /** Of the key that the call made or changed, where it is known. */
  readonly prefix?: string | undefined;
  readonly rolesBefore?: RoleSet | undefined;
  /** As the service showed them, else as they were sent. Only where the call was done. */
  readonly rolesAfter?: RoleSet | undefined;
  readonly announcedAt: string;
  /** The earlier run that announced the call, where this run learned the outcome by reading. */
  readonly announcedBy?: string | undefined;
  readonly why?: string | undefined;
  readonly ownership?: Ownership | undefined;
}

export interface AuditedTeam {
  readonly name: string;
  readonly account?: string | undefined;
  readonly identifier?: string | undefined;
}

export interface AuditedKey extends AuditRecordCommon {
  readonly kind: "key-learned";
  readonly person: EmailKey;
  readonly prefix: string;
  readonly team?: AuditedTeam | undefined;
}

/** The log goes on elsewhere, the service has another address, or older events were exported. */
export interface AuditedChange extends AuditRecordCommon {
  readonly kind: "moved-to" | "endpoint-changed" | "pruned";
  /** The new address; of a prune, the time before which all events went. */
  readonly to: string;
}

export interface AuditedRunEnd extends AuditRecordCommon, Pick<EventOf<"command-ended">, "plan"> {
  readonly kind: "run-ended";
}

export interface PlacedRecord {
  readonly position: number;
  readonly record: AuditRecord;
}
