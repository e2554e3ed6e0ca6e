import type { Capabilities } from "../model/capabilities.ts";
import type { Place } from "../model/fact.ts";
import type { RequestDigest } from "../model/refusal.ts";
import type { PlanningEvent, RecordDigest, StateBasis } from "../model/saved-files.ts";
import type { UserListStatus } from "../model/snapshot.ts";

/** The part of a JSON document that holds a plan, once it is known to be valid. Other fields are of no concern here. */
export interface PlanDocument extends PlanFields {
  readonly command: string;
}

/** A plan under its published names. */
export interface PlanFields {
  readonly plan_id: string;
  readonly service: string;
  readonly actions: readonly ActionShape[];
  readonly findings: readonly FindingShape[];
  readonly summary: { readonly calls: { readonly reads: number; readonly writes: number; readonly at_most: number } };
  readonly forbids?: { readonly keys: readonly string[]; readonly people: readonly string[] };
}

export type ActionShape = CreateUserShape | AddMembersShape | ReplaceRolesShape;

export interface ActionCommonShape {
  readonly id: string;
  readonly rule?: string;
  readonly because: readonly ReasonShape[];
  readonly depends_on: readonly string[];
  readonly rests_on: readonly BasisShape[];
}

/** A newer minor version may know more kinds and rules than this one. */
export interface ReasonShape extends Place {
  readonly as?: string;
  readonly name?: string;
  readonly person?: string;
}

export interface CreateUserShape extends ActionCommonShape {
  readonly kind: "create-user";
  readonly address: string;
  readonly account: string;
  readonly user: {
    readonly email: string;
    readonly first_name: string;
    readonly last_name: string;
    readonly title?: string;
    readonly external_identifier?: string;
    readonly source?: string;
  };
  readonly formerly?: readonly string[];
  readonly founds: FoundingShape | null;
  readonly request?: RequestDigest;
}

export interface FoundingShape {
  readonly team: string;
  readonly name: string;
  readonly admin: PersonShape | null;
  readonly access_key_roles: readonly string[];
  readonly grants_for_a_moment: readonly string[];
}

interface AddMembersShape extends ActionCommonShape {
  readonly kind: "add-members";
  readonly team: TeamShape;
  readonly members: readonly MemberShape[];
  readonly again?: true;
}

interface ReplaceRolesShape extends ActionCommonShape {
  readonly kind: "replace-roles";
  readonly key: KeyShape;
  readonly owner: PersonShape | null;
  readonly before: FactShape<readonly string[]>;
  readonly roles: readonly string[];
  readonly unless_exact: boolean;
  readonly request?: RequestDigest;
}

export interface PersonShape {
  readonly email: string;
  readonly address: string;
  readonly identifier: FactShape<string>;
  readonly created_by?: string;
}

export interface MemberShape extends PersonShape {
  readonly request?: RequestDigest;
}

export interface TeamShape {
  readonly team: string;
  readonly name: string;
  readonly account: string;
  readonly identifier: FactShape<string>;
  readonly founded_by?: string;
}

export type KeyShape =
  | { readonly of: "prefix"; readonly prefix: FactShape<string>; readonly team: TeamShape | null; readonly own?: true }
  | { readonly of: "own-key"; readonly address: string; readonly given_by: string }
  | { readonly of: "team-key"; readonly address: string; readonly team: TeamShape; readonly given_by: string };

export type FactShape<T> =
  | { readonly known: "observed"; readonly value: T; readonly by: string }
  | { readonly known: "recorded"; readonly value: T; readonly at: string }
  | { readonly known: "declared"; readonly value: T; readonly place: Place }
  | { readonly known: "unknown"; readonly why: string };

export type BasisShape = FactShape<string> & { readonly about: string };

export interface FindingShape {
  readonly class: "blocked" | "uncorrectable" | "unknown" | "pending" | "unmanaged" | "information";
  readonly blocking: boolean;
  readonly code: string;
  readonly fingerprint: string;
  readonly subject: string;
  readonly message: string;
  readonly because: readonly ReasonShape[];
  readonly rests_on: readonly BasisShape[];
  readonly suggested_yaml?: string;
  readonly allow?: readonly string[];
}

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
