import type { FindingCode } from "../codes/findings.ts";
import { type Acceptable, type AcceptEntry, isAccepted } from "./accept.ts";
import type { Action, ActionId } from "./action.ts";
import type { EmailKey } from "./address.ts";
import { type Finding, type FindingClass, findingClasses } from "./finding.ts";
import type { Ownership } from "./recorded.ts";
import { type RoleSet, roleSet } from "./role-set.ts";
import type { Subject } from "./subject.ts";

/**
 * Why the service differs from the roster. `tampered`: it was changed outside roster since roster last wrote or saw it.
 * `unapplied`: it is in the roster, and nobody has ever done it. The others are those of findings.
 */
export type DriftClass = "tampered" | "unapplied" | FindingClass;

export const driftClasses: readonly DriftClass[] = ["tampered", "unapplied", ...findingClasses];

export function byDriftClass<T>(of: (name: DriftClass) => T): Readonly<Record<DriftClass, T>> {
  return {
    tampered: of("tampered"),
    unapplied: of("unapplied"),
    blocked: of("blocked"),
    pending: of("pending"),
    unmanaged: of("unmanaged"),
    information: of("information"),
  };
}

export interface Drift {
  /** One for each finding, each action, and each person of an addition of members. Privileged gains first, then actions and findings in the order of the plan. */
  readonly items: readonly DriftItem[];
  readonly coverage: Coverage;
  /** Entries under `accept:` that fit nothing: the finding is closed, or it never was. */
  readonly unusedAccepts: readonly AcceptEntry[];
}

export interface DriftItem extends Acceptable {
  /** The same for the same matter in every run, whatever its class. */
  readonly fingerprint: string;
  readonly class: DriftClass;
  readonly code: FindingCode | Action["kind"];
  readonly subject: Subject;
  /** As what the exit code counts it, as long as the roster does not accept it. */
  readonly counts: "change" | "blocking" | "nothing";
  readonly of:
    | { readonly is: "finding"; readonly finding: Finding }
    | { readonly is: "action"; readonly action: ActionId; readonly person?: EmailKey | undefined };
  /**
   * What changed in the service outside roster, and privileged roles that the roster does not give; absent where there is neither. Of a class
   * other than `tampered` it has only privileged roles.
   */
  readonly outside?: readonly OutsideChange[] | undefined;
  /** ISO 8601, when a recorded run first saw it. */
  readonly since?: string | undefined;
  readonly ownership?: Ownership | undefined;
  /** Who is to see to it: the owner, else the admin of the team or the holder of the key, as the roster has them. */
  readonly owner?: string | undefined;
}

/** One change in the service that roster did not make: the service as it is now, compared with what roster last wrote or saw. */
export interface OutsideChange {
  readonly is: OutsideChangeKind;
  readonly person?: { readonly address: EmailKey; readonly email: string } | undefined;
  readonly team?: string | undefined;
  readonly key?: { readonly prefix: string; readonly isOwn: boolean } | undefined;
  /** Roles that the service shows now and that roster neither wrote nor saw; or the privileged ones that the roster does not give. */
  readonly gained: RoleSet;
  readonly lost: RoleSet;
  /** Those of `gained` that let their holder administer others. */
  readonly privileged: RoleSet;
  readonly to?: string | undefined;
  readonly fields?: readonly string[] | undefined;
}

export type OutsideChangeKind =
  | "roles-changed"
  /** The roster does not give these privileged roles, and nothing says since when they are there. */
  | "privileged-roles-found"
  /** The roster does not give these privileged roles any more: they were there when roster last wrote or saw the key. */
  | "privileged-roles-left"
  | "key-removed"
  | "member-added"
  | "member-removed"
  | "user-removed"
  /** Another user has the address now. */
  | "user-replaced"
  | "email-changed"
  | "account-changed"
  | "profile-changed"
  | "team-renamed";

export function privilegesGained({ outside = [] }: DriftItem): RoleSet {
  return roleSet(outside.flatMap(({ privileged }) => privileged));
}

/** How much of what the service shows the roster names. Absent of what the service does not show. */
export interface Coverage {
  readonly users: CoverageCount;
  readonly teams?: CoverageCount | undefined;
  readonly keys?: CoverageCount | undefined;
  /** The roster does not name the owner of the key in use: that user and that key are not counted. */
  readonly without?: "owner-of-key-in-use" | undefined;
}

export interface CoverageCount {
  readonly shown: number;
  readonly named: number;
}

export type CountingItem = DriftItem & { readonly counts: "change" | "blocking" };

export function countsInExitCode(item: DriftItem): item is CountingItem {
  return item.counts !== "nothing" && !isAccepted(item);
}

export interface Tasks {
  /** Findings, oldest first. Without what is accepted. */
  readonly open: readonly DriftItem[];
  /** What recorded runs saw, and what this read proves to be gone. */
  readonly closed: readonly ClosedTask[];
}

export interface ClosedTask {
  readonly fingerprint: string;
  readonly code: string;
  readonly subject: string;
  readonly since: string;
  readonly owner?: string | undefined;
}

/** Whether the drift is recorded in the state. `known`: there was nothing new to record. */
export type DriftRecording =
  | { readonly is: "recorded" | "known" | "not-wanted" }
  | { readonly is: "not-recorded"; readonly why: string };
