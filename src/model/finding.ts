import { type Acceptable, isAccepted } from "./accept.ts";
import type { Reason } from "./fact.ts";
import type { HoldName } from "./guard-names.ts";
import type { RoleSet } from "./role-set.ts";
import { sha256 } from "./sha256.ts";
import type { Basis, Ownership } from "./subject.ts";
import { formatSubject, type Subject } from "./subject.ts";

/** What a person has to know or do, because no call of the interface can. */
export interface Finding extends Acceptable {
  readonly class: FindingClass;
  /** Blocking: the roster does not get what it asks for, or somebody holds access that it denies. */
  readonly blocking: boolean;
  readonly code: FindingCode;
  /** Stable across runs for the same matter: a digest of the code, of what it is about, and of which aspect. */
  readonly fingerprint: string;
  readonly subject: Subject;
  /** Roles that it names, where its subject names none. */
  readonly roles?: RoleSet;
  /** What, why and what a person can do. */
  readonly message: string;
  readonly because: readonly Reason[];
  readonly restsOn: readonly Basis[];
  /** YAML to paste, where that is a way out. */
  readonly suggestedYaml?: string;
  /** Where a person can allow it: the values of `--allow`, as in `near-duplicate:bo@acme.example#7f3a90c1d4e5`. */
  readonly allow?: readonly string[];
  /** Whose it is, as the roster says. */
  readonly ownership?: Ownership;
}

/** In the order in which a report tells them. */
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

/** What a finding says, before its class and its fingerprint follow from its code and subject. */
export interface FindingInput
  extends Pick<
    Finding,
    "code" | "subject" | "roles" | "message" | "because" | "restsOn" | "suggestedYaml" | "allow" | "ownership"
  > {
  /** Where somebody holds access that the roster denies: then it blocks, although its code alone would not. */
  readonly deniedAccess?: true;
  /** Where something that the roster asks for waits for it: then it blocks, although its code alone would not. */
  readonly waits?: true;
  /** Where nothing has to be done: then it does not block, although its code alone would. */
  readonly notice?: true;
  /** Tells it apart from other findings of its code about the same: what was accepted of one was not of the other. */
  readonly aspect?: string;
}

interface FindingSeverity {
  readonly class: FindingClass;
  readonly blocking: boolean;
}

const blocked: FindingSeverity = { class: "blocked", blocking: true };
const information: FindingSeverity = { class: "information", blocking: false };

const findingSeverity: Readonly<Record<FindingCode, FindingSeverity>> = {
  "service-reset": blocked,
  "account-unavailable": blocked,
  "incomplete-read": blocked,
  "ambiguous-user": blocked,
  "unsafe-address": blocked,
  "inactive-user": blocked,
  "invitation-pending": { class: "pending", blocking: false },
  "former-address": blocked,
  "user-missing": blocked,
  "user-in-other-account": blocked,
  "user-adopted": information,
  "profile-differs": blocked,
  unmanaged: { class: "unmanaged", blocking: false },
  "unmanaged-privilege": { class: "unmanaged", blocking: true },
  "leaver-remains": blocked,
  "date-ahead": information,
  "user-removed": blocked,
  "unproven-absence": blocked,
  "team-name-differs": information,
  "cannot-create-team": blocked,
  "team-identifier-unknown": blocked,
  "extra-member": blocked,
  "member-removed": blocked,
  "unknown-role": blocked,
  "unknown-key": blocked,
  "key-prefix-unknown": blocked,
  "key-owner-differs": blocked,
  "conflicting-roles": blocked,
  "roles-kept-by-service": information,
  "key-without-roles": information,
  "temporary-privilege": information,
  "unmanaged-key-changed": { class: "unmanaged", blocking: false },
  "allowed-email-domains": blocked,
  "near-duplicate": blocked,
  "privileged-roles": blocked,
  "own-key": blocked,
  protected: blocked,
  "renamed-team": blocked,
  "idle-allowance": information,
  "write-pending": { class: "pending", blocking: false },
  "unknown-outcome": blocked,
  refused: blocked,
  "not-selected": information,
  "not-observed": information,
  "unread-fields": information,
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
export function createFinding(input: FindingInput): Finding {
  const { deniedAccess, waits, notice, aspect: _, suggestedYaml, roles = [], ...rest } = input;
  const own = notice === true ? information : findingSeverity[input.code];
  const nature = deniedAccess === true ? blocked : waits === true ? { ...own, blocking: true } : own;
  const fingerprint = findingFingerprint(input);
  return {
    ...nature,
    fingerprint,
    ...rest,
    ...(roles.length === 0 ? {} : { roles }),
    ...(suggestedYaml === undefined ? {} : { suggestedYaml }),
  };
}

function findingFingerprint({
  code,
  subject,
  notice,
  aspect = notice === true ? "notice" : undefined,
}: FindingInput): string {
  const matter = [code, formatSubject(subject), ...(aspect === undefined ? [] : [aspect])];
  return sha256(JSON.stringify(matter)).slice(0, 16);
}

/** Whether it blocks, and the roster does not accept it. */
export function isOpenProblem(finding: Finding): boolean {
  return finding.blocking && !isAccepted(finding);
}

/** Whether a finding of this code blocks, unless it says otherwise itself. */
export function isBlockingCode(code: FindingCode): boolean {
  return findingSeverity[code].blocking;
}

const findingCodes = Object.keys(findingSeverity).filter(isFindingCode);

function isFindingCode(code: string): code is FindingCode {
  return Object.hasOwn(findingSeverity, code);
}

/** With which exit codes a plan ends for a finding of this code alone. */
export function exitCodesOf(code: FindingCode): readonly number[] {
  if (code === "service-reset") return [5];
  return isEither.has(code) ? [0, 9] : [isBlockingCode(code) ? 9 : 0];
}

/** Codes of what people have to do, and what stays until they have. Nobody can do anything about calls that are not shown yet. */
export const taskCodes: readonly FindingCode[] = findingCodes.filter(
  (code) => code !== "write-pending" && exitCodesOf(code).some((exit) => exit !== 0),
);

/** Whether a finding is something that people have to do. A member too many has to be removed, also where nothing is left to that member. */
export function isTask({ code, blocking }: Pick<Finding, "code" | "blocking">): boolean {
  return code === "extra-member" || (blocking && code !== "write-pending");
}
