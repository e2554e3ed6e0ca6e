import type { FoldedAddress } from "../model/address.ts";
import type { Capabilities } from "../model/capabilities.ts";
import type {
  Absence,
  ObservedAccount,
  ObservedRole,
  ObservedUser,
  ReadRecord,
  UserListStatus,
} from "../model/snapshot.ts";
import type { UnreadField } from "../model/unread-field.ts";

/** A snapshot file, once it is known to be valid, its addresses folded: described by `schemas/snapshot.schema.json`. */
export interface SnapshotDocument {
  readonly document: "roster snapshot";
  readonly format_version: string;
  readonly checksum: string;
  readonly made_at: string;
  readonly made_by: string;
  readonly addresses: "plain" | "hashed";
  readonly key_check?: string;
  readonly service: string;
  readonly read_at: string;
  readonly reads: number;
  readonly readings: readonly ({ readonly read: string } & ReadRecord)[];
  readonly everyone: UserListStatus & { readonly read: "complete" };
  readonly capabilities: Capabilities;
  readonly unread?: readonly UnreadField[];
  readonly key_in_use?: string;
  readonly roles: readonly ObservedRole[];
  readonly roles_by: string;
  readonly accounts_are: "all" | "named";
  readonly accounts: readonly AccountFields[];
  readonly users: readonly ObservedUser[];
  readonly absences: readonly ({ readonly address: FoldedAddress } & Absence)[];
  /** As its own file holds it; absent where nothing was ever kept. */
  readonly state?: Readonly<Record<string, unknown>>;
}

export interface AccountFields extends Omit<ObservedAccount, "memberStatuses"> {
  /** By which identifier it was asked for. */
  readonly asked: string;
  readonly memberStatuses?: readonly { readonly address: FoldedAddress; readonly status: string }[];
}
