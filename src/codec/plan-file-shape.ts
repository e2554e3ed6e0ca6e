import type { Capabilities } from "../model/capabilities.ts";
import type { Lesson, RecordMark, StateBasis } from "../model/plan-file.ts";
import type { Everyone } from "../model/snapshot.ts";
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
    readonly everyone: Everyone;
    readonly capabilities: Capabilities;
  };
  readonly policy: { readonly words: readonly string[]; readonly privileged_roles: readonly string[] };
  readonly records: readonly RecordMark[];
  readonly witnesses: readonly PersonFields[];
  readonly lessons: readonly Lesson[];
}

export interface PersonFields {
  readonly address: string;
  readonly email: string;
}
