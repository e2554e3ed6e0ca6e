import { type FindingCode, findings } from "../codes/findings.ts";
import type { FindingKind } from "../codes/row.ts";
import { type Acceptable, isAccepted } from "./accept.ts";
import { definedFields } from "./collections.ts";
import type { Reason } from "./fact.ts";
import type { Ownership } from "./recorded.ts";
import type { RoleSet } from "./role-set.ts";
import { sha256 } from "./sha256.ts";
import { type Basis, formatSubject, type Subject } from "./subject.ts";

/** What a person has to know or do, because no call of the interface can. */
export interface Finding extends Acceptable {
  readonly kind: FindingKind;
  readonly code: FindingCode;
  /** Stable across runs for the same matter: a digest of the code, of what it is about, and of which aspect. */
  readonly fingerprint: string;
  readonly subject: Subject;
  readonly roles?: RoleSet | undefined;
  /** What, why and what a person can do. */
  readonly message: string;
  readonly because: readonly Reason[];
  readonly restsOn: readonly Basis[];
  readonly suggestedYaml?: string | undefined;
  /** Where a person can allow it: the values of `--allow`, as in `near-duplicate:bo@acme.example#7f3a90c1d4e5`. */
  readonly allow?: readonly string[] | undefined;
  readonly ownership?: Ownership | undefined;
}

export const findingClasses = ["blocked", "pending", "unmanaged", "information"] as const;

export type FindingClass = (typeof findingClasses)[number];

export interface FindingInput
  extends Pick<Finding, "code" | "subject" | "roles" | "message" | "because" | "restsOn" | "allow" | "ownership"> {
  readonly suggestedYaml?: string | undefined;
  readonly kind?: FindingKind | undefined;
  /** Tells it apart from other findings of its code about the same: what was accepted of one was not of the other. */
  readonly aspect?: string | undefined;
}

export function createFinding({ kind, aspect, roles, suggestedYaml, ...input }: FindingInput): Finding {
  const { code, subject } = input;
  const apart = aspect ?? (kind === "notice" ? "notice" : undefined);
  const matter = [code, formatSubject(subject), ...(apart === undefined ? [] : [apart])];
  const fingerprint = sha256(JSON.stringify(matter)).slice(0, 16);
  const given = roles === undefined || roles.length === 0 ? undefined : roles;
  return {
    kind: kind ?? findings[code].kind,
    fingerprint,
    ...input,
    ...definedFields({ roles: given, suggestedYaml }),
  };
}

export function isOpenProblem(finding: Finding): boolean {
  return finding.kind === "task" && !isAccepted(finding);
}

/** A map: a saved plan may name any code, also one that every object has, such as `__proto__`. */
const otherClasses: ReadonlyMap<FindingCode, FindingClass> = new Map([
  ["invitation-pending", "pending"],
  ["write-pending", "pending"],
  ["unmanaged", "unmanaged"],
  ["unmanaged-privilege", "unmanaged"],
  ["unmanaged-key-changed", "unmanaged"],
]);

export function findingClass({ code, kind }: Pick<Finding, "code" | "kind">): FindingClass {
  return otherClasses.get(code) ?? (kind === "task" ? "blocked" : "information");
}

/** Whether a finding is something that people have to do. A member too many has to be removed, also where nothing is left to that member. */
export function isTask({ code, kind }: Pick<Finding, "code" | "kind">): boolean {
  return code === "extra-member" || (kind === "task" && code !== "write-pending");
}
