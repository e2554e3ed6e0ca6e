import type { Capabilities } from "../model/capabilities.ts";
import type { PlanningEvent, RecordDigest, StateBasis } from "../model/plan-file.ts";
import type { UserListStatus } from "../model/snapshot.ts";
import type { PlanFields } from "./plan-document-shape.ts";

/** A plan file, once it is known to be valid: described by `schemas/plan-file.schema.json`. */
export interface PlanFileDocument extends PlanFields {
  readonly document: "roster plan file";
  readonly format_version: string;
  readonly checksum: string;
  readonly file: string;
  readonly made_at: string;
  readonly made_by: string;
  readonly expires_at: string;
  readonly basis: {
    readonly roster: {
      readonly digest: string;
      readonly files: number;
      readonly users: number;
      readonly leavers: number;
      readonly teams: number;
      readonly keys: number;
    };
    readonly state: StateBasis | null;
    readonly read_at: string;
    readonly everyone: UserListStatus;
    readonly capabilities: Capabilities;
  };
  readonly policy: { readonly words: readonly string[]; readonly privileged_roles: readonly string[] };
  readonly records: readonly RecordDigest[];
  readonly witnesses: readonly UserAddressFields[];
  readonly lessons: readonly PlanningEvent[];
}

export interface UserAddressFields {
  readonly address: string;
  readonly email: string;
}
