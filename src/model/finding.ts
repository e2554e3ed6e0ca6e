import { type Acceptable, isAccepted } from "./accept.ts";
import type { Reason } from "./fact.ts";
import type { HoldName } from "./guard-names.ts";
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
  readonly roles?: RoleSet;
  /** What, why and what a person can do. */
  readonly message: string;
  readonly because: readonly Reason[];
  readonly restsOn: readonly Basis[];
  /** YAML to paste, where that is a way out. */
  readonly suggestedYaml?: string;
  /** Where a person can allow it: the values of `--allow`, as in `near-duplicate:bo@acme.example#7f3a90c1d4e5`. */
  readonly allow?: readonly string[];
  readonly ownership?: Ownership;
}

/** `task`: the roster does not get what it asks for, or somebody holds access that it denies, until it is settled. `notice`: something to know. */
export type FindingKind = "task" | "notice";

/** How reports for programs group findings, in their order. */
export const findingClasses = ["blocked", "pending", "unmanaged", "information"] as const;

export type FindingClass = (typeof findingClasses)[number];

export type FindingCode =
  // the service as a whole
  | "service-reset"
  // accounts
  | "account-unavailable"
  // people
  | "incomplete-read"
  | "ambiguous-user"
  | "unsafe-address"
  | "inactive-user"
  | "invitation-pending"
  | "former-address"
  | "user-missing"
  | "user-in-other-account"
  | "user-adopted"
  | "profile-differs"
  | "unmanaged"
  | "unmanaged-privilege"
  // leavers, dates that have not come, and those whom nobody names any more
  | "leaver-remains"
  | "date-ahead"
  | "user-removed"
  // teams and memberships
  | "unproven-absence"
  | "team-name-differs"
  | "cannot-create-team"
  | "team-identifier-unknown"
  | "extra-member"
  | "member-removed"
  // keys and roles
  | "unknown-role"
  | "unknown-key"
  | "key-prefix-unknown"
  | "key-owner-differs"
  | "conflicting-roles"
  | "roles-kept-by-service"
  | "key-without-roles"
  | "temporary-privilege"
  | "unmanaged-key-changed"
  // guards that hold
  | HoldName
  | "idle-allowance"
  // the run itself
  | "write-pending"
  | "unknown-outcome"
  | "refused"
  | "not-selected"
  | "not-observed"
  | "unread-fields";

/** What a finding says, before its kind and its fingerprint follow from its code and subject. */
export interface FindingInput
  extends Pick<
    Finding,
    "code" | "subject" | "roles" | "message" | "because" | "restsOn" | "suggestedYaml" | "allow" | "ownership"
  > {
  /** Where it is another one than most findings of this code are. */
  readonly kind?: FindingKind | undefined;
  /** Tells it apart from other findings of its code about the same: what was accepted of one was not of the other. */
  readonly aspect?: string;
}

const kinds: Readonly<Record<FindingCode, FindingKind>> = {
  "service-reset": "task",
  "account-unavailable": "task",
  "incomplete-read": "task",
  "ambiguous-user": "task",
  "unsafe-address": "task",
  "inactive-user": "task",
  "invitation-pending": "notice",
  "former-address": "task",
  "user-missing": "task",
  "user-in-other-account": "task",
  "user-adopted": "notice",
  "profile-differs": "task",
  unmanaged: "notice",
  "unmanaged-privilege": "task",
  "leaver-remains": "task",
  "date-ahead": "notice",
  "user-removed": "task",
  "unproven-absence": "task",
  "team-name-differs": "notice",
  "cannot-create-team": "task",
  "team-identifier-unknown": "task",
  "extra-member": "task",
  "member-removed": "task",
  "unknown-role": "task",
  "unknown-key": "task",
  "key-prefix-unknown": "task",
  "key-owner-differs": "task",
  "conflicting-roles": "task",
  "roles-kept-by-service": "notice",
  "key-without-roles": "notice",
  "temporary-privilege": "notice",
  "unmanaged-key-changed": "notice",
  "allowed-email-domains": "task",
  "near-duplicate": "task",
  "privileged-roles": "task",
  "own-key": "task",
  protected: "task",
  "renamed-team": "task",
  "idle-allowance": "notice",
  "write-pending": "notice",
  "unknown-outcome": "task",
  refused: "task",
  "not-selected": "notice",
  "not-observed": "notice",
  "unread-fields": "notice",
};

/** Whether a finding of this code is a task or a notice, finding by finding. */
const isEither: ReadonlySet<FindingCode> = new Set([
  "unsafe-address",
  "invitation-pending",
  "profile-differs",
  "leaver-remains",
  "extra-member",
  "roles-kept-by-service",
  "write-pending",
]);

/** The same input makes the same fingerprint in every run. */
export function createFinding({ kind, aspect, roles, suggestedYaml, ...input }: FindingInput): Finding {
  const { code, subject } = input;
  const apart = aspect ?? (kind === "notice" ? "notice" : undefined);
  const matter = [code, formatSubject(subject), ...(apart === undefined ? [] : [apart])];
  const fingerprint = sha256(JSON.stringify(matter)).slice(0, 16);
  return {
    kind: kind ?? kinds[code],
    fingerprint,
    ...input,
    ...(roles === undefined || roles.length === 0 ? {} : { roles }),
    ...(suggestedYaml === undefined ? {} : { suggestedYaml }),
  };
}

/** Whether it is a task that the roster does not accept. */
export function isOpenProblem(finding: Finding): boolean {
  return finding.kind === "task" && !isAccepted(finding);
}

/** What a finding of this code is, unless it says otherwise itself. */
export function kindOf(code: FindingCode): FindingKind {
  return kinds[code];
}

const otherClasses: Partial<Readonly<Record<FindingCode, FindingClass>>> = {
  "invitation-pending": "pending",
  "write-pending": "pending",
  unmanaged: "unmanaged",
  "unmanaged-privilege": "unmanaged",
  "unmanaged-key-changed": "unmanaged",
};

export function findingClass({ code, kind }: Pick<Finding, "code" | "kind">): FindingClass {
  return otherClasses[code] ?? (kind === "task" ? "blocked" : "information");
}

const findingCodes = Object.keys(kinds).filter(isFindingCode);

function isFindingCode(code: string): code is FindingCode {
  return Object.hasOwn(kinds, code);
}

/** With which exit codes a plan ends for a finding of this code alone. */
export function exitCodesOf(code: FindingCode): readonly number[] {
  if (code === "service-reset") return [5];
  return isEither.has(code) ? [0, 9] : [kinds[code] === "task" ? 9 : 0];
}

/** Codes of what people have to do, and what stays until they have. Nobody can do anything about calls that are not shown yet. */
export const taskCodes: readonly FindingCode[] = findingCodes.filter(
  (code) => code !== "write-pending" && exitCodesOf(code).some((exit) => exit !== 0),
);

/** Whether a finding is something that people have to do. A member too many has to be removed, also where nothing is left to that member. */
export function isTask({ code, kind }: Pick<Finding, "code" | "kind">): boolean {
  return code === "extra-member" || (kind === "task" && code !== "write-pending");
}
